#include "train/translation.h"

#include "attention/output.h"
#include "train/own_words.h"

bool at_translation_take(at_translation *l, const at_batch *batch, int shards, at_arena *arena)
{
    const at_block *y = &batch->target;
    int steps = y->T - 1;
    size_t n = (size_t)y->B * (size_t)(steps > 0 ? steps : 0);
    l->batch = batch;
    l->links = NULL;
    l->steps = steps;
    l->asked = 0;
    l->words = at_arena_alloc(arena, n * sizeof *l->words);
    l->targets = at_arena_alloc(arena, n * sizeof *l->targets);
    if (!l->words || !l->targets)
        return false;
    for (int b = 0; b < y->B; b++)
        for (int t = 0; t < steps; t++) {
            const int *id = y->ids + (size_t)b * (size_t)y->T + t;
            bool asked = t + 1 < y->lengths[b];
            l->words[b * steps + t] = id[0];
            l->targets[b * steps + t] = asked ? id[1] : -1;
            l->asked += asked;
        }
    l->extra = 0;
    for (int b = 0; batch->extra && b < y->B; b++)
        l->extra = batch->extra[b] > l->extra ? batch->extra[b] : l->extra;
    l->shards = at_shards_cut(y->B, shards);
    return true;
}

/* ---- the rows that count -------------------------------------------------------------------- */

static at_tensor *some_rows(at_tape *t, at_tensor *x, size_t rows, at_ids from)
{
    if (at_failed(t))
        return at_poison(t);
    at_tensor *flat = at_reshape(t, x, SHAPE((int)rows, at_shape_last(x->shape)));
    return from.shape.dim[0] == (int)rows ? flat : at_embedding(t, flat, from);
}

/* Features, what there is for copying, and targets without the padding: the output layer is the
 * dearest. */
static at_tensor *asked_rows(at_tape *t, at_tensor *features, at_mixed_with *copying,
                             at_ids *targets)
{
    size_t rows, n = 0;
    if (at_failed(t) || !at_shape_len(targets->shape, &rows))
        return at_poison(t);
    int *from = at_scratch(t, rows * sizeof *from), *to = at_scratch(t, rows * sizeof *to);
    if (!from || !to)
        return at_poison(t);
    for (size_t i = 0; i < rows; i++)
        if (targets->id[i] >= 0) {
            from[n] = (int)i;
            to[n++] = targets->id[i];
        }
    *targets = (at_ids){SHAPE((int)n), to};
    at_ids which = {SHAPE((int)n), from};
    if (copying->gate) {
        copying->gate = some_rows(t, copying->gate, rows, which);
        copying->other = some_rows(t, copying->other, rows, which);
    }
    return some_rows(t, features, rows, which);
}

/* ---- what can be copied --------------------------------------------------------------------- */

static bool copies(const at_translation *l) { return l->model->output == &at_output_copy; }

static at_ids copied(const at_translation *l, int at, int B)
{
    int S = l->batch->source.T;
    return (at_ids){SHAPE(B, S), l->batch->copied + (size_t)at * (size_t)S};
}

static at_mixed_with copying(const at_translation *l, at_tape *t, const at_decoded *d, int at,
                             at_ids targets)
{
    if (!copies(l) || at_failed(t))
        return (at_mixed_with){.gate = NULL};
    at_ids from = copied(l, at, targets.shape.dim[0]);
    at_tensor *other = at_seq2seq_copied(t, l->model, d, from, targets);
    return (at_mixed_with){.gate = d->gate, .other = at_reshape(t, other, d->gate->shape)};
}

static at_tensor *loss_of(const at_translation *l, at_tape *t, at_tensor *features,
                          at_mixed_with with, at_ids targets, at_cross_entropy_options o)
{
    return with.gate ? at_seq2seq_copy_loss(t, l->model, features, with, targets, o)
                     : at_seq2seq_loss(t, l->model, features, targets, o);
}

/* ---- hard attention ------------------------------------------------------------------------- */

/* the loss of the words; nll receives that of each */
static at_tensor *words_loss(const at_translation *l, at_tape *t, const at_decoded *d,
                             at_mixed_with with, at_ids targets, at_cross_entropy_options options,
                             size_t rows, real *nll)
{
    with.nll = nll;
    if (with.gate)
        return loss_of(l, t, d->features, with, targets, options);
    at_tensor *logits = at_seq2seq_logits(t, l->model, d->features);
    at_tensor *log_p = at_log_softmax(t, logits);
    size_t V = (size_t)l->model->target_vocabulary;
    for (size_t i = 0; i < rows && !at_failed(t); i++)
        nll[i] = targets.id[i] < 0 ? 0 : -log_p->value[i * V + (size_t)targets.id[i]];
    return at_cross_entropy(t, logits, targets, options);
}

/* Are places drawn that only a reward can teach? Straight through, the words' loss teaches them. */
static bool needs_reward(const at_translation *l, const at_decoded *d)
{
    return d->log_p && at_how_needs_reward(&l->model->attention);
}

