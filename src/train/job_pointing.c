/* Pointer networks, from sequences of items and the places to point to.
 *
 *     loss = - 1/N sum log p(place_t | places before)      over the N places of all targets
 *
 * A sequence is right where the likeliest place is right at every step: then pointing greedily,
 * which sees its own places, goes the same way. */
#include "train/job_pointing.h"

#include <stddef.h>
#include <string.h>

#include "attention/output.h"
#include "base/memory.h"
#include "data/split.h"
#include "train/run_parts.h"

static at_pointing_task *task_of(const at_run *r) { return r->task; }

/* ---- before the first step ----------------------------------------------------------------- */

static attend_status check(const void *settings, attend_error *err)
{
    at_pointer any;
    return at_pointer_model(settings, 1, &any, err);
}

static attend_status open(void *of_run, const char *folder, attend_error *err)
{
    at_pointing_task *t = of_run;
    return at_pointer_folder_open(folder, &t->folder, err);
}

/* how items are measured: by the data, or as another model, or this run before, did */
static attend_status measure(at_run *r, attend_error *err)
{
    at_pointing_task *t = task_of(r);
    at_pointer_folder *f = &t->folder;
    int width = at_items_width(t->items[0]), before = f->model.width;
    if (width > ATTEND_ITEM_WIDTH_MOST || (before && before != width))
        return at_error(err, ATTEND_FORMAT, "%s: items have %d numbers; %d are wanted%s",
                        at_corpus_file(r->corpus, 0), width,
                        before ? before : ATTEND_ITEM_WIDTH_MOST, before ? "" : " at most");
    if (!before)
        at_items_spread(t->items[0], f->mean, f->spread);
    attend_status status = at_pointer_model(&f->settings, width, &f->model, err);
    for (int i = 0; i < 2 && status >= 0; i++)
        status = at_pointer_check_items(&f->model, (size_t)at_items_longest(t->items[i]), err);
    return status;
}

static attend_status prepare(at_run *r, attend_error *err)
{
    at_pointing_task *t = task_of(r);
    attend_status status = at_items_new(r->corpus, r->part, ATTEND_PART_TRAIN, &t->items[0], err);
    if (status >= 0)
        status = r->valid ? at_items_new(r->valid, NULL, 0, &t->items[1], err)
                          : at_items_new(r->corpus, r->part, ATTEND_PART_VALID, &t->items[1], err);
    if (status >= 0 && at_items_size(t->items[1]) > 0
        && at_items_width(t->items[1]) != at_items_width(t->items[0]))
        status = at_error(err, ATTEND_FORMAT,
                          "items to validate with have %d numbers, those to train on %d",
                          at_items_width(t->items[1]), at_items_width(t->items[0]));
    if (status >= 0)
        status = measure(r, err);
    if (status < 0)
        return status;
    for (int i = 0; i < 2; i++)
        r->supply[i] = at_items_supply(t->items[i]);
    r->valid_batch = 256;
    at_run_say(r, "%zu sequences to learn from, %zu to validate with, items of %d number%s",
               at_items_size(t->items[0]), at_items_size(t->items[1]), t->folder.model.width,
               t->folder.model.width == 1 ? "" : "s");
    return ATTEND_OK;
}

static attend_status weights(void *of_run, const char *folder, attend_error *err)
{
    at_pointing_task *t = of_run;
    return at_pointer_folder_weights(&t->folder, folder, err);
}

static attend_status save(at_run *r, attend_error *err)
{
    return at_pointer_folder_save(r->settings.out, &task_of(r)->folder, err);
}

/* ---- batches ------------------------------------------------------------------------------- */

/* the numbers of the batch's items; zeros as padding */
static void fill_features(at_pointing_task *t, const at_items *items)
{
    const at_block *x = &t->batch->source;
    size_t F = (size_t)t->folder.model.width, n = (size_t)x->B * (size_t)x->T;
    for (size_t i = 0; i < n; i++)
        if (x->ids[i] >= 0)
            at_pointer_folder_scale(&t->folder, at_items_at(items, x->ids[i]), t->features + i * F);
        else
            memset(t->features + i * F, 0, F * sizeof *t->features);
}

static attend_status take(at_run *r, const at_batch *batch, int shards, attend_error *err)
{
    at_pointing_task *t = task_of(r);
    const at_block *x = &batch->source, *y = &batch->target;
    size_t n = (size_t)x->B * (size_t)x->T * (size_t)t->folder.model.width;
    t->batch = batch;
    t->features = at_arena_alloc(&r->memory, n * sizeof *t->features);
    t->before = at_arena_alloc(&r->memory, (size_t)y->B * (size_t)y->T * sizeof *t->before);
    if (!t->features || !t->before)
        return at_error_memory(err);
    fill_features(t, t->items[r->validating]);
    for (int i = 0; i < y->B * y->T; i++)
        t->before[i] = i % y->T > 0 && y->ids[i - 1] > 0 ? y->ids[i - 1] : 0;
    if (batch->index == 0)
        t->seen = t->right = 0;
    r->shards = at_shards_cut(x->B, shards);
    r->asked = 0;
    for (int b = 0; b < y->B; b++)
        r->asked += y->lengths[b];
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

static void note(at_pointing_task *t, const at_tensor *p, const int *places)
{
    int T = p->shape.dim[1], K = p->shape.dim[2];
    for (int b = 0; b < p->shape.dim[0]; b++, t->seen++)
        t->right += all_right(p->value + (size_t)b * (size_t)T * (size_t)K, places + b * T, T, K);
}

static at_tensor *loss(void *run, at_tape *tape, int shard)
{
    const at_run *r = run;
    at_pointing_task *t = task_of(r);
    const at_block *x = &t->batch->source, *y = &t->batch->target;
    int at = r->shards.first[shard], B = r->shards.first[shard + 1] - at, F = t->folder.model.width;
    const real *features = t->features + (size_t)at * (size_t)x->T * (size_t)F;
    at_ids before = {SHAPE(B, y->T), t->before + (size_t)at * (size_t)y->T};
    at_ids places = {SHAPE(B, y->T), y->ids + (size_t)at * (size_t)y->T};
    at_tensor *items = at_input(tape, SHAPE(B, x->T, F), features);
    at_pointing p = at_pointer_read(tape, &t->folder.model, items, x->lengths + at);
    at_tensor *pointed = at_pointer_point(tape, &t->folder.model, &p, before);
    if (at_tape_mode(tape) != ATTEND_TRAIN && !at_failed(tape))
        note(t, pointed, places.id);
    at_tensor *nll = at_sum(tape, at_likelihood(tape, pointed, places, -1));
    return at_scale(tape, nll, (real)(1 / (r->asked > 0 ? r->asked : 1)));
}

static void free_task(at_run *r)
{
    at_pointing_task *t = task_of(r);
    at_items_free(t->items[0]);
    at_items_free(t->items[1]);
    at_pointer_folder_free(&t->folder);
}

const at_job at_job_pointing = {
    .name = "pointing",
    .family = &at_family_pointer,
    .size = sizeof(at_pointing_task),
    .metrics = "exact loss",
    .use = {"point", " < FILE"},
    .unit = "places",
    .whole = true,
    .needs = ATTEND_HAS_TARGET,
    .lacking = "no pairs; a line has items, a tab, and those to point to: 3 1 2<tab>1 2 3",
    .check = check,
    .settings = offsetof(at_pointing_task, folder.settings),
    .params = offsetof(at_pointing_task, folder.params),
    .open = open,
    .prepare = prepare,
    .weights = weights,
    .save = save,
    .take = take,
    .loss = loss,
    .free = free_task,
};
