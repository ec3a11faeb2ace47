#include "train/translate_loss.h"

#include "attention/output.h"
#include "train/scheduled_sampling.h"

bool at_translate_loss_take(at_translate_loss *l, const at_batch *batch, int shards,
                            at_arena *arena)
{
    const at_block *y = &batch->target;
    int steps = y->T - 1;
    size_t n = (size_t)y->B * (size_t)(steps > 0 ? steps : 0);
    l->batch = batch;
    l->links = NULL;
    l->steps = steps;
    l->n_targets = 0;
    l->words = at_arena_alloc(arena, n * sizeof *l->words);
    l->targets = at_arena_alloc(arena, n * sizeof *l->targets);
    if (!l->words || !l->targets)
        return false;
    for (int b = 0; b < y->B; b++)
        for (int t = 0; t < steps; t++) {
            const int *id = y->ids + (size_t)b * (size_t)y->T + t;
            bool counts = t + 1 < y->lengths[b];
            l->words[b * steps + t] = id[0];
            l->targets[b * steps + t] = counts ? id[1] : -1;
            l->n_targets += counts;
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

static bool copies(const at_translate_loss *l) { return l->model->copying; }

static const at_decodes *decodes(const at_translate_loss *l) { return l->model->kind->decodes; }

static at_ids copied(const at_translate_loss *l, int at, int B)
{
    int S = l->batch->source.T;
    return (at_ids){SHAPE(B, S), l->batch->copied + (size_t)at * (size_t)S};
}

static at_mixed_with copying(const at_translate_loss *l, at_tape *t, const at_decoded *d, int at,
                             at_ids targets)
{
    if (!copies(l) || at_failed(t))
        return (at_mixed_with){.gate = NULL};
    at_ids from = copied(l, at, targets.shape.dim[0]);
    at_tensor *other = decodes(l)->copied(t, l->model, d, from, targets);
    return (at_mixed_with){.gate = d->gate, .other = at_reshape(t, other, d->gate->shape)};
}

/* ---- hard attention ------------------------------------------------------------------------- */

/* the loss of the words; nll receives that of each */
static at_tensor *words_loss(const at_translate_loss *l, at_tape *t, const at_decoded *d,
                             at_mixed_with with, at_ids targets, at_cross_entropy_options options,
                             size_t rows, real *nll)
{
    with.nll = nll;
    if (with.gate)
        return decodes(l)->loss(t, l->model, d->features, with, targets, options);
    at_tensor *logits = decodes(l)->logits(t, l->model, d->features);
    at_tensor *log_p = at_log_softmax(t, logits);
    size_t V = (size_t)decodes(l)->vocabulary(l->model);
    for (size_t i = 0; i < rows && !at_failed(t); i++)
        nll[i] = targets.id[i] < 0 ? 0 : -log_p->value[i * V + (size_t)targets.id[i]];
    return at_cross_entropy(t, logits, targets, options);
}

/* Are places drawn that only a reward can teach? Straight through, the words' loss teaches them. */
static bool needs_reward(const at_translate_loss *l, const at_decoded *d)
{
    return d->log_p && decodes(l)->samples(l->model);
}

/* the word's own loss and what the drawn places add to it */
static at_tensor *hard_loss(at_translate_loss *l, at_tape *t, const at_decoded *d,
                            at_mixed_with with, at_ids targets, at_cross_entropy_options options,
                            int shard)
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

double at_translate_loss_done(at_translate_loss *l, double objective)
{
    double nll = 0;
    for (int i = 0; i < l->shards.count; i++)
        nll += l->nll[i];
    if (!(nll > 0))
        return objective;
    at_baseline_update(l->baseline, nll, (double)l->n_targets);
    return nll / (double)l->n_targets;
}

/* ---- what the decoder is fed ---------------------------------------------------------------- */

static void *encode(const at_translate_loss *l, at_tape *t, int at, int B)
{
    const at_block *x = &l->batch->source;
    size_t S = (size_t)x->T, F = (size_t)l->model->width, first = (size_t)at * S;
    at_inputs in = {.ids = {SHAPE(B, x->T), F ? NULL : x->ids + first},
                    .vectors = F ? l->features + first * F : NULL,
                    .lengths = x->lengths + at};
    return decodes(l)->encode(t, l->model, &in);
}

/* Replaces some of the words by the model's own; the draw is one of the tape's. */
static void mix_words(at_translate_loss *l, at_tape *t, int shard, int at, int B)
{
    at_scheduled_options o = {.right = l->forcing, .place = at_tape_random(t)};
    at_tape **own = &l->own[shard];
    size_t first = (size_t)at * (size_t)l->steps;
    if (!*own && !(*own = at_tape_new(at_tape_params(t), ATTEND_INFER))) {
        at_fail_memory(t);
        return;
    }
    at_tape_reset(*own);
    void *source = encode(l, *own, at, B);
    at_copies all = {.max = l->extra};
    if (copies(l)) {
        all.source = copied(l, at, B);
        all.extra = l->batch->extra + at;
        o.copies = &all;
    }
    at_scheduled_sampling(*own, l->model, source, B, l->steps, l->words + first, l->targets + first,
                          o);
    if (at_failed(*own))
        at_fail_with(t, at_tape_error(*own));
}

void at_translate_loss_free(at_translate_loss *l)
{
    for (int i = 0; i < ATTEND_SHARDS_MOST; i++)
        if (l->own[i])
            at_tape_free(l->own[i]);
}

/* ---- where attention should be -------------------------------------------------------------- */

/* The last layer's weights are the decoder's own: a source that is read from its end has them in
 * that order, as the links. */
static at_tensor *guided(const at_translate_loss *l, at_tape *t, const at_decoded *d,
                         const at_attention_record *record, at_tensor *loss, int at, real divisor)
{
    if (at_failed(t))
        return at_poison(t);
    at_attention_record last = {.count = 1,
                                .item = {{ATTEND_ATTENTION_CROSS, l->guided.layer, d->weights}}};
    at_tensor *w = at_attention_record_matrix(t, l->guides_last ? &last : record,
                                              ATTEND_ATTENTION_CROSS, l->guided);
    if (!w)
        return at_fail(t, "guided alignment: layer %d has no weights", l->guided.layer);
    if (at_failed(t))
        return at_poison(t);
    size_t each = (size_t)l->steps * (size_t)l->batch->source.T;
    at_tensor *far = at_alignment(t, w, l->links + (size_t)at * each, divisor);
    return at_add(t, loss, at_scale(t, far, l->guidance));
}

/* ---- the loss ------------------------------------------------------------------------------- */

at_tensor *at_translate_loss_of(void *translation, at_tape *t, int shard)
{
    at_translate_loss *l = translation;
    int at = l->shards.first[shard], B = l->shards.first[shard + 1] - at, T = l->steps;
    bool training = at_tape_mode(t) == ATTEND_TRAIN;
    if (training && l->forcing < 1)
        mix_words(l, t, shard, at, B);
    at_ids words = {SHAPE(B, T), l->words + (size_t)at * (size_t)T};
    at_ids targets = {SHAPE(B, T), l->targets + (size_t)at * (size_t)T};
    bool guides = training && l->links;
    at_attention_record record = {
        .kinds = guides ? 1u << ATTEND_ATTENTION_CROSS : 0, .layer = l->guided.layer, .head = -1};
    at_decode_input in = {
        .source = encode(l, t, at, B), .tokens = words, .width = 1, .record = &record};
    at_decoded d = decodes(l)->decode(t, l->model, &in);
    at_cross_entropy_options o = {.smoothing = training ? l->smoothing : 0,
                                  .ignore = -1,
                                  .divisor = (real)(l->n_targets ? l->n_targets : 1)};
    at_mixed_with with = copying(l, t, &d, at, targets);
    if (training && needs_reward(l, &d))
        return hard_loss(l, t, &d, with, targets, o, shard);
    l->nll[shard] = 0;
    at_tensor *features = asked_rows(t, d.features, &with, &targets);
    at_tensor *loss = decodes(l)->loss(t, l->model, features, with, targets, o);
    return guides ? guided(l, t, &d, &record, loss, at, o.divisor) : loss;
}
