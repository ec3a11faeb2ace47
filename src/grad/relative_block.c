/* Relative attention of a block of queries, one block of keys after the other.
 *
 * The score by distance of query i at position p and key j is the product of q_i + w with the row
 * far - p + j of the distances. For queries at positions low .. high and keys j .. these are the
 * rows far - high + j .. of one product, the band; a query's scores lie in its row of the band side
 * by side. */
#include <math.h>
#include <string.h>

#include "grad/relative.h"
#include "tensor/gemm.h"
#include "tensor/vector.h"

static const real HIDDEN = (real)-1e30;

static int min(int a, int b) { return a < b ? a : b; }
static int max(int a, int b) { return a > b ? a : b; }

/* ---- runs of queries ------------------------------------------------------------------------ */

static void segment_scores(const at_relative_work *w, at_relative_run *run)
{
    size_t d = (size_t)w->d, column = (size_t)run->h * d;
    for (int c = 0; w->o.g && c < 2; c++) {
        const real *g = w->o.g->value + (size_t)c * (size_t)w->width + column;
        real bias = at_vector()->dot(d, w->o.s->value + column, g);
        for (int r = 0; r < run->rows; r++) {
            const real *q = w->q + at_relative_at(w, run->b, run->h, run->i + r);
            run->segment[r][c] = w->o.scale * (at_vector()->dot(d, q, g) + bias);
        }
    }
}

bool at_relative_next(const at_relative_work *w, int b, int h, int *i, int end,
                      at_relative_run *run)
{
    while (*i < end && at_relative_position(w, b, *i) < 0)
        ++*i;
    if (*i >= end)
        return false;
    int first = at_relative_position(w, b, *i);
    *run = (at_relative_run){.b = b, .h = h, .i = *i, .low = first, .high = first};
    for (; *i < end && run->rows < ATTEND_BLOCK; ++*i, run->rows++) {
        int p = at_relative_position(w, b, *i), low = min(run->low, p), high = max(run->high, p);
        if (p < 0 || high - low >= ATTEND_BAND_SPAN)
            break;
        run->low = low;
        run->high = high;
    }
    segment_scores(w, run);
    return true;
}

/* Keys after all queries are left out where every query sees one before: itself. */
int at_relative_end(const at_relative_work *w, const at_relative_run *run)
{
    const at_sight *s = &w->o.sight;
    int end = s->lengths ? s->lengths[run->b] : w->keys;
    return s->causal && !s->key_rank && !s->hidden ? min(end, run->high + 1) : end;
}

/* ---- scores --------------------------------------------------------------------------------- */

void at_relative_band(const at_relative_work *w, const at_relative_run *run, int j, int n,
                      at_band *band)
{
    band->j = j;
    band->n = n;
    band->first = w->o.far - run->high + j;
    band->wide = max(0, min(run->high - run->low + n, w->N - band->first));
    if (band->wide > 0)
        at_gemm(run->rows, band->wide, w->d, w->o.scale,
                (at_matrix){w->by_distance + at_relative_at(w, run->b, run->h, run->i), w->width,
                            false},
                (at_matrix){at_relative_distance(w, run->b, run->h, band->first), w->width, true},
                0, band->x, ATTEND_BAND);
}

static void add_segments(const at_relative_work *w, const at_relative_run *run, int r, int j, int n,
                         real *scores)
{
    const int *keys = w->o.key_segment + (ptrdiff_t)run->b * w->keys + j;
    int own = w->o.query_segment[(ptrdiff_t)run->b * w->queries + run->i + r];
    real same = run->segment[r][0], other = run->segment[r][1];
    for (int c = 0; c < n; c++)
        scores[c] += keys[c] == own ? same : other;
}

static void hide(const at_sight *s, const at_relative_work *w, int b, int i, int j, int n,
                 real *scores)
{
    ptrdiff_t row = (ptrdiff_t)b * w->queries + i;
    int p = at_relative_position(w, b, i), own = p - j;
    real kept = own >= 0 && own < n ? scores[own] : 0;
    if (s->key_rank) {
        const int *rank = s->key_rank + (ptrdiff_t)b * w->keys + j;
        for (int c = 0, mine = s->query_rank[row]; c < n; c++)
            scores[c] = rank[c] < mine ? scores[c] : HIDDEN;
    }
    if (s->hidden) {
        const unsigned char *hidden = s->hidden + row * w->keys + j;
        for (int c = 0; c < n; c++)
            scores[c] = hidden[c] ? HIDDEN : scores[c];
    }
    for (int c = max(0, own + 1); s->causal && c < n; c++)
        scores[c] = HIDDEN;
    for (int c = 0; s->causal && s->limited && c < min(n, own - s->reach); c++)
        scores[c] = HIDDEN;
    if (s->self && own >= 0 && own < n)
        scores[own] = kept;
}

