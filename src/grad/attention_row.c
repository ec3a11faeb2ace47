/* Rows of attention scores: mask, online softmax, dropout, weights.
 *
 *     m' = max(m, max S);  l = l e^(m - m') + sum e^(S - m');  O = O e^(m - m') (Milakov and
 *     Gimelshein 2018); in the end C = O / l, P = e^(S - m) / l */
#include <math.h>
#include <string.h>

#include "grad/attention.h"
#include "tensor/vector.h"

int at_block_end(const at_attention_work *w, int b, int i, int rows)
{
    int last = 0;
    for (int r = i; r < i + rows; r++) {
        int end = at_mask_end(&w->mask, b, r);
        last = last > end ? last : end;
    }
    return last;
}

void at_row_mask(const at_attention_work *w, int b, int h, int i, int j, int n, real *scores)
{
    int end = at_mask_end(&w->mask, b, i) - j;
    const unsigned char *hidden = at_mask_row(&w->mask, b, h, i);
    const real *added = at_mask_added(&w->mask, b, h, i);
    if (added)
        at_vector()->add((size_t)n, added + j, scores, scores);
    for (int c = end < 0 ? 0 : end; c < n; c++)
        scores[c] = -(real)INFINITY;
    for (int c = 0; hidden && c < n; c++)
        if (hidden[j + c])
            scores[c] = -(real)INFINITY;
}

/* Hidden keys at the end, padding among them, which depends on the batch, are not part of the sum:
 * zeros would change the order it is taken in. */
void at_row_online(int n, real *scores, at_norm *norm, int e, real *out)
{
    real top = real_max(norm->max, at_vector()->max((size_t)n, scores));
    if (top == -(real)INFINITY) { /* nothing is visible, or nothing that is a number */
        for (int c = 0; c < n; c++) {
            scores[c] = isnan(scores[c]) ? scores[c] : 0;
            norm->sum += scores[c];
        }
        return;
    }
    while (n > 0 && scores[n - 1] == -(real)INFINITY)
        scores[--n] = 0;
    real shrink = norm->max == -(real)INFINITY ? 0 : real_exp(norm->max - top), before = norm->sum;
    norm->sum = norm->sum * shrink + at_vector()->exp_sum((size_t)n, scores, top, scores);
    norm->max = top;
    if (shrink != 1 && before != 0)
        at_vector()->axpy((size_t)e, shrink, out, 0, out);
}

static void drop(const at_attention_work *w, int b, int h, int i, int j, int n, const real *x,
                 real *y)
{
    size_t first = ((size_t)h * (size_t)w->queries + (size_t)i) * (size_t)w->keys + (size_t)j;
    at_dropout_row(&w->dropping, b, first, (size_t)n, x, 0, y);
}

void at_row_drop(const at_attention_work *w, int b, int h, int i, int j, int n, real *row)
{
    drop(w, b, h, i, j, n, row, row);
}

void at_row_factors(const at_attention_work *w, int b, int h, int i, int j, int n, real *factors)
{
    for (int c = 0; c < n; c++)
        factors[c] = 1;
    drop(w, b, h, i, j, n, factors, factors);
}

void at_row_weights(int n, at_norm norm, real *scores)
{
    if (norm.sum == 0)
        memset(scores, 0, (size_t)n * sizeof *scores);
    else if (norm.max == -(real)INFINITY)
        for (int c = 0; c < n; c++)
            scores[c] = isnan(scores[c]) ? scores[c] : 0;
    else
        at_vector()->exp_scale((size_t)n, scores, norm.max, 1 / norm.sum, 0, scores);
}

void at_row_finish(const at_attention_work *w, int b, int h, int i, int seen)
{
    at_norm norm = w->norm[at_row_number(w, b, h, i)];
    real *out = at_context_row(w, b, h, i);
    if (norm.sum != 0)
        at_vector()->axpy((size_t)w->e, 1 / norm.sum, out, 0, out);
    if (!w->weights)
        return;
    real *weights = at_weights_row(w, b, h, i);
    at_row_weights(seen, norm, weights);
    memset(weights + seen, 0, (size_t)(w->keys - seen) * sizeof *weights);
}
