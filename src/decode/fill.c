#include "decode/fill.h"

#include <string.h>

#include "base/memory.h"
#include "decode/logits.h"

typedef struct {
    const at_fill_options *o;
    at_framed_texts texts;
    at_attention_record record;
    at_arena memory; /* of what is found */
    at_filled *found;
    size_t before;
    int top;
} job;

/* ---- masks ---------------------------------------------------------------------------------- */

static bool is_mask(const job *j, const at_framed_text *t, int position)
{
    return t->tokens.item[position].id == j->texts.model->source->special[ATTEND_SPECIAL_MASK];
}

static attend_status no_mask(const job *j, size_t line, attend_error *err)
{
    const at_tokenizer *t = j->texts.model->source;
    const char *mask = at_vocab_text(t->vocab, t->special[ATTEND_SPECIAL_MASK], NULL);
    bool cut = j->texts.item[line].cut;
    return at_error(err, ATTEND_FORMAT, "line %zu has no mask%s; write %s where a token is missing",
                    j->before + line + 1, cut ? " among the tokens that are read" : "", mask);
}

static attend_status find_masks(job *j, size_t line, attend_error *err)
{
    const at_framed_text *t = &j->texts.item[line];
    at_filled *f = &j->found[line];
    *f = (at_filled){.line = line, .text = t, .top = j->top};
    for (int i = 0; i < t->length; i++)
        f->masks += is_mask(j, t, i);
    if (f->masks == 0)
        return no_mask(j, line, err);
    at_filled_mask *mask = at_arena_alloc_small(&j->memory, (size_t)f->masks * sizeof *mask);
    f->mask = mask;
    for (int i = 0; mask && i < t->length; i++)
        if (is_mask(j, t, i))
            *mask++ = (at_filled_mask){.position = i};
    return f->mask ? ATTEND_OK : at_error_memory(err);
}

/* ---- what fills them ------------------------------------------------------------------------ */

/* The likeliest of V probabilities, in their order; of equal ones the first. */
static void take_top(at_filled_mask *m, int top, int V, const real *p)
{
    int count = 0;
    for (int v = 0; v < V; v++) {
        if (count == top && !(p[v] > m->probability[top - 1]))
            continue;
        int at = count < top ? count++ : top - 1;
        for (; at > 0 && p[v] > m->probability[at - 1]; at--) {
            m->probability[at] = m->probability[at - 1];
            m->token[at] = m->token[at - 1];
        }
        m->probability[at] = p[v];
        m->token[at] = v;
    }
}

static attend_status keep(job *j, at_filled_mask *m, int V, const real *p, int length,
                          const real *weights, attend_error *err)
{
    size_t top = (size_t)j->top;
    m->token = at_arena_alloc_small(&j->memory, top * sizeof *m->token);
    m->probability = at_arena_alloc_small(&j->memory, top * sizeof *m->probability);
    real *copy = weights ? at_arena_alloc_small(&j->memory, (size_t)length * sizeof *copy) : NULL;
    if (!m->token || !m->probability || (weights && !copy))
        return at_error_memory(err);
    take_top(m, j->top, V, p);
    m->weights = copy ? memcpy(copy, weights, (size_t)length * sizeof *copy) : NULL;
    return ATTEND_OK;
}

/* The masks of texts order[first .. first+n-1], as rows of [n*T]; *count receives how many. */
static int *mask_rows(job *j, size_t first, int n, int T, int *count)
{
    int room = 0;
    *count = 0;
    for (int b = 0; b < n; b++)
        room += j->found[j->texts.order[first + (size_t)b]].masks;
    int *row = at_scratch(j->texts.tape, (size_t)room * sizeof *row);
    for (int b = 0; row && b < n; b++) {
        const at_filled *f = &j->found[j->texts.order[first + (size_t)b]];
        for (int i = 0; i < f->masks; i++)
            row[(*count)++] = b * T + f->mask[i].position;
    }
    return row;
}

