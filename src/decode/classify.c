#include "decode/classify.h"

#include <string.h>

#include "base/memory.h"
#include "decode/framed_texts.h"
#include "decode/logits.h"

/* one line on its way */
typedef struct {
    real *probabilities, *weights;
    at_attention_rows attention;
} item;

typedef struct {
    at_framed_texts texts;
    at_attention_record record; /* of a batch */
    const at_classify_options *o;
    at_arena memory;
    item *items;
} job;

/* ---- a batch -------------------------------------------------------------------------------- */

static attend_status keep(job *j, size_t line, const at_tensor *p, const at_tensor *weights,
                          int row, attend_error *err)
{
    item *i = &j->items[line];
    int length = j->texts.item[line].length;
    size_t K = (size_t)p->shape.dim[1];
    i->probabilities = at_arena_alloc_small(&j->memory, K * sizeof(real));
    if (!i->probabilities)
        return at_error_memory(err);
    memcpy(i->probabilities, p->value + (size_t)row * K, K * sizeof(real));
    if (j->o->wanted.kinds
        && (i->attention = at_attention_record_copy(&j->record, &j->o->wanted, row, 0, length,
                                                    &j->memory))
                   .count
               < 0)
        return at_error_memory(err);
    if (!j->o->weights)
        return ATTEND_OK;
    i->weights = at_arena_alloc_small(&j->memory, (size_t)(length + 1) * sizeof(real));
    if (!i->weights)
        return at_error_memory(err);
    memcpy(i->weights, weights->value + (size_t)row * (size_t)weights->shape.dim[1],
           (size_t)length * sizeof(real));
    return ATTEND_OK;
}

/* lines order[first .. first+n-1] */
static attend_status classify_batch(job *j, size_t first, int n, attend_error *err)
{
    at_inputs in;
    at_tape *tape = j->texts.tape;
    at_classified c = {.logits = NULL};
    at_attention_record_clear(&j->record);
    if (at_framed_texts_batch(&j->texts, first, n, &in)) {
        in.record = &j->record;
        c = j->texts.model->kind->classify(tape, j->texts.model, &in, j->o->weights);
    }
    at_tensor *p = at_softmax(tape, c.logits, NULL);
    if (at_failed(tape))
        return at_tape_status(tape, err);
    attend_status status = at_logits_check(c.logits->len, c.logits->value, err);
    for (int b = 0; b < n && status >= 0; b++)
        status = keep(j, j->texts.order[first + (size_t)b], p, c.weights, b, err);
    return status;
}

/* ---- out ------------------------------------------------------------------------------------ */

static attend_status give_line(const job *j, size_t line, at_classified_function *give, void *user,
                               attend_error *err)
{
    const item *i = &j->items[line];
    const at_framed_text *text = &j->texts.item[line];
    at_classified_line c = {.line = line,
                            .probabilities = i->probabilities,
                            .pieces = &text->tokens,
                            .positions = text->length,
                            .weights = i->weights,
                            .attention = i->attention,
                            .cut = text->cut};
    for (int k = 1; k < at_model_label_count(j->texts.model); k++)
        if (i->probabilities[k] > i->probabilities[c.class])
            c.class = k;
    return give(user, &c, err);
}

static attend_status start(job *j, const at_model *m, size_t lines, const at_text *line,
                           attend_error *err)
{
    attend_status status = at_framed_texts_start(&j->texts, m, lines, err);
    j->items = at_alloc_zero(lines ? lines : 1, sizeof *j->items);
    if (status >= 0 && !j->items)
        status = at_error_memory(err);
    for (size_t i = 0; i < lines && status >= 0; i++)
        status = at_framed_texts_read_line(&j->texts, i, line[i],
                                           at_model_max_input(m, j->o->longest), err);
    if (status >= 0)
        at_framed_texts_sort(&j->texts);
    return status;
}

static void stop(job *j)
{
    at_framed_texts_free(&j->texts);
    at_free(j->items);
    at_arena_free(&j->memory);
}

attend_status at_classify_lines(const at_model *model, const at_classify_options *options,
                                size_t lines, const at_text *line, at_classified_function *give,
                                void *user, attend_error *err)
{
    job j = {.o = options, .record = options->wanted};
    size_t batch = (size_t)options->batch;
    attend_status status = start(&j, model, lines, line, err);
    for (size_t at = 0; at < lines && status >= 0; at += batch)
        status = classify_batch(&j, at, (int)(lines - at < batch ? lines - at : batch), err);
    for (size_t i = 0; i < lines && status >= 0; i++)
        status = give_line(&j, i, give, user, err);
    stop(&j);
    return status;
}
