/* Pointing, from sequences of items and the places to point to.
 *
 *     loss = - 1/N sum log p(place_t | places before)      over the N places of all targets
 *
 * A sequence is right where the likeliest place is right at every step: then pointing greedily,
 * which sees its own places, goes the same way. */
#include <string.h>

#include "attention/output.h"
#include "base/memory.h"
#include "data/pointer_examples.h"
#include "data/split.h"
#include "train/run_parts.h"

typedef struct {
    at_pointer_examples *items[2]; /* to train on, to validate with */
    const at_batch *batch;
    real *features;     /* [B,S,F] of the batch, scaled */
    int *before;        /* [B,T]: the places before each step */
    size_t seen, right; /* of the last validation: sequences, and those with no place wrong */
} state;

static state *state_of(const at_run *r) { return r->task_state; }

/* ---- before the first step ------------------------------------------------------------------- */

/* how items are measured: by the data, or as another model, or this run before, did */
static attend_status measure(at_run *r, attend_error *err)
{
    state *t = state_of(r);
    at_model *m = r->model;
    int width = at_pointer_examples_width(t->items[0]), before = m->width;
    if (width > ATTEND_ITEM_WIDTH_MAX || (before && before != width))
        return at_error(err, ATTEND_FORMAT, "%s: items have %d numbers; %d are wanted%s",
                        at_corpus_file(r->corpus, 0), width,
                        before ? before : ATTEND_ITEM_WIDTH_MAX, before ? "" : " at most");
    m->width = width;
    attend_status status = before ? ATTEND_OK : at_model_scaling(m, err);
    if (status < 0)
        return status;
    if (!before)
        at_pointer_examples_spread(t->items[0], m->mean, m->spread);
    status = at_model_describe(m, err);
    for (int i = 0; i < 2 && status >= 0; i++)
        status = m->kind->points->check_items(
            m, (size_t)at_pointer_examples_max_length(t->items[i]), err);
    return status;
}

static attend_status read_items(at_run *r, attend_error *err)
{
    at_pointer_examples **items = state_of(r)->items;
    attend_status status = at_pointer_examples_new(r->corpus, r->part, ATTEND_PART_TRAIN, &items[0],
                                                   err);
    if (status < 0)
        return status;
    status = r->valid
                 ? at_pointer_examples_new(r->valid, NULL, 0, &items[1], err)
                 : at_pointer_examples_new(r->corpus, r->part, ATTEND_PART_VALID, &items[1], err);
    if (status < 0 || at_pointer_examples_size(items[1]) == 0
        || at_pointer_examples_width(items[1]) == at_pointer_examples_width(items[0]))
        return status;
    return at_error(err, ATTEND_FORMAT,
                    "items to validate with have %d numbers, those to train on %d",
                    at_pointer_examples_width(items[1]), at_pointer_examples_width(items[0]));
}

static attend_status prepare(at_run *r, attend_error *err)
{
    state *t = state_of(r);
    attend_status status = read_items(r, err);
    if (status >= 0)
        status = measure(r, err);
    if (status < 0)
        return status;
    for (int i = 0; i < 2; i++)
        r->supply[i] = at_pointer_examples_supply(t->items[i]);
    r->valid_batch = 256;
    at_run_say(r, "%zu sequences to learn from, %zu to validate with, items of %d number%s",
               at_pointer_examples_size(t->items[0]), at_pointer_examples_size(t->items[1]),
               r->model->width, r->model->width == 1 ? "" : "s");
    return ATTEND_OK;
}

/* ---- batches ------------------------------------------------------------------------------- */

/* the numbers of the batch's items; zeros as padding */
static void fill_features(const at_run *r, const at_pointer_examples *items)
{
    state *t = state_of(r);
    const at_block *x = &t->batch->source;
    size_t F = (size_t)r->model->width, n = (size_t)x->B * (size_t)x->T;
    for (size_t i = 0; i < n; i++)
        if (x->ids[i] >= 0)
            at_model_scale(r->model, at_pointer_examples_at(items, x->ids[i]), t->features + i * F);
        else
            memset(t->features + i * F, 0, F * sizeof *t->features);
}

