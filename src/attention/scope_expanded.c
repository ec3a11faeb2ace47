/* Near in detail, far in outline. Positions [p-m, p+m] stand one by one; what lies to the left and
 * to the right is cut into blocks of w, counted outward from the window. A block is one entry: mean
 * key, mean value, scored like any key. A reported weight is the block's, shared by its positions.
 *
 *      far blocks        window, one by one       far blocks
 *    [. . .][. . .]   p-m  ..   p   ..  p+m    [. . .][. . .]
 *
 * n queries cost n (2m + 1 + n/w). */
#include <string.h>

#include "attention/attention.h"
#include "attention/parts.h"
#include "grad/mask.h"

/* ---- the entries of each query ------------------------------------------------------------ */

typedef struct {
    int start, length;
} segment;

typedef struct {
    int B, Q, K, E;              /* E: entries of the query that has most */
    segment *entry;              /* [B,Q,E] */
    int *count;                  /* [B,Q] */
    const unsigned char *hidden; /* [B,Q,K] or NULL: positions to leave out */
} plan;

static segment *entries(const plan *p, int row) { return p->entry + (size_t)row * (size_t)p->E; }

static int seen(const plan *p, int row, segment s)
{
    int n = s.length;
    for (int j = s.start; p->hidden && j < s.start + s.length; j++)
        n -= p->hidden[(size_t)row * (size_t)p->K + (size_t)j];
    return n;
}

/* adds a segment unless all of it is hidden; in the first pass only counts */
static int add(const plan *p, int row, int n, int start, int end)
{
    segment s = {start, end - start};
    if (s.length <= 0 || seen(p, row, s) == 0)
        return n;
    if (p->entry)
        entries(p, row)[n] = s;
    return n + 1;
}

/* entries of one query around `centre`, of the first `end` positions, from left to right */
static int cut(const plan *p, int row, int centre, int end, int m, int w)
{
    long from = (long)centre - m, to = (long)centre + m + 1;
    int left = from < 0 ? 0 : from > end ? end : (int)from;
    int right = to < 0 ? 0 : to > end ? end : (int)to;
    int n = 0;
    for (int stop = left % w; stop <= left && left > 0; stop += w) /* the outermost may be short */
        n = add(p, row, n, stop >= w ? stop - w : 0, stop);
    for (int j = left; j < right; j++)
        n = add(p, row, n, j, j + 1);
    for (int start = right; start < end; start += w)
        n = add(p, row, n, start, start + w < end ? start + w : end);
    return n;
}

/* flags [B,Q,K] of what the mask hides one by one, or NULL when lengths and causality say it all */
static unsigned char *hidden_of(at_tape *t, const at_mask_view *v)
{
    if (!v->mask.hidden)
        return NULL;
    unsigned char *all = at_scratch(t, (size_t)v->batch * (size_t)v->queries * (size_t)v->keys);
    for (int row = 0; all && row < v->batch * v->queries; row++)
        for (int j = 0; j < v->keys; j++)
            all[(size_t)row * (size_t)v->keys + (size_t)j] =
                at_mask_row(v, row / v->queries, 0, row % v->queries)[j] != 0;
    return all;
}

static plan *plan_entries(at_tape *t, const at_how *how, const at_query *q, const at_memory *m)
{
    at_mask_view v;
    at_mask mask = at_read_mask(q, m);
    int B = q->query->shape.dim[0], Q = q->query->shape.dim[1], K = m->keys->shape.dim[1];
    int detail = (int)how->scope_values.number[0], block = (int)how->scope_values.number[1];
    plan *p = at_scratch(t, sizeof *p);
    if (!p || !at_mask_fit(t, "expanded", &mask, SHAPE(B, Q, K), &v))
        return NULL;
    *p = (plan){.B = B,
                .Q = Q,
                .K = K,
                .count = at_scratch(t, (size_t)(B * Q) * sizeof(int)),
                .hidden = hidden_of(t, &v)};
    for (int pass = 0; pass < 2 && !at_failed(t); pass++) {
        for (int row = 0; row < B * Q; row++) {
            int b = row / Q, i = row % Q;
            p->count[row] = cut(p, row, at_centre(q, m, b, i), at_mask_end(&v, b, i), detail,
                                block);
            p->E = p->count[row] > p->E ? p->count[row] : p->E;
        }
        if (pass == 0)
            p->entry = at_scratch(t, (size_t)(B * Q) * (size_t)(p->E ? p->E : 1) * sizeof(segment));
    }
    return at_failed(t) ? NULL : p;
}

