#include "decode/embed.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "decode/framed_texts.h"
#include "decode/logits.h"
#include "text/unicode.h"

at_sentence at_embed_default(const at_model *m)
{
    const at_encodes *e = m->kind->encodes;
    return e->sentence ? e->sentence(m) : (at_sentence){.parts = ATTEND_SENTENCE_MEAN};
}

static int count_parts(const at_sentence *how)
{
    int n = 0;
    for (unsigned rest = how->parts; rest; rest &= rest - 1)
        n++;
    return n;
}

int at_embed_width(const at_model *m, const at_sentence *how)
{
    return count_parts(how) * m->kind->encodes->width(m);
}

/* ---- pooling -------------------------------------------------------------------------------- */

static void pool_max(int D, int length, const real *states, real *to)
{
    memcpy(to, states, (size_t)D * sizeof *to);
    for (int i = 1; i < length; i++)
        for (int d = 0; d < D; d++)
            to[d] = states[(size_t)i * (size_t)D + (size_t)d] > to[d]
                        ? states[(size_t)i * (size_t)D + (size_t)d]
                        : to[d];
}

static void pool_sum(int D, int length, const real *states, real divisor, real *to)
{
    memset(to, 0, (size_t)D * sizeof *to);
    for (int i = 0; i < length; i++)
        for (int d = 0; d < D; d++)
            to[d] += states[(size_t)i * (size_t)D + (size_t)d];
    for (int d = 0; d < D; d++)
        to[d] /= divisor;
}

/* x / max(|x|, 1e-12) */
static void normalize(int n, real *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)x[i] * (double)x[i];
    double norm = fmax(sqrt(sum), 1e-12);
    for (int i = 0; i < n; i++)
        x[i] = (real)((double)x[i] / norm);
}

void at_embed_pool(const at_sentence *how, int D, int length, const real *states, real *to)
{
    real *at = to;
    if (how->parts & ATTEND_SENTENCE_CLS) {
        memcpy(at, states, (size_t)D * sizeof *at);
        at += D;
    }
    if (how->parts & ATTEND_SENTENCE_MAX) {
        pool_max(D, length, states, at);
        at += D;
    }
    if (how->parts & ATTEND_SENTENCE_MEAN) {
        pool_sum(D, length, states, (real)length, at);
        at += D;
    }
    if (how->parts & ATTEND_SENTENCE_MEAN_SQRT) {
        pool_sum(D, length, states, real_sqrt((real)length), at);
        at += D;
    }
    if (how->normalize)
        normalize((int)(at - to), to);
}

/* ---- texts ---------------------------------------------------------------------------------- */

typedef struct {
    const at_sentence *how;
    at_framed_texts texts;
    at_arena memory;
    real **vector; /* of each text, in the memory */
    int width;
} job;

/* the text in lower case; bytes that are not UTF-8 stay */
static void lower(at_text from, at_str *to)
{
    for (size_t i = 0; i < from.size;) {
        uint32_t code, out[2];
        char bytes[4];
        int n = at_utf8_get(from.text + i, from.size - i, &code);
        int count = n ? at_lower(code, out) : 0;
        for (int k = 0; k < count; k++)
            at_str_add_bytes(to, bytes, (size_t)at_utf8_put(bytes, out[k]));
        if (!n)
            at_str_add_bytes(to, from.text + i, 1);
        i += n ? (size_t)n : 1;
    }
}

static attend_status read_line(job *j, size_t i, at_text line, attend_error *err)
{
    at_str lowered = {0};
    if (j->how->lower) {
        lower(line, &lowered);
        line = (at_text){at_str_text(&lowered), lowered.length};
    }
    const at_text none = {NULL, 0};
    attend_status status = at_framed_texts_read(
        &j->texts, i, line, none, at_model_max_input(j->texts.model, j->how->length), err);
    if (lowered.failed && status >= 0)
        status = at_error_memory(err);
    at_str_free(&lowered);
    if (status >= 0 && j->texts.item[i].length < 1)
        status = at_error(err, ATTEND_FORMAT,
                          "a text without tokens has no vector; the tokenizer adds none");
    return status;
}

static attend_status pool(job *j, size_t first, int n, const at_tensor *x, attend_error *err)
{
    int T = x->shape.dim[1], D = x->shape.dim[2];
    for (int b = 0; b < n; b++) {
        size_t i = j->texts.order[first + (size_t)b];
        int length = j->texts.item[i].length;
        const real *states = x->value + (size_t)b * (size_t)T * (size_t)D;
        attend_status status = at_logits_check((size_t)length * (size_t)D, states, err);
        j->vector[i] = at_arena_alloc_small(&j->memory, (size_t)j->width * sizeof(real));
        if (status < 0 || !j->vector[i])
            return status < 0 ? status : at_error_memory(err);
        at_embed_pool(j->how, D, length, states, j->vector[i]);
    }
    return ATTEND_OK;
}

/* texts order[first .. first+n-1] */
static attend_status embed_batch(job *j, size_t first, int n, attend_error *err)
{
    at_inputs in;
    at_tape *tape = j->texts.tape;
    const at_model *m = j->texts.model;
    at_tensor *x = at_framed_texts_batch(&j->texts, first, n, &in)
                       ? m->kind->encodes->encode(tape, m, &in)
                       : at_poison(tape);
    return at_failed(tape) ? at_tape_status(tape, err) : pool(j, first, n, x, err);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static attend_status start(job *j, const at_model *m, size_t lines, const at_text *line,
                           attend_error *err)
{
    attend_status status = at_framed_texts_start(&j->texts, m, lines, err);
    j->width = at_embed_width(m, j->how);
    j->vector = at_alloc_zero(lines ? lines : 1, sizeof *j->vector);
    if (status >= 0 && !j->vector)
        status = at_error_memory(err);
    for (size_t i = 0; i < lines && status >= 0; i++)
        status = read_line(j, i, line[i], err);
    if (status >= 0)
        at_framed_texts_sort(&j->texts);
    return status;
}

static attend_status give_line(const job *j, size_t line, at_embedded_function *give, void *user,
                               attend_error *err)
{
    const at_framed_text *text = &j->texts.item[line];
    at_embedded e = {.line = line,
                     .tokens = text->length,
                     .width = j->width,
                     .vector = j->vector[line],
                     .cut = text->cut};
    return give(user, &e, err);
}

static void stop(job *j)
{
    at_framed_texts_free(&j->texts);
    at_free(j->vector);
    at_arena_free(&j->memory);
}

attend_status at_embed_lines(const at_model *m, const at_sentence *how, int batch, size_t lines,
                             const at_text *line, at_embedded_function *give, void *user,
                             attend_error *err)
{
    job j = {.how = how};
    size_t each = (size_t)batch;
    attend_status status = start(&j, m, lines, line, err);
    for (size_t at = 0; at < lines && status >= 0; at += each)
        status = embed_batch(&j, at, (int)(lines - at < each ? lines - at : each), err);
    for (size_t i = 0; i < lines && status >= 0; i++)
        status = give_line(&j, i, give, user, err);
    stop(&j);
    return status;
}
