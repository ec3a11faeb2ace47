/* The loss of permutation language modelling:
 *
 *     loss = - 1/N sum log p(x_i | x_j for all j before i in the order)   over predicted tokens i
 *
 * or, of a model of one direction, that of the token after each. Orders depend on seed, step and
 * row alone (data/permute.h).
 *
 * Where the model has a memory, row b of a batch continues row b of the batch before it, and
 * attends to the states that the model had there, as far as these are of the same document. The
 * states of training and those of validations are kept apart. */
#ifndef ATTEND_TRAIN_PERMUTED_LOSS_H
#define ATTEND_TRAIN_PERMUTED_LOSS_H

#include "base/str.h"
#include "data/permute.h"
#include "models/model.h"
#include "train/shards.h"

/* states of B rows: two of [layers,B,M,D], one that a batch reads and one that it writes */
typedef struct {
    real *states[2];
    int B, stride; /* stride: tokens from a row to its next one */
    int turn;      /* batches with an index of this parity read states[0] */
} at_permuted_memory;

typedef struct {
    const at_model *model;
    at_permuting permuting;
    bool backwards;             /* the second half of the rows runs backwards, */
    bool frozen;                /* the memory is not to change */
    at_permuted_memory *memory; /* or NULL */

    /* of the batch that was taken last */
    at_batch batch;
    at_shards shards;
    at_permutation order; /* of one direction: targets alone, P = T */
    int *segments, *directions, *remembered;
} at_permuted_loss;

/* Memory for B rows; false where there is none. */
bool at_permuted_memory_make(at_permuted_memory *m, const at_model *model, int B, int stride);
void at_permuted_memory_free(at_permuted_memory *m);

/* Draws the order of every row, and turns rows around that run backwards: the batch changes. */
attend_status at_permuted_loss_take(at_permuted_loss *l, const at_batch *batch, int shards,
                                    at_arena *arena, attend_error *err);

/* The mean over the predictions of the whole batch; writes the memory of the shard's rows. */
at_tensor *at_permuted_loss_of(at_permuted_loss *l, at_tape *t, int shard);

/* Appends a row: its tokens by position, the predicted ones in their order, and for each position
 * those of them that it sees, "5<-7,9", or that it sees none. */
void at_permuted_loss_show(const at_permuted_loss *l, int row, at_str *out);

#endif
