#include "decode/text_batches.h"

#include <stdlib.h>

#include "base/memory.h"

static attend_status read_text(const at_model *m, at_batch_text *t, int limit, at_text text,
                               attend_error *err)
{
    size_t second, most = (size_t)at_model_max_input(m, limit);
    attend_status status = at_encode_framed(m->source, text.text, text.size, NULL, 0, &t->tokens,
                                            &second, err);
    t->length = (int)(most && t->tokens.count > most ? most : t->tokens.count);
    return status;
}

static int longest_first(const void *a, const void *b, void *texts)
{
    const at_batch_text *all = texts;
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    if (all[i].length != all[j].length)
        return all[i].length < all[j].length ? 1 : -1;
    return (i > j) - (i < j);
}

attend_status at_text_batches_start(at_text_batches *b, const at_model *model, int limit,
                                    size_t count, const at_text *text, attend_error *err)
{
    size_t n = count ? count : 1;
    *b = (at_text_batches){.model = model,
                           .tape = at_tape_new(model->params, ATTEND_INFER),
                           .texts = at_alloc_zero(n, sizeof *b->texts),
                           .order = at_alloc(n * sizeof *b->order)};
    if (!b->tape || !b->texts || !b->order)
        return at_error_memory(err);
    b->count = count;
    attend_status status = ATTEND_OK;
    for (size_t i = 0; i < count && status >= 0; i++) {
        b->order[i] = i;
        status = read_text(model, &b->texts[i], limit, text[i], err);
    }
    if (status >= 0)
        qsort_r(b->order, count, sizeof *b->order, longest_first, b->texts);
    return status;
}

void at_text_batches_free(at_text_batches *b)
{
    for (size_t i = 0; b->texts && i < b->count; i++)
        at_tokens_free(&b->texts[i].tokens);
    at_free(b->texts);
    at_free(b->order);
    if (b->tape)
        at_tape_free(b->tape);
}

int at_batch_text_id(const at_batch_text *t, int position)
{
    bool end = at_batch_text_cut(t) && position + 1 == t->length;
    return t->tokens.item[end ? t->tokens.count - 1 : (size_t)position].id;
}

at_inputs at_text_batches_inputs(at_text_batches *b, size_t first, int n)
{
    int T = b->texts[b->order[first]].length, pad = at_tokenizer_pad(b->model->source);
    at_tape_reset(b->tape);
    int *ids = at_scratch(b->tape, (size_t)n * (size_t)T * sizeof *ids);
    int *lengths = at_scratch(b->tape, (size_t)n * sizeof *lengths);
    for (int i = 0; i < n && ids && lengths; i++) {
        const at_batch_text *t = &b->texts[b->order[first + (size_t)i]];
        lengths[i] = t->length;
        for (int k = 0; k < T; k++)
            ids[i * T + k] = k < t->length ? at_batch_text_id(t, k) : pad;
    }
    return (at_inputs){.ids = {SHAPE(n, T), ids}, .lengths = lengths};
}