void at_relative_scores(const at_relative_work *w, const at_relative_run *run, const at_band *band,
                        int j, int n, real *scores)
{
    at_block_dots(&w->k, run->b, j, n, run->h * w->d, w->d, run->rows, w->o.scale,
                  w->by_content + at_relative_at(w, run->b, run->h, run->i), w->width, scores);
    for (int r = 0; r < run->rows; r++) {
        real *row = scores + r * ATTEND_BLOCK;
        int some = n, column = at_band_column(w, run, band, r, j, &some);
        if (some > 0)
            at_vector()->add((size_t)some, band->x + r * ATTEND_BAND + column, row, row);
        if (w->o.g)
            add_segments(w, run, r, j, n, row);
        hide(&w->o.sight, w, run->b, run->i + r, j, n, row);
    }
}

/* ---- forward -------------------------------------------------------------------------------- */

/* One more block of scores of a row: they become e^(S - max); norm and the output so far are
 * brought up to date. Hidden keys at the end are not part of the sum: how many of them there are
 * depends on the block. */
static void online(int n, real *scores, at_norm *norm, int d, real *out)
{
    real top = real_max(norm->max, at_vector()->max((size_t)n, scores));
    while (n > 0 && top > HIDDEN && scores[n - 1] == HIDDEN)
        scores[--n] = 0;
    real shrink = norm->sum == 0 ? 0 : real_exp(norm->max - top), before = norm->sum;
    norm->sum = norm->sum * shrink + at_vector()->exp_sum((size_t)n, scores, top, scores);
    norm->max = top;
    if (shrink != 1 && before != 0)
        at_vector()->axpy((size_t)d, shrink, out, 0, out);
}

static void drop(const at_relative_work *w, int b, int h, int i, int j, int n, real *row)
{
    size_t first = ((size_t)h * (size_t)w->queries + (size_t)i) * (size_t)w->keys + (size_t)j;
    at_dropout_row(&w->dropping, b, first, (size_t)n, row, 0, row);
}

void at_relative_factors(const at_relative_work *w, int b, int h, int i, int j, int n,
                         real *factors)
{
    for (int c = 0; c < n; c++)
        factors[c] = 1;
    drop(w, b, h, i, j, n, factors);
}

static void forward_keys(const at_relative_work *w, const at_relative_run *run, const at_band *band,
                         int j, int n)
{
    real scores[ATTEND_BLOCK * ATTEND_BLOCK];
    real *out = w->context + at_relative_at(w, run->b, run->h, run->i);
    size_t first = at_relative_row(w, run->b, run->h, run->i);
    at_relative_scores(w, run, band, j, n, scores);
    for (int r = 0; r < run->rows; r++) {
        real *row = scores + r * ATTEND_BLOCK;
        if (w->weights)
            memcpy(w->weights + (first + (size_t)r) * (size_t)w->keys + j, row,
                   (size_t)n * sizeof *row);
        online(n, row, &w->norm[first + (size_t)r], w->d, out + (ptrdiff_t)r * w->width);
        if (w->drops)
            drop(w, run->b, run->h, run->i + r, j, n, row);
    }
    at_block_combine(&w->v, run->b, j, n, run->h * w->d, w->d, run->rows, scores, out, w->width);
}

static void finish(const at_relative_work *w, const at_relative_run *run, int r, int seen)
{
    size_t row = at_relative_row(w, run->b, run->h, run->i + r), K = (size_t)w->keys;
    real *out = w->context + at_relative_at(w, run->b, run->h, run->i + r);
    at_norm norm = w->norm[row];
    if (norm.sum != 0)
        at_vector()->axpy((size_t)w->d, 1 / norm.sum, out, 0, out);
    if (!w->weights)
        return;
    at_row_weights(seen, norm, w->weights + row * K);
    memset(w->weights + row * K + seen, 0, (K - (size_t)seen) * sizeof *w->weights);
}

/* rows of a block before their first key; those of no query stay so */
static void clear(const at_relative_work *w, int b, int h, int i, int end)
{
    for (; i < end; i++) {
        size_t row = at_relative_row(w, b, h, i);
        w->norm[row] = (at_norm){-(real)INFINITY, 0};
        memset(w->context + at_relative_at(w, b, h, i), 0, (size_t)w->d * sizeof *w->context);
        if (w->weights)
            memset(w->weights + row * (size_t)w->keys, 0, (size_t)w->keys * sizeof *w->weights);
    }
}

void at_relative_block(void *work, int item)
{
    const at_relative_work *w = work;
    int blocks = (w->queries + ATTEND_BLOCK - 1) / ATTEND_BLOCK;
    int i = item % blocks * ATTEND_BLOCK, h = item / blocks % w->heads;
    int b = item / blocks / w->heads, end = min(i + ATTEND_BLOCK, w->queries);
    at_relative_run run;
    at_band band;
    clear(w, b, h, i, end);
    while (at_relative_next(w, b, h, &i, end, &run)) {
        int last = at_relative_end(w, &run);
        for (int first = 0; first < last; first += ATTEND_BAND_KEYS) {
            int stop = min(first + ATTEND_BAND_KEYS, last);
            at_relative_band(w, &run, first, stop - first, &band);
            for (int j = first; j < stop; j += ATTEND_BLOCK)
                forward_keys(w, &run, &band, j, min(ATTEND_BLOCK, stop - j));
        }
        for (int r = 0; r < run.rows; r++)
            finish(w, &run, r, last);
    }
}
