/* A recurrent translator as searching knows it: sentences that are encoded, and rows of hypotheses
 * that are continued word by word.
 *
 *     at_continuation *c;
 *     at_continuation_new(&model, params, &c, err);
 *     at_continuation_start(c, source, lengths, weights, err);
 *     at_search(at_continuation_searched(c, start_word), &options, beams, err);
 *
 * Memory is kept from one start to the next. One thread at a time. */
#ifndef ATTEND_DECODE_CONTINUATION_H
#define ATTEND_DECODE_CONTINUATION_H

#include "decode/search.h"
#include "models/seq2seq.h"

typedef struct at_continuation at_continuation;

/* Both stay the caller's, and unchanged as long as this lives. */
attend_status at_continuation_new(const at_seq2seq *model, at_params *params, at_continuation **out,
                                  attend_error *err);
void at_continuation_free(at_continuation *c); /* NULL is well */

/* Words or frames of a source that it can read, of `longest` at most (0: any number). */
int at_continuation_longest(const at_continuation *c, int longest);

/* Encodes sentences [B,S] of these lengths; both are read until the next start. weights: those of
 * the reads are wanted, averaged over heads. */
attend_status at_continuation_start(at_continuation *c, at_ids source, const int *lengths,
                                    bool weights, attend_error *err);

/* The same of feature vectors, shape [B,S,F]. */
attend_status at_continuation_start_features(at_continuation *c, at_shape shape,
                                             const real *features, const int *lengths, bool weights,
                                             attend_error *err);

/* What can be copied from these sentences, behind the start of a model that copies; read until the
 * next one. */
void at_continuation_copies(at_continuation *c, at_copies copies);

/* What at_search takes; valid until the next start. The vocabulary of a model that copies has the
 * sentences' own words behind it. */
at_searched at_continuation_searched(at_continuation *c, int start);

#endif