/* ---- the op: x [B,K,d] -> means of the segments, [B*Q,E,d] --------------------------------- */

/* sums[j] = x_0 + .. + x_{j-1}, in double so that differences keep their digits */
static void prefix_sums(int K, int d, const real *x, double *sums)
{
    memset(sums, 0, (size_t)d * sizeof *sums);
    for (int j = 0; j < K; j++)
        for (int k = 0; k < d; k++)
            sums[(j + 1) * d + k] = sums[j * d + k] + (double)x[j * d + k];
}

static void mean_of(const plan *p, int row, segment s, int d, const real *x, const double *sums,
                    real *y)
{
    int n = seen(p, row, s);
    if (!p->hidden) {
        for (int k = 0; k < d; k++)
            y[k] = (real)((sums[(s.start + s.length) * d + k] - sums[s.start * d + k]) / n);
        return;
    }
    memset(y, 0, (size_t)d * sizeof *y);
    for (int j = s.start; j < s.start + s.length; j++)
        for (int k = 0; k < d && !p->hidden[(size_t)row * (size_t)p->K + (size_t)j]; k++)
            y[k] += x[j * d + k] / (real)n;
}

static at_tensor *block_means(at_tape *t, at_tensor *x, plan *p)
{
    if (at_failed(t))
        return at_poison(t);
    int d = at_shape_last(x->shape);
    at_tensor *y = at_zeros(t, SHAPE(p->B * p->Q, p->E, d));
    double *sums = at_scratch(t, (size_t)(p->K + 1) * (size_t)d * sizeof *sums);
    if (at_failed(t))
        return at_poison(t);
    for (int b = 0; b < p->B; b++) {
        const real *from = x->value + (size_t)b * (size_t)p->K * (size_t)d;
        if (!p->hidden)
            prefix_sums(p->K, d, from, sums);
        for (int row = b * p->Q; row < (b + 1) * p->Q; row++)
            for (int e = 0; e < p->count[row]; e++)
                mean_of(p, row, entries(p, row)[e], d, from, sums,
                        y->value + ((size_t)row * (size_t)p->E + (size_t)e) * (size_t)d);
    }
    if (at_recording(t, INPUTS(x)))
        at_record(t, &at_op_block_means, INPUTS(x), OUTPUTS(y), p);
    return y;
}

/* a mean's gradient goes to all its positions: marked where the segment starts and ends, and
 * summed along the sentence once for all queries */
static void spread_mean(const plan *p, int row, segment s, int d, const real *dy, double *steps,
                        real *dx)
{
    int n = seen(p, row, s);
    if (!p->hidden) {
        for (int k = 0; k < d; k++) {
            steps[s.start * d + k] += (double)dy[k] / n;
            steps[(s.start + s.length) * d + k] -= (double)dy[k] / n;
        }
        return;
    }
    for (int j = s.start; j < s.start + s.length; j++)
        for (int k = 0; k < d && !p->hidden[(size_t)row * (size_t)p->K + (size_t)j]; k++)
            dx[j * d + k] += dy[k] / (real)n;
}

