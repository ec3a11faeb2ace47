/* The positions [p-D, p+D] around a centre that is given (Luong et al. 2015, 3.2, local-m). A
 * decoder passes the step, self-attention the query's own position.
 *
 * Queries are read in blocks, each with the keys that its windows can reach and no others: n
 * queries cost n D, not n^2. */
#include <string.h>

#include "attention/attention.h"
#include "attention/parts.h"
#include "grad/mask.h"

static attend_status parse(at_how *how, int n, const char *const *values, attend_error *err)
{
    if (n != 1)
        return at_error(err, ATTEND_OPTION, "window:D takes one number, the reach to each side");
    return at_how_whole(values[0], "window:D", 0, 1 << 28, &how->reach, err);
}

/* one block: queries i .. i+rows-1, keys lo .. hi-1 */
typedef struct {
    int i, rows, lo, hi;
} block;

/* the keys that the windows of these queries reach; one hidden key when they reach none */
static block reach_of(const at_how *how, const at_query *q, const at_memory *m, int i, int rows)
{
    int B = q->query->shape.dim[0], K = m->keys->shape.dim[1];
    block b = {i, rows, K, 0};
    for (int s = 0; s < B; s++)
        for (int r = i; r < i + rows; r++) {
            long p = at_centre(q, m, s, r), from = p - how->reach, to = p + how->reach + 1;
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

/* hidden [B,rows,hi-lo]: outside the window, or hidden by the mask */
static unsigned char *hide(at_tape *t, const at_how *how, const at_query *q, const at_memory *m,
                           block k)
{
    at_mask_view v;
    at_mask mask = at_read_mask(q, m);
    int B = q->query->shape.dim[0], Q = q->query->shape.dim[1], K = m->keys->shape.dim[1];
    unsigned char *hidden = at_scratch(t, (size_t)B * (size_t)k.rows * (size_t)(k.hi - k.lo));
    if (!hidden || !at_mask_fit(t, "window", &mask, SHAPE(B, Q, K), &v))
        return NULL;
    unsigned char *to = hidden;
    for (int b = 0; b < B; b++)
        for (int i = k.i; i < k.i + k.rows; i++) {
            long p = at_centre(q, m, b, i);
            int end = at_mask_end(&v, b, i);
            const unsigned char *row = at_mask_row(&v, b, 0, i);
            for (int j = k.lo; j < k.hi; j++)
                *to++ = j < p - how->reach || j > p + how->reach || j >= end || (row && row[j]);
        }
    return hidden;
}

static at_reading read_block(at_tape *t, at_path s, const at_how *how, const at_query *q,
                             const at_memory *m, block k)
{
    at_query part = *q;
    part.query = at_slice(t, q->query, 1, k.i, k.i + k.rows);
    part.first = at_stand(q, k.i);
    at_memory keys = at_memory_part(t, m, k.lo, k.hi);
    unsigned char *hidden = hide(t, how, q, m, k);
    if (at_failed(t))
        return at_reading_poison(t);
    at_mask mask = {.hidden = hidden,
                    .hidden_shape = SHAPE(q->query->shape.dim[0], k.rows, k.hi - k.lo)};
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
    int Q = q->query->shape.dim[1], rows = 2 * how->reach + 1;
    rows = how->reach > Q ? Q : rows < FEWEST ? FEWEST : rows;
    int n = Q ? (Q + rows - 1) / rows : 1;
    at_reading *part = at_scratch(t, (size_t)n * sizeof *part);
    if (!part)
        return at_reading_poison(t);
    for (int k = 0; k < n; k++) {
        int i = k * rows, left = Q - i < rows ? Q - i : rows;
        part[k] = read_block(t, s, how, q, m, reach_of(how, q, m, i, left));
    }
    return at_join_queries(t, n, part);
}

const at_scope at_scope_window = {
    .about = {.name = "window",
              .aliases = "local-m",
              .values = "D",
              .example = "window:2",
              .formula = "positions [p-D, p+D] around the step or the query's own position p",
              .source = "Luong et al. 2015, 3.2 (local-m)",
              .use = "order nearly the same on both sides; long texts",
              .cost = "n D d",
              .parameters = "none"},
    .parse = parse,
    .read = read,
};
