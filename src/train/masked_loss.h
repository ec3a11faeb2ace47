/* The loss of a model that predicts masked tokens, and of pairs of texts whether one follows the
 * other, on a batch, shard by shard.
 *
 *     loss = - 1/N sum log p(token | the other tokens)  -  1/B sum log p(label | pair)
 *
 * over the N masked tokens and the B pairs of the batch. Batches are masked as they come
 * (data/masking.h), so every epoch masks others. */
#ifndef ATTEND_TRAIN_MASKED_LOSS_H
#define ATTEND_TRAIN_MASKED_LOSS_H

#include "data/masking.h"
#include "models/model.h"
#include "train/shards.h"

typedef struct {
    const at_model *model;
    at_masking masking;
    bool pairs; /* batches have labels: does the second text follow? */

    at_batch batch; /* masked */
    int *targets;   /* [B,T]: ids to predict, else ATTEND_NO_TARGET */
    int count;      /* N */
    at_shards shards;

    /* of tapes that only infer, since at_masked_loss_clear */
    double nll;           /* summed over the masked tokens */
    size_t tokens, right; /* masked tokens; those that were predicted */
    size_t pair_count, pairs_right;
} at_masked_loss;

/* Masks a batch, with memory of the arena, and cuts it into at most `shards`. */
attend_status at_masked_loss_take(at_masked_loss *l, const at_batch *batch, int shards,
                                  at_arena *arena, attend_error *err);

/* The part of a shard: a scalar. */
at_tensor *at_masked_loss_of(at_masked_loss *l, at_tape *t, int shard);

void at_masked_loss_clear(at_masked_loss *l);

/* Row `row` as the network sees it: tokens, and in parentheses what is predicted for them; with
 * the label of a pair. */
void at_masked_loss_show(const at_masked_loss *l, int row, at_str *out);

#endif