static void means_backward(const at_node *n)
{
    const plan *p = n->saved;
    int d = at_shape_last(n->in[0]->shape);
    size_t size = (size_t)(p->K + 1) * (size_t)d;
    const real *dy = at_grad_out(n, 0);
    real *dx = at_grad_add(n, 0);
    double *steps = at_scratch(n->tape, size * sizeof *steps);
    for (int b = 0; dx && steps && b < p->B; b++, dx += (size_t)p->K * (size_t)d) {
        memset(steps, 0, size * sizeof *steps);
        for (int row = b * p->Q; row < (b + 1) * p->Q; row++)
            for (int e = 0; e < p->count[row]; e++)
                spread_mean(p, row, entries(p, row)[e], d,
                            dy + ((size_t)row * (size_t)p->E + (size_t)e) * (size_t)d, steps, dx);
        for (int j = 0; !p->hidden && j < p->K; j++)
            for (int k = 0; k < d; k++) {
                steps[(j + 1) * d + k] += steps[j * d + k];
                dx[j * d + k] += (real)steps[j * d + k];
            }
    }
}

/* ---- the op: weights [B*Q,1,E] of entries -> of positions, [B,Q,K] -------------------------- */

static at_tensor *spread_blocks(at_tape *t, at_tensor *w, plan *p)
{
    at_tensor *y = at_zeros(t, SHAPE(p->B, p->Q, p->K));
    for (int row = 0; !at_failed(t) && row < p->B * p->Q; row++)
        for (int e = 0; e < p->count[row]; e++) {
            segment s = entries(p, row)[e];
            size_t at = (size_t)row * (size_t)p->K;
            real share = w->value[(size_t)row * (size_t)p->E + (size_t)e] / (real)seen(p, row, s);
            for (int j = s.start; j < s.start + s.length; j++)
                if (!p->hidden || !p->hidden[at + (size_t)j])
                    y->value[at + (size_t)j] = share;
        }
    if (at_recording(t, INPUTS(w)))
        at_record(t, &at_op_spread_blocks, INPUTS(w), OUTPUTS(y), p);
    return y;
}

static void spread_backward(const at_node *n)
{
    const plan *p = n->saved;
    const real *dy = at_grad_out(n, 0);
    real *dw = at_grad_add(n, 0);
    for (int row = 0; dw && row < p->B * p->Q; row++)
        for (int e = 0; e < p->count[row]; e++) {
            segment s = entries(p, row)[e];
            size_t at = (size_t)row * (size_t)p->K;
            double sum = 0;
            for (int j = s.start; j < s.start + s.length; j++)
                if (!p->hidden || !p->hidden[at + (size_t)j])
                    sum += (double)dy[at + (size_t)j];
            dw[(size_t)row * (size_t)p->E + (size_t)e] += (real)(sum / seen(p, row, s));
        }
}

/* two sentences of 7 positions, three queries, around 1, 2 and 3; blocks of 2 */
static plan *sample_plan(at_tape *t, bool mask)
{
    static const int lengths[] = {7, 5};
    static const unsigned char hidden[] = {0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0,
                                           0, 0, 0, 0, 0, 0, 0, 0, 1, 1};
    at_how how = {.scope_values = {.number = {1, 2}}};
    at_query q = {
        .query = at_zeros(t, SHAPE(2, 3, 1)),
        .mask = {.hidden = mask ? hidden : NULL, .hidden_shape = SHAPE(3, 7), .offset = 1}};
    at_memory m = {.keys = at_zeros(t, SHAPE(2, 7, 1)), .lengths = lengths};
    return at_failed(t) ? NULL : plan_entries(t, &how, &q, &m);
}

static at_tensor *means_sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 7, 2), INIT_NORMAL(1));
    plan *one = sample_plan(t, false), *two = sample_plan(t, true);
    return at_concat(t, 2, (at_tensor *[]){block_means(t, x, one), block_means(t, x, two)}, 1);
}

static at_tensor *spread_sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    plan *p = sample_plan(t, true);
    return at_failed(t)
               ? at_poison(t)
               : spread_blocks(t, at_param(t, s, "w", SHAPE(6, 1, p->E), INIT_NORMAL(1)), p);
}

const at_op at_op_block_means = {
    .name = "block_means",
    .formula = "y_e = mean of x_j over segment e",
    .backward = means_backward,
    .sample = means_sample,
    .forgets_output = true,
};

