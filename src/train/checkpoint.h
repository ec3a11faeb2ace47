/* A training run in one file, whole or not at all: parameters, the optimiser's state, and where the
 * run stands. A run that goes on from it computes the bits that it would have computed.
 *
 *     param.NAME             every parameter
 *     optim.NAME.STATE       the optimiser's numbers for it
 *     optim.NAME.step        and its count of updates
 *     notes of the file      everything else, as JSON under "standing"
 */
#ifndef ATTEND_TRAIN_CHECKPOINT_H
#define ATTEND_TRAIN_CHECKPOINT_H

#include "data/batch.h"
#include "train/reinforce.h"
#include "train/trainer.h"

/* where a run stands, beside its weights */
typedef struct {
    int64_t updates, batches;
    at_position position; /* in the corpus */
    double best;          /* of the measure that is watched; NAN: none yet */
    double best_loss;     /* of the validation then: decides between equals */
    int64_t best_update;  /* when it was found */
    int best_mean;        /* it is the mean of so many last weights; 0: those of that update */
    int waited;           /* validations since then */
    bool due;             /* these weights are to be validated before the next update */
    double loss, asked;   /* since the last validation: summed, and what it is summed over */
    at_plateau plateau;   /* of the schedule */
    at_baseline baseline; /* of hard attention */
    uint64_t seed;
    int shards;   /* of a batch: with the seed and the instruction set they decide the bits */
    char isa[16]; /* instruction set */
} at_standing;

/* As it is now: what the trainer knows, and the machine. */
void at_standing_take(at_standing *s, at_trainer *t);

/* What differs from when the checkpoint was made, so that the bits will too: "4 shards of a batch,
 * not 2", or "" where all is the same. */
void at_standing_differs(const at_standing *then, const at_standing *now, char *text, size_t size);

attend_status at_checkpoint_save(const char *path, at_params *params, at_trainer *t,
                                 const at_standing *s, attend_error *err);

/* Into an empty set of parameters and a fresh trainer of the same options. */
attend_status at_checkpoint_load(const char *path, at_params *params, at_trainer *t, at_standing *s,
                                 attend_error *err);

#endif
