/* Backward of attention, where P = e^(S - m) / l is computed again, block by block:
 *
 *     R = P F, F: 0 where a weight was dropped, else 1 / (1 - p);  dV = R^T dC
 *     dP = (dC V^T) F + dW,   D = sum_j dC_j C_j + sum_j P_j dW_j,   dS = P (dP - D)
 *     dQ = c dS K,   dK = c dS^T Q */
#include <string.h>

#include "base/threads.h"
#include "grad/attention.h"
#include "tensor/gemm.h"
#include "tensor/vector.h"

static int min(int a, int b) { return a < b ? a : b; }

/* a block: queries i .., keys j .. */
typedef struct {
    int b, h, i, rows, j, n;
} block;

static const real *d_context_row(const at_attention_work *w, int b, int h, int i)
{
    return w->d_context + (at_context_row(w, b, h, i) - w->context);
}

static real *gradient_row(real *gradient, const at_rows *x, int b, int j, int column)
{
    return gradient + (at_row(x, b, j) - x->data) + column;
}

/* dP of a row from dC V^T */
static void row_gradient(const at_attention_work *w, block k, int r, const real *factors, real *dp)
{
    if (w->drops)
        at_vector()->multiply((size_t)k.n, dp, factors, dp);
    if (w->d_weights) {
        size_t at = at_row_number(w, k.b, k.h, k.i + r) * (size_t)w->keys + (size_t)k.j;
        at_vector()->add((size_t)k.n, w->d_weights + at, dp, dp);
    }
}

/* scores become R, and dC V^T becomes c dS */
static void block_gradient(const at_attention_work *w, block k, const real *delta, real *p,
                           real *dp)
{
    const at_norm *norm = w->norm + at_row_number(w, k.b, k.h, k.i);
    real factors[ATTEND_BLOCK];
    for (int r = 0; r < k.rows; r++) {
        real *row = p + r * ATTEND_BLOCK, *d = dp + r * ATTEND_BLOCK;
        if (w->drops)
            at_row_factors(w, k.b, k.h, k.i + r, k.j, k.n, factors);
        row_gradient(w, k, r, factors, d);
        at_row_weights(k.n, norm[r], row);
        for (int c = 0; c < k.n; c++)
            d[c] = w->scale * (row[c] * (d[c] - delta[r]));
        if (w->drops)
            at_vector()->multiply((size_t)k.n, row, factors, row);
    }
}

static void backward_block(const at_attention_work *w, block k, const real *delta)
{
    real p[ATTEND_BLOCK * ATTEND_BLOCK], dp[ATTEND_BLOCK * ATTEND_BLOCK];
    ptrdiff_t le = (ptrdiff_t)w->heads * w->e;
    int d = k.h * w->d, e = k.h * w->e; /* first columns of the head */
    at_block_scores(w, k.b, k.h, k.i, k.rows, k.j, k.n, p);
    if (w->d_context)
        at_block_dots(&w->v, k.b, k.j, k.n, e, w->e, k.rows, 1, d_context_row(w, k.b, k.h, k.i), le,
                      dp);
    else
        memset(dp, 0, sizeof dp);
    block_gradient(w, k, delta, p, dp);
    at_matrix dst = {dp, ATTEND_BLOCK, true}, pt = {p, ATTEND_BLOCK, true};
    if (w->dv && w->d_context)
        at_gemm(k.n, w->e, k.rows, 1, pt, (at_matrix){d_context_row(w, k.b, k.h, k.i), le, false},
                1, gradient_row(w->dv, &w->v, k.b, k.j, e), w->v.ld);
    if (w->dq)
        at_block_combine(&w->k, k.b, k.j, k.n, d, w->d, k.rows, dp,
                         gradient_row(w->dq, &w->q, k.b, k.i, d), w->q.ld);
    if (w->dk)
        at_gemm(k.n, w->d, k.rows, 1, dst, (at_matrix){at_row(&w->q, k.b, k.i) + d, w->q.ld, false},
                1, gradient_row(w->dk, &w->k, k.b, k.j, d), w->k.ld);
}

/* D of query i */
static real delta_of(const at_attention_work *w, int b, int h, int i)
{
    real delta = 0;
    if (w->d_context)
        delta = at_vector()->dot((size_t)w->e, d_context_row(w, b, h, i),
                                 at_context_row(w, b, h, i));
    if (w->d_weights) {
        size_t at = at_row_number(w, b, h, i) * (size_t)w->keys;
        delta += at_vector()->dot((size_t)w->keys, w->d_weights + at, w->weights + at);
    }
    return delta;
}

static void backward_head(void *arg, int item)
{
    const at_attention_work *w = arg;
    int b = item / w->heads, h = item % w->heads;
    for (int i = 0; i < w->queries; i += ATTEND_BLOCK) {
        int rows = min(ATTEND_BLOCK, w->queries - i), last = at_block_end(w, b, i, rows);
        real delta[ATTEND_BLOCK];
        for (int r = 0; r < rows; r++)
            delta[r] = delta_of(w, b, h, i + r);
        for (int j = 0; j < last; j += ATTEND_BLOCK)
            backward_block(w, (block){b, h, i, rows, j, min(ATTEND_BLOCK, last - j)}, delta);
    }
}

static void backward_sentence(void *arg, int b)
{
    const at_attention_work *w = arg;
    for (int h = 0; h < w->heads; h++)
        backward_head(arg, b * w->heads + h);
}

void at_attention_back(const at_attention_work *w, bool heads_apart)
{
    if (heads_apart)
        at_parallel_each(w->batch * w->heads, 3 * at_head_work(w), backward_head, (void *)w);
    else
        at_parallel_each(w->batch, 3 * w->heads * at_head_work(w), backward_sentence, (void *)w);
}
