#include "train/permuted_loss.h"

#include <stdio.h>

#include "base/memory.h"
#include "data/masking.h"

static const at_permutes *permutes_of(const at_permuted_loss *l)
{
    return l->model->kind->permutes;
}

static bool causal(const at_permuted_loss *l) { return permutes_of(l)->causal(l->model); }

/* ---- memory --------------------------------------------------------------------------------- */

/* numbers of a layer */
static size_t layer_size(const at_permuted_loss *l)
{
    const at_model *m = l->model;
    return (size_t)l->memory->B * (size_t)m->kind->permutes->memory(m)
           * (size_t)m->kind->encodes->width(m);
}

bool at_permuted_memory_make(at_permuted_memory *m, const at_model *model, int B, int stride)
{
    size_t row = (size_t)model->kind->permutes->memory(model)
                 * (size_t)model->kind->encodes->width(model);
    size_t n = (size_t)model->kind->encodes->layers(model) * (size_t)B * row;
    *m = (at_permuted_memory){.B = B, .stride = stride};
    for (int i = 0; i < 2; i++)
        m->states[i] = at_alloc_zero(n, sizeof(real));
    return m->states[0] && m->states[1];
}

void at_permuted_memory_free(at_permuted_memory *m)
{
    at_free(m->states[0]);
    at_free(m->states[1]);
}

/* How many states of each row count: those of its document that were read in this epoch. */
static void count_remembered(at_permuted_loss *l)
{
    int M = permutes_of(l)->memory(l->model);
    size_t read = l->batch.index * (size_t)l->memory->stride;
    for (int b = 0; b < l->batch.source.B; b++) {
        int known = l->batch.history[b];
        int most = read < (size_t)M ? (int)read : M;
        l->remembered[b] = known < most ? known : most;
    }
}

/* ---- batches -------------------------------------------------------------------------------- */

static void reverse(int *x, int n)
{
    for (int i = 0; i < n / 2; i++) {
        int other = x[i];
        x[i] = x[n - 1 - i];
        x[n - 1 - i] = other;
    }
}

/* segments as a model has them that was trained on pairs: 0 and 1, and 2 of a whole text's token */
static void set_segments(at_permuted_loss *l)
{
    const at_block *x = &l->batch.source;
    int cls = l->model->source->special[ATTEND_SPECIAL_CLS];
    for (int i = 0; i < x->B * x->T; i++)
        l->segments[i] = cls >= 0 && x->ids[i] == cls ? 2
                         : l->batch.segments          ? l->batch.segments[i]
                                                      : 0;
}

static void turn_around(at_permuted_loss *l)
{
    at_block *x = &l->batch.source;
    for (int b = 0; b < x->B; b++) {
        l->directions[b] = l->backwards && b >= x->B - x->B / 2;
        size_t first = (size_t)b * (size_t)x->T;
        if (!l->directions[b])
            continue;
        reverse(x->ids + first, x->lengths[b]);
        reverse(l->segments + first, x->lengths[b]);
    }
}

/* the token after each; after the last one that of the text, where it is known */
static attend_status follow(at_permuted_loss *l, at_arena *arena, attend_error *err)
{
    const at_block *x = &l->batch.source, *next = &l->batch.target;
    int *targets = at_arena_alloc(arena, (size_t)x->B * (size_t)x->T * sizeof *targets);
    if (!targets)
        return at_error_memory(err);
    l->order = (at_permutation){.B = x->B, .T = x->T, .P = x->T, .targets = targets};
    for (int i = 0; i < x->B * x->T; i++) {
        int b = i / x->T, at = i % x->T, last = x->lengths[b] - 1;
        bool known = next->T == x->T && !l->directions[b];
        bool second = l->permuting.second && !(at < last && l->segments[i + 1] == 1);
        targets[i] = second || at > last  ? ATTEND_NO_TARGET
                     : at < last          ? x->ids[i + 1]
                     : known && last >= 0 ? next->ids[i]
                                          : ATTEND_NO_TARGET;
        l->order.count += targets[i] != ATTEND_NO_TARGET;
    }
    return ATTEND_OK;
}

attend_status at_permuted_loss_take(at_permuted_loss *l, const at_batch *batch, int shards,
                                    at_arena *arena, attend_error *err)
{
    size_t B = (size_t)batch->source.B, T = (size_t)batch->source.T;
    l->batch = *batch;
    l->shards = at_shards_cut(batch->source.B, shards);
    l->segments = at_arena_alloc(arena, B * T * sizeof *l->segments);
    l->directions = at_arena_alloc(arena, B * sizeof *l->directions);
    l->remembered = at_arena_alloc(arena, B * sizeof *l->remembered);
    if (!l->segments || !l->directions || !l->remembered)
        return at_error_memory(err);
    set_segments(l);
    turn_around(l);
    l->batch.segments = l->segments;
    if (l->memory)
        count_remembered(l);
    return causal(l) ? follow(l, arena, err)
                     : at_permute(&l->batch, &l->permuting, arena, &l->order, err);
}

