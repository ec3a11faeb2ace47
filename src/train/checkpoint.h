/* A training run in one file, whole or not at all: parameters, the optimiser's state, and the
 * state of the run and of its task. A run that resumes from it computes the bits that it would have
 * computed.
 *
 *     param.NAME             every parameter
 *     optim.NAME.STATE       the optimiser's numbers for it
 *     optim.NAME.step        and its count of updates
 *     task.NAME              arrays of the task
 *     metadata               everything else, as JSON: "state" of the run, "task" of the task, and
 *                            "version" of this format. Version 1 is read, too: that of attend 0.1
 */
#ifndef ATTEND_TRAIN_CHECKPOINT_H
#define ATTEND_TRAIN_CHECKPOINT_H

#include "base/json.h"
#include "data/batch.h"
#include "train/trainer.h"

/* numbers of a task that a checkpoint keeps, in their own memory */
typedef struct {
    const char *name;
    at_shape shape;
    real *value;
} at_task_array;

enum { ATTEND_TASK_ARRAYS = 4 };

/* the state of a run, beside its weights */
typedef struct {
    int64_t updates, batches;
    at_position position;   /* in the corpus */
    double best;            /* of the measure that is watched; NAN: none yet */
    double best_loss;       /* of the validation then: decides between equals */
    int64_t best_update;    /* when it was found */
    int best_mean;          /* it is the mean of so many last weights; 0: those of that update */
    int waited;             /* validations since then */
    bool due;               /* these weights are to be validated before the next update */
    double loss, n_targets; /* since the last validation: summed, and over how many */
    at_plateau plateau;     /* of the schedule */
    uint64_t seed;
    int shards;   /* of a batch: with the seed and the instruction set they decide the bits */
    char isa[16]; /* instruction set */
    at_task_array array[ATTEND_TASK_ARRAYS]; /* of the task; set before saving and loading */
    int arrays;
} at_train_state;

/* As it is now: what the trainer knows, and the machine. */
void at_train_state_take(at_train_state *s, at_trainer *t);

/* What differs from when the checkpoint was made, so that the bits will too: "4 shards of a batch,
 * not 2", or "" where all is the same. */
void at_train_state_differs(const at_train_state *then, const at_train_state *now, char *text,
                            size_t size);

/* task: the state of the task, a JSON object, or NULL. */
attend_status at_checkpoint_save(const char *path, at_params *params, at_trainer *t,
                                 const at_train_state *s, json_t *task, attend_error *err);

/* Into an empty set of parameters and a fresh trainer of the same options. *task receives the state
 * of the task, NULL where there is none; release it with json_decref. */
attend_status at_checkpoint_load(const char *path, at_params *params, at_trainer *t,
                                 at_train_state *s, json_t **task, attend_error *err);

/* A number for JSON, which has no infinity and no NaN. */
json_t *at_checkpoint_number(double x);

#endif
