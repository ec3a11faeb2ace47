#include "data/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"

enum { POOL_BATCHES = 1000 };

typedef struct {
    size_t items;
    const uint32_t *a, *b;
    const at_plan_options *options;
    at_random mixing; /* whose numbers are added to b, */
    uint32_t mix;     /* each below this */
} work;

static uint32_t length_a(const work *w, uint32_t i) { return w->a[i]; }
static uint32_t length_b(const work *w, uint32_t i) { return w->b ? w->b[i] : 0; }

static uint32_t larger(uint32_t x, uint32_t y) { return x > y ? x : y; }

/* ---- order ------------------------------------------------------------------------------ */

/* Sorted by the first side, then by the other one, up and down in turns, so that there is no jump
 * where the first side grows. Equal ones stay in their random order. */
typedef struct {
    uint64_t key;
    uint32_t item;
} sortable;

static uint64_t sort_key(const work *w, uint32_t i)
{
    uint32_t a = length_a(w, i), b = length_b(w, i);
    if (w->b && w->mix > 1)
        b += at_random_below(w->mixing, i, w->mix);
    return (uint64_t)a << 32 | (a % 2 ? UINT32_MAX - b : b);
}

/* by bytes of the key from the lowest: stable, and as fast for any lengths */
static void radix_sort(sortable *items, sortable *other, size_t count)
{
    for (int shift = 0; shift < 64; shift += 8) {
        size_t first[257] = {0};
        for (size_t i = 0; i < count; i++)
            first[(items[i].key >> shift & 255) + 1]++;
        bool one = false; /* is this byte the same in all? */
        for (int i = 1; i <= 256; i++) {
            one |= first[i] == count;
            first[i] += first[i - 1];
        }
        if (one)
            continue;
        for (size_t i = 0; i < count; i++)
            other[first[items[i].key >> shift & 255]++] = items[i];
        memcpy(items, other, count * sizeof *items);
    }
}

static size_t mean_length(const work *w)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < w->items; i++)
        sum += larger(length_a(w, (uint32_t)i), length_b(w, (uint32_t)i));
    return w->items ? (size_t)(sum / w->items) + 1 : 1;
}

static size_t pool_size(const work *w)
{
    const at_plan_options *o = w->options;
    size_t batch = o->sentences ? o->sentences : w->items;
    if (o->pool)
        return o->pool;
    if (o->tokens) {
        size_t fit = o->tokens / mean_length(w) + 1;
        batch = fit < batch ? fit : batch;
    }
    return batch < w->items / POOL_BATCHES ? batch * POOL_BATCHES : w->items;
}

static bool sort_pools(const work *w, uint32_t *item)
{
    size_t pool = pool_size(w);
    pool = pool < w->items ? pool : w->items;
    sortable *both = at_alloc((2 * pool + 1) * sizeof *both);
    if (!both)
        return false;
    for (size_t from = 0; from < w->items; from += pool) {
        size_t count = w->items - from < pool ? w->items - from : pool;
        for (size_t i = 0; i < count; i++)
            both[i] = (sortable){sort_key(w, item[from + i]), item[from + i]};
        radix_sort(both, both + pool, count);
        for (size_t i = 0; i < count; i++)
            item[from + i] = both[i].item;
    }
    at_free(both);
    return true;
}

/* ---- batches ---------------------------------------------------------------------------- */

/* Where the batch ends that begins at from. */
static size_t batch_end(const work *w, const uint32_t *item, size_t from)
{
    const at_plan_options *o = w->options;
    size_t max_length = 0, at = from;
    for (; at < w->items; at++) {
        size_t size = larger(length_a(w, item[at]), length_b(w, item[at])), count = at - from + 1;
        max_length = size > max_length ? size : max_length;
        if (count > 1
            && ((o->sentences && count > o->sentences)
                || (o->tokens && max_length * count > o->tokens)))
            break;
    }
    return at;
}

static size_t cut_batches(const work *w, const uint32_t *item, size_t *start)
{
    size_t batches = 0;
    for (size_t at = 0; at < w->items; batches++) {
        size_t end = batch_end(w, item, at);
        if (start)
            start[batches + 1] = end;
        at = end;
    }
    if (start)
        start[0] = 0;
    return batches;
}

