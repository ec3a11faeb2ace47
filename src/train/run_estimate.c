/* How much memory a run will take, said before its first step: one shard of the longest batch there
 * can be is tried.
 *
 *     weights + optimiser + shards (gradients + activations)
 *
 * The trial makes the parameters, in the order in which the first step would, and nothing else.
 * From these sizes follows the number of shards of a new run, where the settings leave it open. */
#include <stdio.h>
#include <unistd.h>

#include "base/memory.h"
#include "train/run_parts.h"

/* numbers that the optimiser keeps for each parameter */
static int states_of(const at_run_settings *s)
{
    at_optim_options o;
    int count = 0;
    if (at_optim_options_parse(&o, s->optimizer, NULL) < 0)
        return 0;
    for (int i = 0; i < ATTEND_OPTIM_STATES && o.optimiser->state[i]; i++)
        count += !o.optimiser->keeps || o.optimiser->keeps(&o, i);
    return count;
}

typedef struct {
    size_t items;
    const uint32_t *a, *b; /* lengths of both sides; b may be NULL */
} lengths;

static size_t length_of(const lengths *l, size_t i)
{
    return (size_t)l->a[i] + (l->b ? l->b[i] : 0);
}

/* how many sentences the longest batch has: as many as the limits on a batch let */
static size_t rows_of(const at_run_settings *s, const lengths *l, size_t *longest)
{
    size_t side = 1, rows = at_run_batch(s) < l->items ? at_run_batch(s) : l->items;
    for (size_t i = 0; i < l->items; i++) {
        size_t b = l->b ? l->b[i] : 0, larger = l->a[i] > b ? l->a[i] : b;
        side = larger > side ? larger : side;
        *longest = length_of(l, i) > *longest ? length_of(l, i) : *longest;
    }
    size_t limit = s->batch_tokens ? (size_t)s->batch_tokens / side : rows;
    return limit < 1 ? 1 : limit < rows ? limit : rows;
}

/* the longest sentences, so many, in their order */
static uint32_t *longest_items(const lengths *l, size_t rows, size_t longest)
{
    size_t *count = at_alloc_zero(longest + 1, sizeof *count), above = 0, bound = longest, n = 0;
    uint32_t *item = at_alloc(rows * sizeof *item);
    for (size_t i = 0; count && i < l->items; i++)
        count[length_of(l, i)]++;
    while (count && bound > 0 && (above += count[bound]) < rows)
        bound--;
    for (size_t i = 0; count && item && i < l->items && n < rows; i++)
        if (length_of(l, i) >= bound)
            item[n++] = (uint32_t)i;
    at_free(count);
    if (n < rows) {
        at_free(item);
        return NULL;
    }
    return item;
}

/* the batch that takes most */
static attend_status longest_batch(at_run *r, at_batch *batch, attend_error *err)
{
    const at_supply *s = &r->supply[0];
    lengths l;
    size_t longest = 1;
    attend_status status = s->epoch(s->self, 0, &l.items, &l.a, &l.b, err);
    if (status < 0)
        return status;
    size_t rows = rows_of(&r->settings, &l, &longest);
    uint32_t *item = longest_items(&l, rows, longest);
    status = item ? s->make(s->self, item, rows, &r->memory, batch, err) : at_error_memory(err);
    at_free(item);
    return status;
}

/* bytes that one of its shards needs on its tape */
static attend_status try_shard(at_run *r, const at_batch *batch, double *bytes, attend_error *err)
{
    at_tape *t = at_tape_new(r->params, ATTEND_TRAIN);
    r->estimating = true;
    attend_status status = t ? r->task->take(r, batch, r->state.shards, err) : at_error_memory(err);
    if (status >= 0) {
        at_tape_keep_values(t);
        at_tape_seed(t, r->settings.seed, 0, 0);
        at_backward(t, r->task->loss(r, t, 0));
        *bytes = (double)at_tape_used(t);
        status = at_tape_status(t, err);
    }
    r->estimating = false;
    if (t)
        at_tape_free(t);
    return status;
}

/* bytes of a batch's own numbers, where the model reads vectors and writes text */
static double numbers_of(const at_run *r, const at_batch *batch)
{
    double vectors = (double)batch->source.B * batch->source.T;
    return r->model->target ? vectors * r->model->width * sizeof(real) : 0;
}

typedef struct {
    char text[16];
} amount;

/* in MB, with digits that say something */
static amount megabytes(double bytes)
{
    amount a;
    double mb = bytes / (1 << 20);
    snprintf(a.text, sizeof a.text, mb < 10 ? "%.2g" : "%.0f", mb);
    return a;
}

/* the number of shards, where neither settings nor a checkpoint have it */
static void choose_shards(at_run *r, double weights, double activations)
{
    if (r->settings.shards || r->settings.resume)
        return;
    int several = r->state.shards;
    r->state.shards = at_shards_usual(several, weights, activations);
    if (r->state.shards == 1 && several > 1)
        at_run_say(r,
                   "one shard for all %d threads: the gradients of others would take more memory "
                   "than the activations; --shards %d makes others",
                   several, several);
}

static void say(at_run *r, double weights, double activations)
{
    int shards = r->state.shards < r->shards.count ? r->state.shards : r->shards.count;
    double gradients = weights * shards, optimiser = weights * states_of(&r->settings);
    double all = weights + gradients + optimiser + activations, mb = 1 << 20;
    double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (all < mb)
        at_run_say(r, "%zu parameters; less than 1 MB of memory", at_params_len(r->params));
    else
        at_run_say(r,
                   "%zu parameters; about %s MB of memory: weights %s, gradients %s, optimiser %s, "
                   "activations up to %s",
                   at_params_len(r->params), megabytes(all).text, megabytes(weights).text,
                   megabytes(gradients).text, megabytes(optimiser).text,
                   megabytes(activations).text);
    if (there > 0 && all > there)
        at_run_say(r,
                   "this machine has only %.0f MB: take a smaller --batch or --hidden, or "
                   "--batch-tokens",
                   there / mb);
}

attend_status at_run_estimate(at_run *r, attend_error *err)
{
    at_batch batch;
    double bytes = 0;
    at_arena_reset(&r->memory);
    attend_status status = longest_batch(r, &batch, err);
    if (status >= 0)
        status = try_shard(r, &batch, &bytes, err);
    if (status < 0)
        return status;
    double weights = (double)at_params_len(r->params) * sizeof(real);
    double own = bytes > weights ? bytes - weights : 0;
    double activations = numbers_of(r, &batch) + own * r->shards.count;
    choose_shards(r, weights, activations);
    say(r, weights, activations);
    at_arena_reset(&r->memory);
    return ATTEND_OK;
}
