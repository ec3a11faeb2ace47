/* Texts, or pairs of texts, on their way into a model: tokens in the model's frame, cut to the
 * tokens that are read, in batches of like length.
 *
 *     at_framed_texts f;
 *     status = at_framed_texts_start(&f, model, count, err);
 *     status = at_framed_texts_read(&f, i, a, b, limit, err);       for each i
 *     at_framed_texts_sort(&f);
 *     for (first ..; n texts each)
 *         at_framed_texts_batch(&f, first, n, &in) and the model with `in`: the i-th row is text
 *         f.order[first + i]
 *     at_framed_texts_free(&f);
 */
#ifndef ATTEND_DECODE_FRAMED_TEXTS_H
#define ATTEND_DECODE_FRAMED_TEXTS_H

#include "models/model.h"

typedef struct {
    at_tokens tokens;
    int length, second; /* tokens; where those of the second text begin, or length */
    bool cut;           /* texts were longer than what is read */
} at_framed_text;

typedef struct {
    const at_model *model;
    at_tape *tape; /* that infers */
    at_framed_text *item;
    size_t *order, count;
} at_framed_texts;

/* Also after a failure the texts are to be freed. */
attend_status at_framed_texts_start(at_framed_texts *f, const at_model *m, size_t count,
                                    attend_error *err);
void at_framed_texts_free(at_framed_texts *f);

/* The tokens of text i; b.text NULL: it is no pair. Of a text with more than `limit` tokens (0: any
 * number) the end is left out; of a pair, the end of the longer one. The frame stays. Offsets of
 * the second text count from a.text where both are parts of one line. */
attend_status at_framed_texts_read(at_framed_texts *f, size_t i, at_text a, at_text b, int limit,
                                   attend_error *err);

/* A line with a tab is a pair: the texts before and after the first one. */
attend_status at_framed_texts_read_line(at_framed_texts *f, size_t i, at_text line, int limit,
                                        attend_error *err);

/* The longest first. */
void at_framed_texts_sort(at_framed_texts *f);

/* Resets the tape; ids, lengths and segments of n texts on it. False and a failed tape without
 * memory. */
bool at_framed_texts_batch(at_framed_texts *f, size_t first, int n, at_inputs *in);

#endif
