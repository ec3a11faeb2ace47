/* One step of training after another: shards of a batch side by side, clipping, the optimiser.
 *
 *     at_trainer_new(params, &options, &trainer, err);
 *     for each batch:
 *         at_trainer_step(trainer, shards, loss_of, &batch, &result, err);
 *
 * A small model trains fastest when every thread has some of the sentences and works alone; the
 * gradients of the shards are summed in their order, so the same seed and number of shards give the
 * same bits. Random numbers are those of the whole batch: dropout does not depend on the shards. */
#ifndef ATTEND_TRAIN_TRAINER_H
#define ATTEND_TRAIN_TRAINER_H

#include "grad/tape.h"
#include "train/optim.h"
#include "train/schedule.h"

typedef struct {
    at_optim_options optim;
    at_rate rate;
    double clip;    /* the global norm at most; 0: no clipping, and the norm is not measured */
    int accumulate; /* batches for one update */
    uint64_t seed;
} at_trainer_options;

typedef struct at_trainer at_trainer;

/* params stay the caller's. */
attend_status at_trainer_new(at_params *params, const at_trainer_options *options, at_trainer **out,
                             attend_error *err);
void at_trainer_free(at_trainer *t); /* NULL is well */

/* The loss of one shard on its tape, already divided by what the whole batch counts; first is the
 * number of its first sentence in the batch. */
typedef at_tensor *at_shard_loss(void *user, at_tape *tape, int shard);

typedef struct {
    double loss;  /* summed over the shards */
    double norm;  /* of the gradient before clipping; 0 without clipping or update */
    double rate;  /* of learning */
    bool updated; /* false while batches are accumulated */
} at_step_result;

/* first[shard]: number of its first sentence in the batch. Fails on a loss that is not finite, with
 * nothing changed. */
attend_status at_trainer_step(at_trainer *t, int shards, const int *first, at_shard_loss *loss,
                              void *user, at_step_result *result, attend_error *err);

int64_t at_trainer_updates(const at_trainer *t); /* of the parameters so far */
at_optim *at_trainer_optim(at_trainer *t);
at_rate *at_trainer_rate(at_trainer *t);

/* For a checkpoint: what lies between updates is empty then. */
bool at_trainer_between(const at_trainer *t); /* are batches accumulated that wait for an update? */
void at_trainer_set_updates(at_trainer *t, int64_t updates, int64_t batches);
int64_t at_trainer_batches(const at_trainer *t);

#endif