static attend_status take(at_run *r, const at_batch *batch, int shards, attend_error *err)
{
    state *t = state_of(r);
    const at_block *x = &batch->source, *y = &batch->target;
    size_t n = (size_t)x->B * (size_t)x->T * (size_t)r->model->width;
    t->batch = batch;
    t->features = at_arena_alloc(&r->memory, n * sizeof *t->features);
    t->before = at_arena_alloc(&r->memory, (size_t)y->B * (size_t)y->T * sizeof *t->before);
    if (!t->features || !t->before)
        return at_error_memory(err);
    fill_features(r, t->items[r->validating]);
    for (int i = 0; i < y->B * y->T; i++)
        t->before[i] = i % y->T > 0 && y->ids[i - 1] > 0 ? y->ids[i - 1] : 0;
    if (batch->index == 0)
        t->seen = t->right = 0;
    r->shards = at_shards_cut(x->B, shards);
    r->n_targets = 0;
    for (int b = 0; b < y->B; b++)
        r->n_targets += y->lengths[b];
    return ATTEND_OK;
}

static bool all_right(const real *p, const int *places, int T, int choices)
{
    for (int i = 0; i < T && places[i] >= 0; i++, p += choices) {
        int best = 0;
        for (int k = 1; k < choices; k++)
            best = p[k] > p[best] ? k : best;
        if (best != places[i])
            return false;
    }
    return true;
}

static void note(state *t, const at_tensor *p, const int *places)
{
    int T = p->shape.dim[1], K = p->shape.dim[2];
    for (int b = 0; b < p->shape.dim[0]; b++, t->seen++)
        t->right += all_right(p->value + (size_t)b * (size_t)T * (size_t)K, places + b * T, T, K);
}

static at_tensor *loss(void *run, at_tape *tape, int shard)
{
    const at_run *r = run;
    state *t = state_of(r);
    const at_block *x = &t->batch->source, *y = &t->batch->target;
    int at = r->shards.first[shard], B = r->shards.first[shard + 1] - at, F = r->model->width;
    const real *features = t->features + (size_t)at * (size_t)x->T * (size_t)F;
    at_ids before = {SHAPE(B, y->T), t->before + (size_t)at * (size_t)y->T};
    at_ids places = {SHAPE(B, y->T), y->ids + (size_t)at * (size_t)y->T};
    at_tensor *items = at_input(tape, SHAPE(B, x->T, F), features);
    const at_points *points = r->model->kind->points;
    void *p = points->read(tape, r->model, items, x->lengths + at);
    at_tensor *pointed = points->point(tape, r->model, p, before);
    if (at_tape_mode(tape) != ATTEND_TRAIN && !at_failed(tape))
        note(t, pointed, places.id);
    at_tensor *nll = at_sum(tape, at_likelihood(tape, pointed, places, -1));
    return at_scale(tape, nll, (real)(1 / (r->n_targets > 0 ? r->n_targets : 1)));
}

static attend_status validate(at_run *r, at_metrics *metrics, attend_error *err)
{
    const state *t = state_of(r);
    double percent = t->seen ? 100 * (double)t->right / (double)t->seen : 0;
    (void)err;
    at_metrics_add(metrics,
                   (attend_metric){"exact", "sequences all right, %", percent, .falls = 0});
    return ATTEND_OK;
}

static void free_state(at_run *r)
{
    at_pointer_examples_free(state_of(r)->items[0]);
    at_pointer_examples_free(state_of(r)->items[1]);
}

const at_task at_task_point = {
    .name = "point",
    .can = ATTEND_CAN_POINT,
    .metrics = "exact loss",
    .use = {"point", " < FILE"},
    .unit = "places",
    .whole = true,
    .needs = ATTEND_HAS_TARGET,
    .lacking = "no pairs; a line has items, a tab, and those to point to: 3 1 2<tab>1 2 3",
    .state_size = sizeof(state),
    .prepare = prepare,
    .take = take,
    .loss = loss,
    .validate = validate,
    .free = free_state,
};
