/* Attention of a block of queries, one block of keys after the other. */
#include <math.h>
#include <string.h>

#include "grad/attention.h"
#include "tensor/gemm.h"

static int min(int a, int b) { return a < b ? a : b; }

/* ---- products with rows that may lie in several columns of a cache ------------------------ */

enum { GATHERED = 128 }; /* columns that are gathered at a time */

static bool in_place(const at_rows *x, int b, int j, int n)
{
    const int *which = x->which ? x->which + (ptrdiff_t)b * x->rows + j : NULL;
    for (int c = 1; which && c < n; c++)
        if (which[c] != which[0])
            return false;
    return true;
}

/* columns column .. column+width-1 of rows j .. j+n-1, copied to a [n, GATHERED] */
static at_matrix gather(const at_rows *x, int b, int j, int n, int column, int width, bool turned,
                        real *to)
{
    for (int c = 0; c < n; c++)
        memcpy(to + c * GATHERED, at_row(x, b, j + c) + column, (size_t)width * sizeof *to);
    return (at_matrix){to, GATHERED, turned};
}

/* Parts of a sum over the columns continue each other's chains: the bits are those of one product.
 */
void at_block_dots(const at_rows *x, int b, int j, int n, int column, int width, int rows,
                   real alpha, const real *a, ptrdiff_t lda, real *y)
{
    if (in_place(x, b, j, n)) {
        at_gemm(rows, n, width, alpha, (at_matrix){a, lda, false},
                (at_matrix){at_row(x, b, j) + column, x->ld, true}, 0, y, ATTEND_BLOCK);
        return;
    }
    real copy[ATTEND_BLOCK * GATHERED];
    for (int c = 0; c < width; c += GATHERED) {
        int some = min(GATHERED, width - c);
        at_gemm(rows, n, some, alpha, (at_matrix){a + c, lda, false},
                gather(x, b, j, n, column + c, some, true, copy), c ? 1 : 0, y, ATTEND_BLOCK);
    }
}

void at_block_combine(const at_rows *x, int b, int j, int n, int column, int width, int rows,
                      const real *p, real *y, ptrdiff_t ldy)
{
    at_matrix left = {p, ATTEND_BLOCK, false};
    if (in_place(x, b, j, n)) {
        at_gemm(rows, width, n, 1, left, (at_matrix){at_row(x, b, j) + column, x->ld, false}, 1, y,
                ldy);
        return;
    }
    real copy[ATTEND_BLOCK * GATHERED];
    for (int c = 0; c < width; c += GATHERED) {
        int some = min(GATHERED, width - c);
        at_gemm(rows, some, n, 1, left, gather(x, b, j, n, column + c, some, false, copy), 1, y + c,
                ldy);
    }
}

/* ---- forward ------------------------------------------------------------------------------ */

void at_block_scores(const at_attention_work *w, int b, int h, int i, int rows, int j, int n,
                     real *scores)
{
    at_block_dots(&w->k, b, j, n, h * w->d, w->d, rows, w->scale, at_row(&w->q, b, i) + h * w->d,
                  w->q.ld, scores);
    for (int r = 0; r < rows; r++)
        at_row_mask(w, b, h, i + r, j, n, scores + r * ATTEND_BLOCK);
}

void at_attention_block(void *work, int item)
{
    const at_attention_work *w = work;
    int blocks = (w->queries + ATTEND_BLOCK - 1) / ATTEND_BLOCK;
    int i = item % blocks * ATTEND_BLOCK, h = item / blocks % w->heads;
    int b = item / blocks / w->heads, rows = min(ATTEND_BLOCK, w->queries - i);
    int last = at_block_end(w, b, i, rows);
    ptrdiff_t ld = (ptrdiff_t)w->heads * w->e;
    real scores[ATTEND_BLOCK * ATTEND_BLOCK], *out = at_context_row(w, b, h, i);
    at_norm *norm = w->norm + at_row_number(w, b, h, i);
    for (int r = 0; r < rows; r++) {
        norm[r] = (at_norm){-(real)INFINITY, 0};
        memset(out + r * ld, 0, (size_t)w->e * sizeof *out);
    }
    for (int j = 0; j < last; j += ATTEND_BLOCK) {
        int n = min(ATTEND_BLOCK, last - j);
        at_block_scores(w, b, h, i, rows, j, n, scores);
        for (int r = 0; r < rows; r++) {
            real *row = scores + r * ATTEND_BLOCK;
            if (w->weights)
                memcpy(at_weights_row(w, b, h, i + r) + j, row, (size_t)n * sizeof *row);
            at_row_online(n, row, &norm[r], w->e, out + r * ld);
            if (w->drops)
                at_row_drop(w, b, h, i + r, j, n, row);
        }
        at_block_combine(&w->v, b, j, n, h * w->e, w->e, rows, scores, out, ld);
    }
    for (int r = 0; r < rows; r++)
        at_row_finish(w, b, h, i + r, last);
}
