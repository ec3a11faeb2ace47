/* Words of the model's own in place of the right ones, so that it learns to go on after a mistake
 * (scheduled sampling: Bengio et al. 2015).
 *
 * Which words are replaced is drawn before; what replaces them is what the model finds likeliest
 * after the words it has been fed so far, without dropout. No gradient goes through that choice, so
 * it is made first, step by step on a tape that only infers; the loss then decodes all steps of the
 * mixed words at once. */
#ifndef ATTEND_TRAIN_SCHEDULED_SAMPLING_H
#define ATTEND_TRAIN_SCHEDULED_SAMPLING_H

#include "base/random.h"
#include "models/model.h"

typedef struct {
    double right;            /* the share of words that stay the right ones, 0 to 1 */
    at_random place;         /* where the draw is made; sentence is that of the first row */
    const at_copies *copies; /* of a model that copies, else NULL */
} at_scheduled_options;

/* words [B,T] are what the decoder is fed, and are changed; those beyond a sentence's end, whose
 * target [B,T] is below 0, stay. The tape, which infers, holds the source. */
void at_scheduled_sampling(at_tape *t, const at_model *m, void *source, int B, int T, int *words,
                           const int *targets, at_scheduled_options options);

#endif
