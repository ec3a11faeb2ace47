/* Which examples make which batch of an epoch.
 *
 * The examples are put into a random order; pools of about a thousand batches are sorted by length,
 * so that neighbours are alike, and cut into batches; the batches are put into a random order. All
 * of it is a function of the seed, the epoch and the lengths alone. Every example comes exactly
 * once.
 *
 * The least padding has batches of one target length each. From such a batch a translator learns
 * that sentences end there, and from the next that they end elsewhere; `mix` puts targets of
 * different lengths together. */
#ifndef ATTEND_DATA_PLAN_H
#define ATTEND_DATA_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct {
    size_t sentences; /* examples in a batch at most; 0: any number */
    size_t tokens; /* places, padding included, of a batch's larger side at most; 0: any number */
    size_t pool;   /* examples sorted together; 0: as many as a thousand batches have */
    double mix;    /* by how much second sides in a batch may differ, as a share of their mean */
    bool in_order; /* no random order, no sorting: examples as they come */
    uint64_t seed;
} at_plan_options;

typedef struct {
    uint32_t *item; /* the examples of the first batch, of the second, ... */
    size_t *start;  /* [batches + 1]: where each batch begins in item */
    size_t items, batches;
    size_t positions, padding; /* of all batches and both sides; padding is part of places */
} at_plan;

/* a, b: lengths of both sides of every item; b may be NULL. An item that is longer than `tokens` is
 * an error that says which. at_plan_free it. */
attend_status at_plan_make(at_plan *p, size_t items, const uint32_t *a, const uint32_t *b,
                           const at_plan_options *options, uint32_t epoch, attend_error *err);
void at_plan_free(at_plan *p); /* also after a failure, and twice */

double at_plan_padding(const at_plan *p); /* its share of all places, 0 to 1 */

#endif