const at_op at_op_spread_blocks = {
    .name = "spread_blocks",
    .formula = "w_j = w_e / |e| for j in segment e",
    .backward = spread_backward,
    .sample = spread_sample,
    .forgets_output = true,
};

/* scores [B*Q,1,E] of entries -> of positions, [B,1,Q,K]; no gradient */
static at_tensor *spread_scores(at_tape *t, const at_tensor *e, const plan *p)
{
    at_tensor *y = at_new(t, SHAPE(p->B, 1, p->Q, p->K));
    for (size_t i = 0; !at_failed(t) && i < y->len; i++)
        y->value[i] = -(real)INFINITY;
    for (int row = 0; !at_failed(t) && row < p->B * p->Q; row++)
        for (int k = 0; k < p->count[row]; k++) {
            segment s = entries(p, row)[k];
            size_t at = (size_t)row * (size_t)p->K;
            for (int j = s.start; j < s.start + s.length; j++)
                if (!p->hidden || !p->hidden[at + (size_t)j])
                    y->value[at + (size_t)j] = e->value[(size_t)row * (size_t)p->E + (size_t)k];
        }
    return y;
}

/* ---- the scope ---------------------------------------------------------------------------- */

/* the entries as a source of their own, one sentence for each query */
static at_memory entries_as_memory(at_tape *t, at_path s, const at_how *how, const at_memory *m,
                                   plan *p)
{
    at_memory e = {.keys = block_means(t, m->keys, p), .width = m->width, .lengths = p->count};
    e.values = m->values == m->keys ? e.keys : block_means(t, m->values, p);
    if (m->prepared)
        e.prepared = how->score->linear ? block_means(t, m->prepared, p)
                                        : how->score->prepare(t, at_in(s, "score"), how, &e);
    return e;
}

static at_reading read(at_tape *t, at_path s, const at_how *how, const at_query *q,
                       const at_memory *m)
{
    plan *p = at_failed(t) ? NULL : plan_entries(t, how, q, m);
    if (!p)
        return at_reading_poison(t);
    at_memory e = entries_as_memory(t, s, how, m, p);
    at_query one = {.query = at_reshape(t, q->query, SHAPE(p->B * p->Q, 1, m->width))};
    at_tensor *scores = how->score->score(t, at_in(s, "score"), how, &one, &e);
    at_picked k = how->pick->pick(t, how, scores, &(at_mask){.lengths = p->count});
    at_tensor *context = at_context(t, k.weights, q->dropout, &e);
    if (at_failed(t))
        return at_reading_poison(t);
    at_shape rows = SHAPE(p->B, 1, p->Q);
    return (at_reading){
        .context = at_reshape(t, context, SHAPE(p->B, p->Q, at_shape_last(context->shape))),
        .weights = q->weights ? at_one_head(t, spread_blocks(t, k.weights, p)) : NULL,
        .scores = q->scores ? spread_scores(t, scores, p) : NULL,
        .log_p = k.log_p ? at_reshape(t, k.log_p, rows) : NULL,
        .entropy = k.entropy ? at_reshape(t, k.entropy, rows) : NULL};
}

const at_scope at_scope_expanded = {
    .about = {.name = "expanded",
              .values = "m,w",
              .value = {{.kind = ATTEND_VALUE_WHOLE, .max = 1 << 28, .what = "the reach in detail"},
                        {.kind = ATTEND_VALUE_WHOLE,
                         .min = 1,
                         .max = 1 << 28,
                         .what = "the block length"}},
              .example = "expanded:1,3",
              .formula = "[p-m, p+m] one by one, blocks of w by their means beyond",
              .source = "expanded window: near in detail, far in outline",
              .use = "long texts whose far parts still matter a little",
              .cost = "n (2m + 1 + n/w) d",
              .parameters = "none"},
    .is_local = true,
    .needs_position = true,
    .has_blocks = true,
    .read = read,
};