/* ---- the loss ------------------------------------------------------------------------------- */

static at_permuted input_of(const at_permuted_loss *l, int from, int rows)
{
    const at_block *x = &l->batch.source;
    const at_permutation *o = &l->order;
    size_t first = (size_t)from * (size_t)x->T;
    at_permuted in = {.ids = {SHAPE(rows, x->T), x->ids + first},
                      .lengths = x->lengths + from,
                      .segments = l->segments + first,
                      .directions = l->backwards ? l->directions + from : NULL};
    if (!causal(l)) {
        in.query_rank = o->query_rank + first;
        in.key_rank = o->key_rank + first;
        in.targets = o->positions + (size_t)from * (size_t)o->P;
        in.P = o->P;
    }
    if (!l->memory)
        return in;
    int reads = ((int)(l->batch.index & 1) + l->memory->turn) & 1;
    size_t row = layer_size(l) / (size_t)l->memory->B * (size_t)from;
    in.old = l->memory->states[reads] + row;
    in.next = l->frozen ? NULL : l->memory->states[!reads] + row;
    in.layer_size = layer_size(l);
    in.remembered = l->remembered + from;
    return in;
}

at_tensor *at_permuted_loss_of(at_permuted_loss *l, at_tape *t, int shard)
{
    int from = l->shards.first[shard], rows = l->shards.first[shard + 1] - from, P = l->order.P;
    at_permuted in = input_of(l, from, rows);
    at_tensor *features = permutes_of(l)->predict(t, l->model, &in);
    at_ids targets = {SHAPE(rows, P), l->order.targets + (size_t)from * (size_t)P};
    at_cross_entropy_options o = {.ignore = ATTEND_NO_TARGET,
                                  .divisor = l->order.count ? (real)l->order.count : 1};
    return permutes_of(l)->loss(t, l->model, features, targets, o);
}

/* ---- showing -------------------------------------------------------------------------------- */

static void show_text(const at_permuted_loss *l, int row, at_str *out)
{
    const at_block *x = &l->batch.source;
    const at_vocab *vocab = l->model->source->vocab;
    for (int i = 0; i < x->lengths[row]; i++)
        at_str_print(out, "%s%d:%s", i ? " " : "", i,
                     at_vocab_text(vocab, x->ids[row * x->T + i], NULL));
    if (l->directions[row])
        at_str_print(out, "  backwards");
    if (l->memory)
        at_str_print(out, "  remembered: %d", l->remembered[row]);
}

/* predicted positions in their order; how many */
static int in_order(const at_permutation *o, int row, int n, int *to)
{
    int count = 0;
    for (int place = 0; place < o->T; place++)
        for (int i = 0; i < n; i++)
            if (o->key_rank[row * o->T + i] == place)
                to[count++] = i;
    return count;
}

/* of those that are predicted, the ones that each position sees, which sees all others */
static void show_seen(const at_permutation *o, int row, int n, const int *order, int count,
                      at_str *out)
{
    at_str_print(out, "  also seen by:");
    for (int i = 0; i < n; i++) {
        bool predicted = o->key_rank[row * o->T + i] >= 0, any = false;
        for (int k = 0; k < count; k++) {
            if (!at_permutation_sees(o, row, i, order[k]))
                continue;
            at_str_print(out, any ? ",%d" : " %d<-%d", any ? order[k] : i, order[k]);
            any = true;
        }
        if (predicted && !any)
            at_str_print(out, " %d<-none", i);
    }
}

void at_permuted_loss_show(const at_permuted_loss *l, int row, at_str *out)
{
    const at_permutation *o = &l->order;
    int n = l->batch.source.lengths[row];
    show_text(l, row, out);
    int *order = causal(l) ? NULL : at_alloc((size_t)(n + 1) * sizeof *order);
    int count = order ? in_order(o, row, n, order) : 0;
    if (causal(l))
        at_str_print(out, "  each predicted from those before it");
    else
        at_str_print(out, "  predicted in order:");
    for (int k = 0; k < count; k++)
        at_str_print(out, " %d", order[k]);
    if (order)
        show_seen(o, row, n, order, count, out);
    at_free(order);
}
