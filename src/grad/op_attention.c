/* Scaled dot-product attention in memory linear in the length (Rabe and Staats 2021; Dao et al.
 * 2022). The scores of a block of queries with a block of keys are computed, used and forgotten:
 *
 *     for each block of keys:  S = c Q K^T (masked);  m' = max(m, max S)
 *                              l = l e^(m - m') + sum e^(S - m');  O = O e^(m - m') + e^(S - m') V
 *     C = O / l;   kept: m and l for each query
 *
 * Backward computes P = e^(S - m) / l again, block by block:
 *     dV = P^T dC,  dP = dC V^T,  dS = P (dP - D),  D = sum_j dC_j C_j,  dQ = c dS K,  dK = c dS^T
 * Q */
#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "grad/attention.h"
#include "tensor/gemm.h"
#include "tensor/vector.h"

enum { BLOCK = 64 }; /* queries, and keys, of a block */

typedef struct {
    real max, sum; /* of e^(S - max); 0 where nothing is visible */
} norm;

typedef struct {
    at_attention_sizes s;
    const real *q, *k, *v;
    real *context;
    norm *kept; /* [batch, heads, queries] */
    /* backward */
    const real *dc;
    real *dq, *dk, *dv;
} work;

static int min(int a, int b) { return a < b ? a : b; }

static norm *norms(const work *w, int b, int h)
{
    return w->kept + ((size_t)b * (size_t)w->s.heads + (size_t)h) * (size_t)w->s.queries;
}

/* scores of queries i.. with keys j.. ; hidden ones are -infinity. False: all are hidden. */
static bool block_scores(const work *w, int b, int h, int i, int rows, int j, int columns,
                         real *scores)
{
    const at_attention_sizes *s = &w->s;
    int last = 0;
    for (int r = 0; r < rows; r++)
        last = last > at_mask_end(&s->mask, b, i + r) ? last : at_mask_end(&s->mask, b, i + r);
    if (j >= last)
        return false;
    ptrdiff_t ld = (ptrdiff_t)s->heads * s->d;
    const real *q = at_head((real *)w->q, s, b, h, s->queries, s->d) + i * ld;
    const real *k = at_head((real *)w->k, s, b, h, s->keys, s->d) + j * ld;
    at_gemm(rows, columns, s->d, s->scale, (at_matrix){q, ld, false}, (at_matrix){k, ld, true}, 0,
            scores, BLOCK);
    for (int r = 0; r < rows; r++) {
        int end = at_mask_end(&s->mask, b, i + r) - j;
        const unsigned char *hidden = at_mask_row(&s->mask, b, h, i + r);
        for (int c = end < 0 ? 0 : end; c < columns; c++)
            scores[r * BLOCK + c] = -(real)INFINITY;
        for (int c = 0; hidden && c < columns; c++)
            if (hidden[j + c])
                scores[r * BLOCK + c] = -(real)INFINITY;
    }
    return true;
}

/* ---- forward: one block of queries ------------------------------------------------------ */

/* One row of scores becomes e^(S - m'); the sum and the output so far are rescaled. Padding, which
 * depends on the batch, is no part of the sum: zeros would change the order it is taken in. */
static void online_row(int columns, real *scores, real *max, real *sum, int e, real *out)
{
    real top = real_max(*max, at_vector()->max((size_t)columns, scores));
    if (top == -(real)INFINITY) { /* nothing to see, or nothing that is a number */
        for (int c = 0; c < columns; c++) {
            scores[c] = isnan(scores[c]) ? scores[c] : 0;
            *sum += scores[c];
        }
        return;
    }
    while (columns > 0 && scores[columns - 1] == -(real)INFINITY)
        scores[--columns] = 0;
    real shrink = *max == -(real)INFINITY ? 0 : real_exp(*max - top);
    *sum = *sum * shrink + at_vector()->exp_sum((size_t)columns, scores, top, scores);
    *max = top;
    if (shrink != 1)
        at_vector()->axpy((size_t)e, shrink, out, 0, out);
}

