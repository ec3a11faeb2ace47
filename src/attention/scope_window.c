/* The positions [p-D, p+D] around a centre that is given (Luong et al. 2015, 3.2, local-m). A
 * decoder passes the step, self-attention the query's own position.
 *
 * Queries are read in blocks, each with the keys that its windows can reach and no others: n
 * queries cost n D, not n^2. */
#include <string.h>

#include "attention/attention.h"
#include "attention/parts.h"
#include "grad/mask.h"

static int reach_of(const at_how *how) { return (int)how->scope_values.number[0]; }

/* one block: queries i .. i+rows-1, keys lo .. hi-1 */
typedef struct {
    int i, rows, lo, hi;
} block;

/* the keys that the windows of these queries reach; one hidden key when they reach none */
static block block_of(const at_how *how, const at_query *q, const at_memory *m, int i, int rows)
{
    int B = q->query->shape.dim[0], K = m->keys->shape.dim[1], reach = reach_of(how);
    block b = {i, rows, K, 0};
    for (int s = 0; s < B; s++)
        for (int r = i; r < i + rows; r++) {
            long p = at_centre(q, m, s, r), from = p - reach, to = p + reach + 1;
            from = from < 0 ? 0 : from;
            to = to > K ? K : to;
            if (from < to) {
                b.lo = from < b.lo ? (int)from : b.lo;
                b.hi = to > b.hi ? (int)to : b.hi;
            }
        }
    if (b.lo >= b.hi)
        b.lo = 0, b.hi = K < 1 ? K : 1;
    return b;
}

/* the mask's numbers for a block, [B,rows,hi-lo]; NULL where it has none */
static const real *added_part(at_tape *t, const at_mask_view *v, block k)
{
    size_t wide = (size_t)(k.hi - k.lo), rows = (size_t)v->batch * (size_t)k.rows;
    real *part = v->mask.added ? at_scratch_reals(t, rows * wide) : NULL;
    for (size_t row = 0; part && row < rows; row++) {
        int b = (int)row / k.rows, i = k.i + (int)row % k.rows;
        memcpy(part + row * wide, at_mask_added(v, b, 0, i) + k.lo, wide * sizeof *part);
    }
    return part;
}

/* hidden [B,rows,hi-lo]: outside the window, or hidden by the mask */
static unsigned char *hide(at_tape *t, const at_how *how, const at_query *q, const at_memory *m,
                           const at_mask_view *v, block k)
{
    int B = v->batch, reach = reach_of(how);
    unsigned char *hidden = at_scratch(t, (size_t)B * (size_t)k.rows * (size_t)(k.hi - k.lo));
    unsigned char *to = hidden;
    for (int b = 0; hidden && b < B; b++)
        for (int i = k.i; i < k.i + k.rows; i++) {
            long p = at_centre(q, m, b, i);
            int end = at_mask_end(v, b, i);
            const unsigned char *row = at_mask_row(v, b, 0, i);
            for (int j = k.lo; j < k.hi; j++)
                *to++ = j < p - reach || j > p + reach || j >= end || (row && row[j]);
        }
    return hidden;
}

/* where the queries of a block stand, for scores that know positions */
static at_mask stands(at_tape *t, const at_query *q, int i)
{
    at_mask mask = {.offset = at_stand(q, 0, i)};
    int B = q->query->shape.dim[0];
    int *first = q->mask.first ? at_scratch(t, (size_t)B * sizeof *first) : NULL;
    for (int b = 0; first && b < B; b++)
        first[b] = at_stand(q, b, i);
    mask.first = first;
    return mask;
}

static at_reading read_block(at_tape *t, at_path s, const at_how *how, const at_query *q,
                             const at_memory *m, const at_mask_view *v, block k)
{
    at_query part = *q;
    part.query = at_slice(t, q->query, 1, k.i, k.i + k.rows);
    part.mask = stands(t, q, k.i);
    at_memory keys = at_memory_part(t, m, k.lo, k.hi);
    at_shape shape = SHAPE(v->batch, k.rows, k.hi - k.lo);
    at_mask mask = {.hidden = hide(t, how, q, m, v, k),
                    .hidden_shape = shape,
                    .added = added_part(t, v, k),
                    .added_shape = shape};
    if (at_failed(t))
        return at_reading_poison(t);
    at_reading r = at_read_masked(t, s, how, &part, &keys, &mask);
    r.weights = q->weights ? at_widen(t, r.weights, k.lo, m->keys->shape.dim[1], 0) : NULL;
    r.scores = at_widen(t, r.scores, k.lo, m->keys->shape.dim[1], -(real)INFINITY);
    return r;
}

static at_reading read(at_tape *t, at_path s, const at_how *how, const at_query *q,
                       const at_memory *m)
{
    enum { FEWEST = 32 };
    if (at_failed(t))
        return at_reading_poison(t);
    int B = q->query->shape.dim[0], Q = q->query->shape.dim[1];
    int reach = reach_of(how), rows = 2 * reach + 1;
    at_mask_view v;
    at_mask mask = at_read_mask(q, m);
    if (!at_mask_fit_added(t, "window", &mask, SHAPE(B, Q, m->keys->shape.dim[1]), &v))
        return at_reading_poison(t);
    rows = reach > Q ? Q : rows < FEWEST ? FEWEST : rows;
    int n = Q ? (Q + rows - 1) / rows : 1;
    at_reading *part = at_scratch(t, (size_t)n * sizeof *part);
    if (!part)
        return at_reading_poison(t);
    for (int k = 0; k < n; k++) {
        int i = k * rows, left = Q - i < rows ? Q - i : rows;
        part[k] = read_block(t, s, how, q, m, &v, block_of(how, q, m, i, left));
    }
    return at_join_queries(t, n, part);
}

const at_scope at_scope_window = {
    .about = {.name = "window",
              .aliases = "local-m",
              .values = "D",
              .value = {{.kind = ATTEND_VALUE_WHOLE,
                         .min = 0,
                         .max = 1 << 28,
                         .what = "the reach to each side"}},
              .example = "window:2",
              .formula = "positions [p-D, p+D] around the step or the query's own position p",
              .source = "Luong et al. 2015, 3.2 (local-m)",
              .use = "order nearly the same on both sides; long texts",
              .cost = "n D d",
              .parameters = "none"},
    .is_local = true,
    .needs_position = true,
    .read = read,
};
