/* The loss of a translator on a batch of sentence pairs, shard by shard.
 *
 *     loss = - 1/N sum log p(y_t | y_<t, x)          over the N words of all targets in the batch
 *
 * where a model copies, of words that its vocabulary lacks too; and where alignments are known,
 * guidance / N times the cross-entropy of attention against them. The decoder is fed the right
 * words, or some of its own (scheduled_sampling.h). Hard attention that learns by REINFORCE adds
 * its own term (reinforce.h). */
#ifndef ATTEND_TRAIN_TRANSLATE_LOSS_H
#define ATTEND_TRAIN_TRANSLATE_LOSS_H

#include "data/batch.h"
#include "models/model.h"
#include "train/reinforce.h"
#include "train/shards.h"
#include "train/trainer.h"

typedef struct {
    const at_model *model;
    real smoothing; /* of the labels, while training */
    double forcing; /* share of right words that the decoder is fed while training; 1: all */
    real guidance;  /* weight of what the links below add to the loss */
    at_attention_choice guided; /* the cross-attention that follows them; its layer is a number */
    bool guides_last;           /* it is the last layer */
    at_baseline *baseline;      /* of hard attention, moved on by at_translate_loss_done */
    /* the batch, as at_translate_loss_take cut it */
    const at_batch *batch;
    const real *features; /* [B,S,F]: the sources, where they are feature vectors; set behind
                             at_translate_loss_take */
    int steps;            /* T - 1: words that are asked for at most */
    int *words, *targets; /* [B,steps]; a target of -1 does not count */
    long n_targets;       /* N */
    int extra;            /* words that the vocabulary lacks, of one sentence at most */
    const real *links;    /* [B,steps,S]: where attention should be (guided_alignment.h); or NULL */
    at_shards shards;
    double nll[ATTEND_SHARDS_MOST];   /* sums, where hard attention needs them */
    at_tape *own[ATTEND_SHARDS_MOST]; /* that the model's own words come from, once they do */
} at_translate_loss;

/* Makes the batch's words and targets, and cuts it into at most `shards`; targets are framed
 * <bos> .. <eos>. False without memory. */
bool at_translate_loss_take(at_translate_loss *l, const at_batch *batch, int shards,
                            at_arena *arena);

at_tensor *at_translate_loss_of(void *translation, at_tape *tape, int shard); /* at_shard_loss */

/* After a step: moves the baseline on. Returns the loss of the words where hard attention added
 * what it learns by, else the objective as it was. */
double at_translate_loss_done(at_translate_loss *l, double objective);
void at_translate_loss_free(at_translate_loss *l); /* what it has made */

#endif