/* p [count,V]; weights [n,T,T] or NULL */
static attend_status keep_batch(job *j, size_t first, int n, const at_tensor *p,
                                const at_tensor *weights, attend_error *err)
{
    int V = p->shape.dim[1], T = weights ? weights->shape.dim[1] : 0, row = 0;
    attend_status status = ATTEND_OK;
    for (int b = 0; b < n; b++) {
        const at_filled *f = &j->found[j->texts.order[first + (size_t)b]];
        for (int i = 0; i < f->masks && status >= 0; i++, row++) {
            at_filled_mask *m = (at_filled_mask *)&f->mask[i];
            size_t query = (size_t)b * (size_t)T + (size_t)m->position;
            status = keep(j, m, V, p->value + (size_t)row * (size_t)V, f->text->length,
                          weights ? weights->value + query * (size_t)T : NULL, err);
        }
    }
    return status;
}

static attend_status fill_batch(job *j, size_t first, int n, attend_error *err)
{
    const at_model *m = j->texts.model;
    at_tape *t = j->texts.tape;
    at_attention_choice last = {-1, -1};
    int count;
    at_attention_record_clear(&j->record);
    at_inputs in;
    if (!at_framed_texts_batch(&j->texts, first, n, &in))
        return at_tape_status(t, err);
    in.record = &j->record;
    int T = in.ids.shape.dim[1], *row = mask_rows(j, first, n, T, &count);
    at_tensor *x = at_failed(t) ? at_poison(t) : m->kind->encodes->encode(t, m, &in);
    if (at_failed(t))
        return at_tape_status(t, err);
    x = at_take(t, at_reshape(t, x, SHAPE(n * T, x->shape.dim[2])), (at_ids){SHAPE(count), row});
    at_tensor *logits = m->kind->encodes->tokens(t, m, x), *p = at_softmax(t, logits, NULL);
    at_tensor *weights = NULL;
    if (j->o->weights && !at_failed(t))
        weights = at_attention_record_matrix(t, &j->record, ATTEND_ATTENTION_ENCODER, last);
    if (at_failed(t))
        return at_tape_status(t, err);
    attend_status status = at_logits_check(logits->len, logits->value, err);
    return status < 0 ? status : keep_batch(j, first, n, p, weights, err);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static attend_status start(job *j, const at_model *m, size_t lines, const at_text *line,
                           attend_error *err)
{
    at_attention_layout layout[ATTEND_LAYOUT_MAX];
    int size = at_tokenizer_size(m->source);
    j->top = j->o->top < size ? j->o->top : size;
    j->record = (at_attention_record){.layer = -1, .head = -1};
    if (j->o->weights && at_model_attention(m, layout) > 0) {
        j->record.kinds = 1u << ATTEND_ATTENTION_ENCODER;
        j->record.layer = layout[0].layers - 1;
    }
    int limit = at_model_max_input(m, j->o->limit);
    attend_status status = at_framed_texts_start(&j->texts, m, lines, err);
    j->found = status < 0 ? NULL : at_alloc_zero(lines ? lines : 1, sizeof *j->found);
    if (status >= 0 && !j->found)
        status = at_error_memory(err);
    for (size_t i = 0; i < lines && status >= 0; i++) {
        status = at_framed_texts_read(&j->texts, i, line[i], (at_text){NULL, 0}, limit, err);
        if (status >= 0)
            status = find_masks(j, i, err);
    }
    if (status >= 0)
        at_framed_texts_sort(&j->texts);
    return status;
}

attend_status at_fill_lines(const at_model *m, const at_fill_options *options, size_t before,
                            size_t lines, const at_text *line, at_filled_function *give, void *user,
                            attend_error *err)
{
    job j = {.o = options, .before = before};
    size_t each = (size_t)options->batch;
    attend_status status = start(&j, m, lines, line, err);
    for (size_t at = 0; at < lines && status >= 0; at += each)
        status = fill_batch(&j, at, (int)(lines - at < each ? lines - at : each), err);
    for (size_t i = 0; i < lines && status >= 0; i++)
        status = give(user, &j.found[i], err);
    at_free(j.found);
    at_framed_texts_free(&j.texts);
    at_arena_free(&j.memory);
    return status;
}
