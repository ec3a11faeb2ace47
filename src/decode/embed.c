#include "decode/embed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
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
    at_tokens tokens;
    int length; /* tokens that are read */
    real *vector;
} item;

typedef struct {
    const at_model *model;
    const at_sentence *how;
    at_tape *tape;
    at_arena memory;
    item *items;
    size_t *order, lines;
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

static attend_status read_line(const job *j, item *i, at_text line, attend_error *err)
{
    at_str lowered = {0};
    if (j->how->lower) {
        lower(line, &lowered);
        line = (at_text){at_str_text(&lowered), lowered.length};
    }
    int limit = at_model_max_input(j->model, j->how->length);
    attend_status status = at_encode_framed(j->model->source, line.text, line.size, NULL, 0,
                                            &i->tokens, NULL, err);
    if (lowered.failed && status >= 0)
        status = at_error_memory(err);
    at_str_free(&lowered);
    i->length = (int)i->tokens.count;
    if (limit && i->tokens.count > (size_t)limit)
        i->length = limit;
    if (status >= 0 && i->length < 1)
        status = at_error(err, ATTEND_FORMAT,
                          "a text without tokens has no vector; the tokenizer adds none");
    return status;
}

static int longest_first(const void *a, const void *b, void *items)
{
    const item *all = items;
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    if (all[i].length != all[j].length)
        return all[i].length < all[j].length ? 1 : -1;
    return (i > j) - (i < j);
}

/* A token of a text; one that was cut ends as the whole did. */
static int id_at(const item *i, int position)
{
    bool cut_end = (size_t)i->length < i->tokens.count && position + 1 == i->length;
    return i->tokens.item[cut_end ? i->tokens.count - 1 : (size_t)position].id;
}

static attend_status pool(job *j, size_t first, int n, const at_tensor *x, attend_error *err)
{
    int T = x->shape.dim[1], D = x->shape.dim[2];
    for (int b = 0; b < n; b++) {
        item *i = &j->items[j->order[first + (size_t)b]];
        const real *states = x->value + (size_t)b * (size_t)T * (size_t)D;
        attend_status status = at_logits_check((size_t)i->length * (size_t)D, states, err);
        i->vector = at_arena_alloc_small(&j->memory, (size_t)j->width * sizeof(real));
        if (status < 0 || !i->vector)
            return status < 0 ? status : at_error_memory(err);
        at_embed_pool(j->how, D, i->length, states, i->vector);
    }
    return ATTEND_OK;
}

/* texts order[first .. first+n-1] */
static attend_status embed_batch(job *j, size_t first, int n, attend_error *err)
{
    int T = j->items[j->order[first]].length;
    at_tape_reset(j->tape);
    int *ids = at_scratch(j->tape, (size_t)n * (size_t)T * sizeof *ids);
    int *lengths = at_scratch(j->tape, (size_t)n * sizeof *lengths);
    for (int b = 0; b < n && ids && lengths; b++) {
        const item *i = &j->items[j->order[first + (size_t)b]];
        lengths[b] = i->length;
        for (int k = 0; k < T; k++)
            ids[b * T + k] = k < i->length ? id_at(i, k) : at_tokenizer_pad(j->model->source);
    }
    at_inputs in = {.ids = {SHAPE(n, T), ids}, .lengths = lengths};
    at_tensor *x = at_failed(j->tape) ? at_poison(j->tape)
                                      : j->model->kind->encodes->encode(j->tape, j->model, &in);
    return at_failed(j->tape) ? at_tape_status(j->tape, err) : pool(j, first, n, x, err);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static attend_status start(job *j, const at_text *line, attend_error *err)
{
    size_t n = j->lines ? j->lines : 1;
    j->width = at_embed_width(j->model, j->how);
    j->items = at_alloc_zero(n, sizeof *j->items);
    j->order = at_alloc(n * sizeof *j->order);
    j->tape = at_tape_new(j->model->params, ATTEND_INFER);
    if (!j->items || !j->order || !j->tape)
        return at_error_memory(err);
    attend_status status = ATTEND_OK;
    for (size_t i = 0; i < j->lines && status >= 0; i++) {
        j->order[i] = i;
        status = read_line(j, &j->items[i], line[i], err);
    }
    if (status >= 0)
        qsort_r(j->order, j->lines, sizeof *j->order, longest_first, j->items);
    return status;
}

static attend_status give_line(const job *j, size_t line, at_embedded_function *give, void *user,
                               attend_error *err)
{
    const item *i = &j->items[line];
    at_embedded e = {.line = line,
                     .tokens = i->length,
                     .width = j->width,
                     .vector = i->vector,
                     .cut = (size_t)i->length < i->tokens.count};
    return give(user, &e, err);
}

static void stop(job *j)
{
    for (size_t i = 0; j->items && i < j->lines; i++)
        at_tokens_free(&j->items[i].tokens);
    at_free(j->items);
    at_free(j->order);
    if (j->tape)
        at_tape_free(j->tape);
    at_arena_free(&j->memory);
}

attend_status at_embed_lines(const at_model *m, const at_sentence *how, int batch, size_t lines,
                             const at_text *line, at_embedded_function *give, void *user,
                             attend_error *err)
{
    job j = {.model = m, .how = how, .lines = lines};
    size_t each = (size_t)batch;
    attend_status status = start(&j, line, err);
    for (size_t at = 0; at < lines && status >= 0; at += each)
        status = embed_batch(&j, at, (int)(lines - at < each ? lines - at : each), err);
    for (size_t i = 0; i < lines && status >= 0; i++)
        status = give_line(&j, i, give, user, err);
    stop(&j);
    return status;
}