static void count_padding(at_plan *p, const work *w)
{
    for (size_t i = 0; i < p->batches; i++) {
        size_t a = 0, b = 0, count = p->start[i + 1] - p->start[i];
        for (size_t k = p->start[i]; k < p->start[i + 1]; k++) {
            uint32_t one = length_a(w, p->item[k]), two = length_b(w, p->item[k]);
            a = one > a ? one : a;
            b = two > b ? two : b;
            p->padding -= one + two;
        }
        p->positions += count * (a + b);
        p->padding += count * (a + b);
    }
}

/* The batches in a random order. */
static bool shuffle_batches(at_plan *p, at_random key)
{
    uint32_t *order = at_alloc(p->batches * sizeof *order);
    uint32_t *item = at_alloc(p->items * sizeof *item);
    size_t *start = at_alloc((p->batches + 1) * sizeof *start);
    if (order && item && start) {
        size_t to = 0;
        at_random_permutation(key, (uint32_t)p->batches, order);
        for (size_t i = 0; i < p->batches; i++) {
            size_t from = p->start[order[i]], count = p->start[order[i] + 1] - from;
            start[i] = to;
            memcpy(item + to, p->item + from, count * sizeof *item);
            to += count;
        }
        start[p->batches] = to;
    }
    bool done = order && item && start;
    at_free(order);
    at_free(done ? p->item : item);
    at_free(done ? p->start : start);
    if (done) {
        p->item = item;
        p->start = start;
    }
    return done;
}

/* ---- all -------------------------------------------------------------------------------- */

static attend_status check_lengths(const work *w, attend_error *err)
{
    size_t max = w->options->tokens;
    if (!w->options->sentences && !max)
        return at_error(err, ATTEND_OPTION, "a batch needs a size: sentences or tokens");
    for (size_t i = 0; max && i < w->items; i++) {
        uint32_t size = larger(length_a(w, (uint32_t)i), length_b(w, (uint32_t)i));
        if (size > max)
            return at_error(err, ATTEND_OPTION,
                            "batch-tokens: an example has %u pieces, a batch at most %zu; allow "
                            "larger batches, or cut or skip long examples (longest)",
                            size, max);
    }
    return ATTEND_OK;
}

/* how far the second sides of a batch may differ, at their mean length */
static uint32_t mix_of(const work *w)
{
    double sum = 0, max = 1 << 20;
    for (size_t i = 0; i < w->items && w->b; i++)
        sum += w->b[i];
    double mix = w->items ? w->options->mix * sum / (double)w->items : 0;
    return (uint32_t)(mix < max ? mix : max) + 1;
}

static bool make(at_plan *p, const work *w, uint32_t epoch)
{
    at_random key = {w->options->seed, epoch, 0, at_random_name("shuffle")};
    p->items = w->items;
    p->item = at_alloc((w->items + 1) * sizeof *p->item);
    if (!p->item)
        return false;
    for (size_t i = 0; i < w->items; i++)
        p->item[i] = (uint32_t)i;
    if (!w->options->in_order) {
        at_random_permutation(key, (uint32_t)w->items, p->item);
        if (!sort_pools(w, p->item))
            return false;
    }
    p->batches = cut_batches(w, p->item, NULL);
    p->start = at_alloc((p->batches + 1) * sizeof *p->start);
    if (!p->start)
        return false;
    cut_batches(w, p->item, p->start);
    count_padding(p, w);
    key.use = at_random_name("batches");
    return w->options->in_order || shuffle_batches(p, key);
}

attend_status at_plan_make(at_plan *p, size_t items, const uint32_t *a, const uint32_t *b,
                           const at_plan_options *options, uint32_t epoch, attend_error *err)
{
    work w = {items, a, b, options, {options->seed, epoch, 0, at_random_name("mix")}, 0};
    w.mix = mix_of(&w);
    *p = (at_plan){0};
    attend_status status = check_lengths(&w, err);
    if (status < 0 || make(p, &w, epoch))
        return status;
    at_plan_free(p);
    return at_error_memory(err);
}

void at_plan_free(at_plan *p)
{
    at_free(p->item);
    at_free(p->start);
    *p = (at_plan){0};
}

double at_plan_padding(const at_plan *p)
{
    return p->positions ? (double)p->padding / (double)p->positions : 0;
}