static void forward_block(void *arg, int item)
{
    const work *w = arg;
    const at_attention_sizes *s = &w->s;
    int blocks = (s->queries + BLOCK - 1) / BLOCK;
    int i = item % blocks * BLOCK, h = item / blocks % s->heads, b = item / blocks / s->heads;
    int rows = min(BLOCK, s->queries - i);
    ptrdiff_t ld = (ptrdiff_t)s->heads * s->e;
    real scores[BLOCK * BLOCK], max[BLOCK], sum[BLOCK];
    real *out = at_head(w->context, s, b, h, s->queries, s->e) + i * ld;
    for (int r = 0; r < rows; r++) {
        max[r] = -(real)INFINITY;
        sum[r] = 0;
        memset(out + r * ld, 0, (size_t)s->e * sizeof *out);
    }
    for (int j = 0; j < s->keys; j += BLOCK) {
        int columns = min(BLOCK, s->keys - j);
        if (!block_scores(w, b, h, i, rows, j, columns, scores))
            break;
        for (int r = 0; r < rows; r++)
            online_row(columns, scores + r * BLOCK, &max[r], &sum[r], s->e, out + r * ld);
        const real *v = at_head((real *)w->v, s, b, h, s->keys, s->e) + j * ld;
        at_gemm(rows, s->e, columns, 1, (at_matrix){scores, BLOCK, false},
                (at_matrix){v, ld, false}, 1, out, ld);
    }
    norm *kept = norms(w, b, h) + i;
    for (int r = 0; r < rows; r++) {
        if (sum[r] != 0)
            at_vector()->axpy((size_t)s->e, 1 / sum[r], out + r * ld, 0, out + r * ld);
        kept[r] = (norm){max[r], sum[r]};
    }
}

at_tensor *at_attention(at_tape *t, at_tensor *q, at_tensor *k, at_tensor *v, int heads, real scale,
                        const at_mask *mask)
{
    work *w = at_failed(t) ? NULL : at_scratch(t, sizeof *w);
    if (!w || !at_attention_fit(t, &w->s, q, k, v, heads, scale, mask))
        return at_poison(t);
    const at_attention_sizes *s = &w->s;
    at_tensor *y = at_new(t, SHAPE(s->batch, s->queries, heads * s->e));
    w->kept = at_scratch(t, (size_t)s->batch * (size_t)heads * (size_t)s->queries * sizeof(norm));
    if (at_failed(t))
        return at_poison(t);
    w->q = q->value;
    w->k = k->value;
    w->v = v->value;
    w->context = y->value;
    int blocks = (s->queries + BLOCK - 1) / BLOCK;
    at_parallel_each(s->batch * heads * blocks, at_head_work(s) / (blocks ? blocks : 1),
                     forward_block, w);
    if (at_recording(t, INPUTS(q, k, v)))
        at_record(t, &at_op_attention, INPUTS(q, k, v), OUTPUTS(y), w);
    return y;
}

/* ---- backward: one head of one sentence ------------------------------------------------- */

/* P of a block from its scores, and c dS = c P (dP - D) in place of dP */
static void block_gradient(int rows, int columns, const norm *kept, const real *delta, real scale,
                           real *p, real *dp)
{
    for (int r = 0; r < rows; r++) {
        real *row = p + r * BLOCK, *d = dp + r * BLOCK;
        if (kept[r].sum == 0)
            memset(row, 0, (size_t)columns * sizeof *row);
        else
            at_vector()->exp_scale((size_t)columns, row, kept[r].max, 1 / kept[r].sum, 0, row);
        for (int c = 0; c < columns; c++)
            d[c] = scale * (row[c] * (d[c] - delta[r]));
    }
}

