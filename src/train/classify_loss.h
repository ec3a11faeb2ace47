/* The loss of a classifier on a batch of texts, shard by shard.
 *
 *     loss = - 1/N sum log p(class | text)          over the N texts of the batch */
#ifndef ATTEND_TRAIN_CLASSIFY_LOSS_H
#define ATTEND_TRAIN_CLASSIFY_LOSS_H

#include "data/batch.h"
#include "models/model.h"
#include "train/shards.h"

typedef struct {
    const at_model *model;
    real smoothing; /* of the labels, while training */
    const at_batch *batch;
    at_shards shards;
    int *predicted, *right; /* [room]: classes of texts that were only inferred, in their order */
    size_t count, room;
} at_classify_loss;

/* Cuts a batch into at most `shards`. The first of an epoch begins predicted and right anew. */
void at_classify_loss_take(at_classify_loss *l, const at_batch *batch, int shards);

at_tensor *at_classify_loss_of(at_classify_loss *l, at_tape *tape, int shard);

#endif
