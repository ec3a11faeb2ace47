/* Backward of relative attention, where P = e^(S - m) / l is computed again, block by block:
 *
 *     R = P F, F: 0 where a weight was dropped, else 1 / (1 - p);  dV = R^T dC
 *     dP = (dC V^T) F + dW,   D = sum_j dC_j C_j + sum_j P_j dW_j,   dS = c P (dP - D)
 *     content   d(q + u) = dS K,        dK = dS^T (q + u)
 *     distance  d(q + w) = dX r,        dr = dX^T (q + w),   X: dS, each row in its place of the
 * band segment   de_c = sum of dS over the keys of the one kind, dq = ds = de_c g_c, dg_c = de_c (q
 * + s) */
#include <string.h>

#include "grad/relative.h"
#include "tensor/gemm.h"
#include "tensor/vector.h"

static int min(int a, int b) { return a < b ? a : b; }

/* what a run needs on its way through the keys */
typedef struct {
    at_band band, d_band;
    real delta[ATTEND_BLOCK];        /* D */
    real d_segment[ATTEND_BLOCK][2]; /* de */
    real p[ATTEND_BLOCK * ATTEND_BLOCK], ds[ATTEND_BLOCK * ATTEND_BLOCK];
} state;

static real delta_of(const at_relative_work *w, int b, int h, int i)
{
    size_t at = at_relative_at(w, b, h, i), row = at_relative_row(w, b, h, i) * (size_t)w->keys;
    real delta = 0;
    if (w->d_context)
        delta = at_vector()->dot((size_t)w->d, w->d_context + at, w->context + at);
    if (w->d_weights)
        delta += at_vector()->dot((size_t)w->keys, w->d_weights + row, w->weights + row);
    return delta;
}

static void add_segment(const at_relative_work *w, const at_relative_run *run, int r, int j, int n,
                        const real *ds, real de[2])
{
    const int *keys = w->o.key_segment + (ptrdiff_t)run->b * w->keys + j;
    int own = w->o.query_segment[(ptrdiff_t)run->b * w->queries + run->i + r];
    real other = 0;
    for (int c = 0; c < n; c++)
        other += keys[c] == own ? 0 : ds[c];
    de[0] += at_vector()->sum((size_t)n, ds) - other;
    de[1] += other;
}

/* a row of scores becomes R, and dC V^T becomes dS */
static void row_gradient(const at_relative_work *w, const at_relative_run *run, int r, int j, int n,
                         state *x)
{
    size_t row = at_relative_row(w, run->b, run->h, run->i + r);
    real *p = x->p + r * ATTEND_BLOCK, *ds = x->ds + r * ATTEND_BLOCK, factors[ATTEND_BLOCK];
    if (w->drops) {
        at_relative_factors(w, run->b, run->h, run->i + r, j, n, factors);
        at_vector()->multiply((size_t)n, ds, factors, ds);
    }
    if (w->d_weights)
        at_vector()->add((size_t)n, w->d_weights + row * (size_t)w->keys + j, ds, ds);
    at_row_weights(n, w->norm[row], p);
    for (int c = 0; c < n; c++)
        ds[c] = w->o.scale * (p[c] * (ds[c] - x->delta[r]));
    if (w->drops)
        at_vector()->multiply((size_t)n, p, factors, p);
    int some = n, column = at_band_column(w, run, &x->band, r, j, &some);
    real *band = x->d_band.x + r * ATTEND_BAND + column;
    if (some > 0)
        at_vector()->add((size_t)some, ds, band, band);
    if (w->o.g)
        add_segment(w, run, r, j, n, ds, x->d_segment[r]);
}

