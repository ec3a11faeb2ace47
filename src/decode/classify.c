#include "decode/classify.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "decode/logits.h"

/* one line on its way */
typedef struct {
    at_tokens pieces;
    int length; /* pieces that are read */
    real *probabilities, *weights;
    at_attention_rows attention;
} item;

typedef struct {
    const at_model *model;
    at_attention_record record; /* of a batch */
    const at_classify_options *o;
    at_tape *tape;
    at_arena memory;
    item *items;
    size_t *order, lines;
} job;

/* ---- in ------------------------------------------------------------------------------------- */

static attend_status read_line(const job *j, item *i, at_text line, attend_error *err)
{
    size_t second, most = (size_t)at_model_max_input(j->model, j->o->longest);
    attend_status status = at_encode_framed(j->model->source, line.text, line.size, NULL, 0,
                                            &i->pieces, &second, err);
    i->length = (int)(i->pieces.count > most ? most : i->pieces.count);
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

/* a piece of a line; what ends a text still does where it was cut */
static int id_at(const item *i, int place)
{
    bool cut_end = (size_t)i->length < i->pieces.count && place + 1 == i->length;
    return i->pieces.item[cut_end ? i->pieces.count - 1 : (size_t)place].id;
}

/* ---- a batch -------------------------------------------------------------------------------- */

/* the attention of a row of the batch, which outlives the tape's step */
static at_attention_rows copy_rows(job *j, int row, int keys)
{
    at_attention_rows rows = at_attention_record_rows(&j->record, &j->o->wanted, row, 0, keys,
                                                      &j->memory);
    for (int i = 0; i < rows.count; i++) {
        at_attention_row *own = (at_attention_row *)&rows.row[i];
        size_t n = (size_t)own->keys * sizeof(real);
        real *copy = at_arena_alloc_small(&j->memory, n + 1);
        if (!copy)
            return (at_attention_rows){-1, NULL};
        own->weights = memcpy(copy, own->weights, n);
    }
    return rows;
}

static attend_status keep(job *j, item *i, const at_tensor *p, const at_tensor *weights, int row,
                          attend_error *err)
{
    size_t K = (size_t)p->shape.dim[1];
    i->probabilities = at_arena_alloc_small(&j->memory, K * sizeof(real));
    if (!i->probabilities)
        return at_error_memory(err);
    memcpy(i->probabilities, p->value + (size_t)row * K, K * sizeof(real));
    if (j->o->wanted.kinds && (i->attention = copy_rows(j, row, i->length)).count < 0)
        return at_error_memory(err);
    if (!j->o->weights)
        return ATTEND_OK;
    i->weights = at_arena_alloc_small(&j->memory, (size_t)(i->length + 1) * sizeof(real));
    if (!i->weights)
        return at_error_memory(err);
    memcpy(i->weights, weights->value + (size_t)row * (size_t)weights->shape.dim[1],
           (size_t)i->length * sizeof(real));
    return ATTEND_OK;
}

/* lines order[first .. first+n-1] */
static attend_status classify_batch(job *j, size_t first, int n, attend_error *err)
{
    int T = j->items[j->order[first]].length;
    at_tape_reset(j->tape);
    at_attention_record_clear(&j->record);
    int *ids = at_scratch(j->tape, (size_t)n * (size_t)T * sizeof *ids);
    int *lengths = at_scratch(j->tape, (size_t)n * sizeof *lengths);
    for (int b = 0; b < n && ids && lengths; b++) {
        const item *i = &j->items[j->order[first + (size_t)b]];
        lengths[b] = i->length;
        for (int k = 0; k < T; k++)
            ids[b * T + k] = k < i->length ? id_at(i, k) : at_tokenizer_pad(j->model->source);
    }
    at_classified c = {.logits = NULL};
    at_inputs in = {.ids = {SHAPE(n, T), ids}, .lengths = lengths, .record = &j->record};
    if (!at_failed(j->tape))
        c = j->model->kind->classify(j->tape, j->model, &in, j->o->weights);
    at_tensor *p = at_softmax(j->tape, c.logits, NULL);
    if (at_failed(j->tape))
        return at_tape_status(j->tape, err);
    attend_status status = at_logits_check(c.logits->len, c.logits->value, err);
    for (int b = 0; b < n && status >= 0; b++)
        status = keep(j, &j->items[j->order[first + (size_t)b]], p, c.weights, b, err);
    return status;
}

/* ---- out ------------------------------------------------------------------------------------ */

static attend_status give_line(const job *j, size_t line, at_classified_function *give, void *user,
                               attend_error *err)
{
    const item *i = &j->items[line];
    at_classified_line c = {.line = line,
                            .probabilities = i->probabilities,
                            .pieces = &i->pieces,
                            .positions = i->length,
                            .weights = i->weights,
                            .attention = i->attention,
                            .cut = (size_t)i->length < i->pieces.count};
    for (int k = 1; k < at_model_label_count(j->model); k++)
        if (i->probabilities[k] > i->probabilities[c.class])
            c.class = k;
    return give(user, &c, err);
}

static attend_status start(job *j, const at_text *line, attend_error *err)
{
    size_t n = j->lines ? j->lines : 1;
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

static void stop(job *j)
{
    for (size_t i = 0; j->items && i < j->lines; i++)
        at_tokens_free(&j->items[i].pieces);
    at_free(j->items);
    at_free(j->order);
    if (j->tape)
        at_tape_free(j->tape);
    at_arena_free(&j->memory);
}

attend_status at_classify_lines(const at_model *model, const at_classify_options *options,
                                size_t lines, const at_text *line, at_classified_function *give,
                                void *user, attend_error *err)
{
    job j = {.model = model, .o = options, .lines = lines, .record = options->wanted};
    size_t batch = (size_t)options->batch;
    attend_status status = start(&j, line, err);
    for (size_t at = 0; at < lines && status >= 0; at += batch)
        status = classify_batch(&j, at, (int)(lines - at < batch ? lines - at : batch), err);
    for (size_t i = 0; i < lines && status >= 0; i++)
        status = give_line(&j, i, give, user, err);
    stop(&j);
    return status;
}
