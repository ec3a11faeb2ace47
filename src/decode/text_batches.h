/* Texts on their way through an encoder: cut into tokens, longest first, in batches.
 *
 *     at_text_batches b;
 *     at_text_batches_start(&b, model, limit, count, text, err);
 *     for (first = 0; first < count; first += n)
 *         at_text_batches_inputs(&b, first, n)      on b.tape, of texts b.order[first ..]
 *     at_text_batches_free(&b);                     on failure too */
#ifndef ATTEND_DECODE_TEXT_BATCHES_H
#define ATTEND_DECODE_TEXT_BATCHES_H

#include "models/model.h"

typedef struct {
    at_tokens tokens; /* in the tokenizer's frame */
    int length;       /* tokens that are read */
} at_batch_text;

typedef struct {
    const at_model *model;
    at_tape *tape;
    at_batch_text *texts;
    size_t *order, count;
} at_text_batches;

/* limit: tokens of a text that are read; 0: as many as the model has positions for. A text that is
 * cut ends as the whole did. */
attend_status at_text_batches_start(at_text_batches *b, const at_model *model, int limit,
                                    size_t count, const at_text *text, attend_error *err);
void at_text_batches_free(at_text_batches *b);

static inline bool at_batch_text_cut(const at_batch_text *t)
{
    return (size_t)t->length < t->tokens.count;
}

/* The id of a token that is read. */
int at_batch_text_id(const at_batch_text *t, int position);

/* Texts order[first .. first+n-1], n of 1 or more, on the tape, which is reset. */
at_inputs at_text_batches_inputs(at_text_batches *b, size_t first, int n);

#endif
