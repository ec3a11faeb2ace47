#include "train/masked_loss.h"

#include <string.h>

/* ---- batches ------------------------------------------------------------------------------- */

static int count_targets(const int *targets, size_t n)
{
    int count = 0;
    for (size_t i = 0; i < n; i++)
        count += targets[i] != ATTEND_NO_TARGET;
    return count;
}

attend_status at_masked_loss_take(at_masked_loss *l, const at_batch *batch, int shards,
                                  at_arena *arena, attend_error *err)
{
    size_t n = (size_t)batch->source.B * (size_t)batch->source.T;
    l->batch = *batch;
    l->shards = at_shards_cut(batch->source.B, shards);
    attend_status status = at_mask_tokens(&l->batch, &l->masking, arena, &l->targets, err);
    l->count = status < 0 ? 0 : count_targets(l->targets, n);
    return status;
}

/* ---- the loss of a shard ------------------------------------------------------------------- */

/* masked tokens of a shard: where they are in [B*T], and what they are */
typedef struct {
    int count, *at, *target;
} chosen;

/* At least one row, so that products have something to do: it is ignored where nothing is masked.
 */
static bool choose(const at_masked_loss *l, at_tape *t, int from, int to, chosen *c)
{
    size_t T = (size_t)l->batch.source.T, n = (size_t)(to - from) * T;
    const int *targets = l->targets + (size_t)from * T;
    size_t room = (size_t)count_targets(targets, n) + 1;
    *c = (chosen){.at = at_scratch(t, room * sizeof *c->at),
                  .target = at_scratch(t, room * sizeof *c->target)};
    if (at_failed(t))
        return false;
    for (size_t i = 0; i < n; i++)
        if (targets[i] != ATTEND_NO_TARGET) {
            c->at[c->count] = (int)i;
            c->target[c->count++] = targets[i];
        }
    if (c->count == 0) {
        c->at[0] = 0;
        c->target[c->count++] = ATTEND_NO_TARGET;
    }
    return true;
}

static int likeliest(const real *row, int n)
{
    int best = 0;
    for (int k = 1; k < n; k++)
        best = row[k] > row[best] ? k : best;
    return best;
}

static size_t count_right(const at_tensor *logits, const int *targets)
{
    size_t right = 0;
    int K = logits->shape.dim[1];
    for (int i = 0; i < logits->shape.dim[0]; i++)
        right += targets[i] == likeliest(logits->value + (size_t)i * (size_t)K, K);
    return right;
}

/* the masked tokens of rows [from, to) */
static at_tensor *tokens_loss(at_masked_loss *l, at_tape *t, at_tensor *states, int from, int to)
{
    const at_encodes *e = l->model->kind->encodes;
    chosen c;
    if (!choose(l, t, from, to, &c))
        return at_poison(t);
    int D = states->shape.dim[2], rows = states->shape.dim[0] * states->shape.dim[1];
    at_ids targets = {SHAPE(c.count), c.target};
    at_cross_entropy_options o = {.ignore = ATTEND_NO_TARGET,
                                  .divisor = (real)(l->count ? l->count : 1)};
    at_tensor *x = at_take(t, at_reshape(t, states, SHAPE(rows, D)),
                           (at_ids){SHAPE(c.count), c.at});
    if (at_tape_mode(t) == ATTEND_TRAIN)
        return e->tokens_loss(t, l->model, x, targets, o);
    at_tensor *logits = e->tokens(t, l->model, x), *y = at_cross_entropy(t, logits, targets, o);
    if (!at_failed(t) && c.target[0] != ATTEND_NO_TARGET) {
        l->right += count_right(logits, c.target);
        l->tokens += (size_t)c.count;
        l->nll += (double)y->value[0] * l->count;
    }
    return y;
}

static at_tensor *pairs_loss(at_masked_loss *l, at_tape *t, at_tensor *states, int from)
{
    at_tensor *logits = l->model->kind->encodes->next(t, l->model, states);
    if (at_failed(t))
        return at_poison(t);
    const int *labels = l->batch.labels + from;
    int B = states->shape.dim[0];
    if (at_tape_mode(t) != ATTEND_TRAIN) {
        l->pairs_right += count_right(logits, labels);
        l->pair_count += (size_t)B;
    }
    return at_cross_entropy(
        t, logits, (at_ids){SHAPE(B), labels},
        (at_cross_entropy_options){.ignore = ATTEND_NO_TARGET, .divisor = (real)l->batch.source.B});
}

at_tensor *at_masked_loss_of(at_masked_loss *l, at_tape *t, int shard)
{
    const at_block *x = &l->batch.source;
    int from = l->shards.first[shard], to = l->shards.first[shard + 1], B = to - from;
    size_t first = (size_t)from * (size_t)x->T;
    at_inputs in = {.ids = {SHAPE(B, x->T), x->ids + first},
                    .segments = l->batch.segments ? l->batch.segments + first : NULL,
                    .lengths = x->lengths + from};
    at_tensor *states = l->model->kind->encodes->encode(t, l->model, &in);
    if (at_failed(t))
        return at_poison(t);
    at_tensor *y = tokens_loss(l, t, states, from, to);
    return l->pairs ? at_add(t, y, pairs_loss(l, t, states, from)) : y;
}

void at_masked_loss_clear(at_masked_loss *l)
{
    l->nll = 0;
    l->tokens = l->right = l->pair_count = l->pairs_right = 0;
}

/* ---- what is seen -------------------------------------------------------------------------- */

void at_masked_loss_show(const at_masked_loss *l, int row, at_str *out)
{
    const at_vocab *words = l->masking.tokenizer->vocab;
    size_t at = (size_t)row * (size_t)l->batch.source.T;
    for (int i = 0; i < l->batch.source.lengths[row]; i++) {
        int target = l->targets[at + (size_t)i];
        at_str_print(out, "%s%s", i ? " " : "",
                     at_vocab_text(words, l->batch.source.ids[at + (size_t)i], NULL));
        if (target != ATTEND_NO_TARGET)
            at_str_print(out, "(%s)", at_vocab_text(words, target, NULL));
    }
    if (l->pairs)
        at_str_print(out, "  label: %s", l->batch.labels[row] ? "another text" : "next");
}