/* keys j .. j+n-1 of the band */
static void backward_keys(const at_relative_work *w, const at_relative_run *run, int j, int n,
                          state *x)
{
    int column = run->h * w->d;
    size_t at = at_relative_at(w, run->b, run->h, run->i);
    at_relative_scores(w, run, &x->band, j, n, x->p);
    if (w->d_context)
        at_block_dots(&w->v, run->b, j, n, column, w->d, run->rows, 1, w->d_context + at, w->width,
                      x->ds);
    else
        memset(x->ds, 0, sizeof x->ds);
    for (int r = 0; r < run->rows; r++)
        row_gradient(w, run, r, j, n, x);
    at_matrix pt = {x->p, ATTEND_BLOCK, true}, dst = {x->ds, ATTEND_BLOCK, true};
    if (w->dv && w->d_context)
        at_gemm(n, w->d, run->rows, 1, pt, (at_matrix){w->d_context + at, w->width, false}, 1,
                w->dv + (at_row(&w->v, run->b, j) - w->v.data) + column, w->v.ld);
    if (w->dk)
        at_gemm(n, w->d, run->rows, 1, dst, (at_matrix){w->by_content + at, w->width, false}, 1,
                w->dk + (at_row(&w->k, run->b, j) - w->k.data) + column, w->k.ld);
    at_block_combine(&w->k, run->b, j, n, column, w->d, run->rows, x->ds, w->d_content + at,
                     w->width);
}

static void backward_band(const at_relative_work *w, const at_relative_run *run, const state *x)
{
    int first = x->band.first, wide = x->band.wide;
    size_t at = at_relative_at(w, run->b, run->h, run->i);
    if (wide == 0)
        return;
    at_gemm(run->rows, w->d, wide, 1, (at_matrix){x->d_band.x, ATTEND_BAND, false},
            (at_matrix){at_relative_distance(w, run->b, run->h, first), w->width, false}, 1,
            w->d_distance + at, w->width);
    real *dr = w->d_distances + ((ptrdiff_t)run->b * w->N + first) * w->width + run->h * w->d;
    at_gemm(wide, w->d, run->rows, 1, (at_matrix){x->d_band.x, ATTEND_BAND, true},
            (at_matrix){w->by_distance + at, w->width, false}, 1, dr, w->width);
}

static void backward_segments(const at_relative_work *w, const at_relative_run *run, const state *x)
{
    size_t d = (size_t)w->d, width = (size_t)w->width, column = (size_t)run->h * d;
    const at_vector_kernel *v = at_vector();
    const real *s = w->o.s->value + column;
    real *ds = w->ds + (size_t)run->b * width + column;
    for (int c = 0; c < 2; c++) {
        const real *g = w->o.g->value + (size_t)c * width + column;
        real *dg = w->dg + ((size_t)run->b * 2 + (size_t)c) * width + column;
        for (int r = 0; r < run->rows; r++) {
            size_t at = at_relative_at(w, run->b, run->h, run->i + r);
            real de = x->d_segment[r][c];
            if (w->dq)
                v->axpy(d, de, g, 1, w->dq + at);
            v->axpy(d, de, g, 1, ds);
            v->axpy(d, de, w->q + at, 1, dg);
            v->axpy(d, de, s, 1, dg);
        }
    }
}

static void backward_run(const at_relative_work *w, const at_relative_run *run, state *x)
{
    int last = at_relative_end(w, run);
    for (int r = 0; r < run->rows; r++) {
        x->delta[r] = delta_of(w, run->b, run->h, run->i + r);
        x->d_segment[r][0] = x->d_segment[r][1] = 0;
    }
    for (int first = 0; first < last; first += ATTEND_BAND_KEYS) {
        int stop = min(first + ATTEND_BAND_KEYS, last);
        at_relative_band(w, run, first, stop - first, &x->band);
        for (int r = 0; r < run->rows; r++)
            memset(x->d_band.x + r * ATTEND_BAND, 0, (size_t)x->band.wide * sizeof *x->d_band.x);
        for (int j = first; j < stop; j += ATTEND_BLOCK)
            backward_keys(w, run, j, min(ATTEND_BLOCK, stop - j), x);
        backward_band(w, run, x);
    }
    if (w->o.g)
        backward_segments(w, run, x);
}

void at_relative_back(void *work, int item)
{
    const at_relative_work *w = work;
    at_relative_run run;
    state x;
    for (int i = 0; at_relative_next(w, item / w->heads, item % w->heads, &i, w->queries, &run);)
        backward_run(w, &run, &x);
}