static void backward_blocks(const work *w, int b, int h, int i, int rows, const real *delta)
{
    const at_attention_sizes *s = &w->s;
    ptrdiff_t ld = (ptrdiff_t)s->heads * s->d, le = (ptrdiff_t)s->heads * s->e;
    at_matrix q = {at_head((real *)w->q, s, b, h, s->queries, s->d) + i * ld, ld, false};
    at_matrix dc = {at_head((real *)w->dc, s, b, h, s->queries, s->e) + i * le, le, false};
    real p[BLOCK * BLOCK], dp[BLOCK * BLOCK];
    for (int j = 0; j < s->keys; j += BLOCK) {
        int columns = min(BLOCK, s->keys - j);
        if (!block_scores(w, b, h, i, rows, j, columns, p))
            break;
        at_matrix k = {at_head((real *)w->k, s, b, h, s->keys, s->d) + j * ld, ld, false};
        at_matrix vt = {at_head((real *)w->v, s, b, h, s->keys, s->e) + j * le, le, true};
        at_gemm(rows, columns, s->e, 1, dc, vt, 0, dp, BLOCK);
        block_gradient(rows, columns, norms(w, b, h) + i, delta, s->scale, p, dp);
        at_matrix ds = {dp, BLOCK, false}, dst = {dp, BLOCK, true}, pt = {p, BLOCK, true};
        if (w->dv)
            at_gemm(columns, s->e, rows, 1, pt, dc, 1,
                    at_head(w->dv, s, b, h, s->keys, s->e) + j * le, le);
        if (w->dq)
            at_gemm(rows, s->d, columns, 1, ds, k, 1,
                    at_head(w->dq, s, b, h, s->queries, s->d) + i * ld, ld);
        if (w->dk)
            at_gemm(columns, s->d, rows, 1, dst, q, 1,
                    at_head(w->dk, s, b, h, s->keys, s->d) + j * ld, ld);
    }
}

static void backward_head(void *arg, int item)
{
    const work *w = arg;
    const at_attention_sizes *s = &w->s;
    int b = item / s->heads, h = item % s->heads;
    ptrdiff_t le = (ptrdiff_t)s->heads * s->e;
    for (int i = 0; i < s->queries; i += BLOCK) {
        int rows = min(BLOCK, s->queries - i);
        real delta[BLOCK];
        const real *dc = at_head((real *)w->dc, s, b, h, s->queries, s->e) + i * le;
        const real *c = at_head(w->context, s, b, h, s->queries, s->e) + i * le;
        for (int r = 0; r < rows; r++)
            delta[r] = at_vector()->dot((size_t)s->e, dc + r * le, c + r * le);
        backward_blocks(w, b, h, i, rows, delta);
    }
}

static void backward(const at_node *n)
{
    work w = *(const work *)n->saved;
    w.dc = at_grad_out(n, 0);
    w.dq = at_grad_add(n, 0);
    w.dk = at_grad_add(n, 1);
    w.dv = at_grad_add(n, 2);
    if (!at_failed(n->tape))
        at_parallel_each(w.s.batch * w.s.heads, 3 * at_head_work(&w.s), backward_head, &w);
}

at_attention_sample at_attention_sample_new(at_tape *t, at_path s)
{
    static const int lengths[] = {5, 4};
    static const unsigned char hidden[] = {
        0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, /* sentence 0: three queries */
        1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, /* sentence 1: the first sees nothing */
    };
    return (at_attention_sample){
        at_param(t, s, "q", SHAPE(2, 3, 4), INIT_NORMAL(1)),
        at_param(t, s, "k", SHAPE(2, 5, 4), INIT_NORMAL(1)),
        at_param(t, s, "v", SHAPE(2, 5, 6), INIT_NORMAL(1)),
        {.lengths = lengths,
         .hidden = hidden,
         .hidden_shape = SHAPE(2, 1, 3, 5),
         .causal = true,
         .offset = 2},
    };
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_attention_sample in = at_attention_sample_new(t, s);
    return at_attention(t, in.q, in.k, in.v, 2, (real)0.7, &in.mask);
}

static at_tensor *reference(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_attention_sample in = at_attention_sample_new(t, s);
    return at_attention_weights(t, in.q, in.k, in.v, 2, (real)0.7, &in.mask).context;
}

const at_op at_op_attention = {
    .name = "attention",
    .formula = "C = softmax(c Q K^T) V, in blocks",
    .backward = backward,
    .sample = sample,
    .reference = reference,
};
