#include "train/classify_loss.h"

void at_classify_loss_take(at_classify_loss *l, const at_batch *batch, int shards)
{
    l->batch = batch;
    l->shards = at_shards_cut(batch->source.B, shards);
    if (batch->index == 0)
        l->count = 0;
}

/* the likeliest class of each row */
static void note(at_classify_loss *l, const at_tensor *logits, const int *labels)
{
    int K = logits->shape.dim[1];
    for (int b = 0; b < logits->shape.dim[0] && l->count < l->room; b++) {
        const real *row = logits->value + (size_t)b * (size_t)K;
        int best = 0;
        for (int k = 1; k < K; k++)
            best = row[k] > row[best] ? k : best;
        l->predicted[l->count] = best;
        l->right[l->count++] = labels[b];
    }
}

at_tensor *at_classify_loss_of(at_classify_loss *l, at_tape *t, int shard)
{
    const at_block *x = &l->batch->source;
    int at = l->shards.first[shard], B = l->shards.first[shard + 1] - at;
    bool training = at_tape_mode(t) == ATTEND_TRAIN;
    at_inputs in = {.ids = {SHAPE(B, x->T), x->ids + (size_t)at * (size_t)x->T},
                    .lengths = x->lengths + at};
    if (l->batch->segments)
        in.segments = l->batch->segments + (size_t)at * (size_t)x->T;
    at_classified c = l->model->kind->classify(t, l->model, &in, false);
    if (!training && !at_failed(t))
        note(l, c.logits, l->batch->labels + at);
    return at_cross_entropy(t, c.logits, (at_ids){SHAPE(B), l->batch->labels + at},
                            (at_cross_entropy_options){.smoothing = training ? l->smoothing : 0,
                                                       .ignore = -1,
                                                       .divisor = (real)x->B});
}