/* the word's own loss and what the drawn places add to it */
static at_tensor *hard_loss(at_translation *l, at_tape *t, const at_decoded *d, at_mixed_with with,
                            at_ids targets, at_cross_entropy_options options, int shard)
{
    size_t rows;
    if (at_failed(t) || !at_shape_len(targets.shape, &rows))
        return at_poison(t);
    real *nll = at_scratch_reals(t, rows);
    int B = targets.shape.dim[0], T = targets.shape.dim[1];
    int *lengths = at_scratch(t, (size_t)B * sizeof *lengths);
    if (!nll || !lengths)
        return at_poison(t);
    l->nll[shard] = 0;
    at_tensor *words = words_loss(l, t, d, with, targets, options, rows, nll);
    for (size_t i = 0; i < rows && !at_failed(t); i++)
        l->nll[shard] += (double)nll[i];
    for (int b = 0; b < B; b++) {
        lengths[b] = 0;
        for (int i = 0; i < T; i++)
            lengths[b] += targets.id[b * T + i] >= 0;
    }
    at_reinforce_options o = {.entropy = (real)0.01, .weight = 1 / options.divisor};
    return at_add(t, words, at_reinforce(t, d->log_p, d->entropy, nll, lengths, l->baseline, o));
}

double at_translation_done(at_translation *l, double objective)
{
    double nll = 0;
    for (int i = 0; i < l->shards.count; i++)
        nll += l->nll[i];
    if (!(nll > 0))
        return objective;
    at_baseline_update(l->baseline, nll, (double)l->asked);
    return nll / (double)l->asked;
}

/* ---- what the decoder is fed ---------------------------------------------------------------- */

static at_source encode(const at_translation *l, at_tape *t, int at, int B)
{
    const at_block *x = &l->batch->source;
    size_t F = (size_t)l->model->source_features;
    if (F)
        return at_seq2seq_encode_features(
            t, l->model,
            at_input(t, SHAPE(B, x->T, (int)F), l->features + (size_t)at * (size_t)x->T * F),
            x->lengths + at);
    return at_seq2seq_encode(
        t, l->model, (at_ids){SHAPE(B, x->T), x->ids + (size_t)at * (size_t)x->T}, x->lengths + at);
}

/* Replaces some of the words by the model's own; the draw is one of the tape's. */
static void mix_words(at_translation *l, at_tape *t, int shard, int at, int B)
{
    at_own_options o = {.right = l->forcing, .place = at_tape_random(t)};
    at_tape **own = &l->own[shard];
    size_t first = (size_t)at * (size_t)l->steps;
    if (!*own && !(*own = at_tape_new(at_tape_params(t), ATTEND_INFER))) {
        at_fail_memory(t);
        return;
    }
    at_tape_reset(*own);
    at_source source = encode(l, *own, at, B);
    at_copies all = {.most = l->extra};
    if (copies(l)) {
        all.source = copied(l, at, B);
        all.extra = l->batch->extra + at;
        o.copies = &all;
    }
    at_own_words(*own, l->model, &source, B, l->steps, l->words + first, l->targets + first, o);
    if (at_failed(*own))
        at_fail_with(t, at_tape_error(*own));
}

void at_translation_free(at_translation *l)
{
    for (int i = 0; i < ATTEND_SHARDS_MOST; i++)
        if (l->own[i])
            at_tape_free(l->own[i]);
}

/* ---- where attention should be -------------------------------------------------------------- */

static at_tensor *guided(const at_translation *l, at_tape *t, const at_decoded *d, at_tensor *loss,
                         int at, real divisor)
{
    at_tensor *w = at_output_point(t, d->weights);
    if (at_failed(t))
        return at_poison(t);
    size_t each = (size_t)l->steps * (size_t)l->batch->source.T;
    at_tensor *far = at_alignment(t, w, l->links + (size_t)at * each, divisor);
    return at_add(t, loss, at_scale(t, far, l->guidance));
}

/* ---- the loss ------------------------------------------------------------------------------- */

at_tensor *at_translation_loss(void *translation, at_tape *t, int shard)
{
    at_translation *l = translation;
    int at = l->shards.first[shard], B = l->shards.first[shard + 1] - at, T = l->steps;
    bool training = at_tape_mode(t) == ATTEND_TRAIN;
    if (training && l->forcing < 1)
        mix_words(l, t, shard, at, B);
    at_source source = encode(l, t, at, B);
    at_decoder state = at_seq2seq_start(l->model, &source);
    at_ids words = {SHAPE(B, T), l->words + (size_t)at * (size_t)T};
    at_ids targets = {SHAPE(B, T), l->targets + (size_t)at * (size_t)T};
    bool guides = training && l->links;
    at_decoded d = at_seq2seq_decode(t, l->model, &source, &state, words, guides);
    at_cross_entropy_options o = {.smoothing = training ? l->smoothing : 0,
                                  .ignore = -1,
                                  .divisor = (real)(l->asked ? l->asked : 1)};
    at_mixed_with with = copying(l, t, &d, at, targets);
    if (training && needs_reward(l, &d))
        return hard_loss(l, t, &d, with, targets, o, shard);
    l->nll[shard] = 0;
    at_tensor *features = asked_rows(t, d.features, &with, &targets);
    at_tensor *loss = loss_of(l, t, features, with, targets, o);
    return guides ? guided(l, t, &d, loss, at, o.divisor) : loss;
}
