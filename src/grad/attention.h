/* The parts of the attention op (op_attention.c): what is common to its files. */
#ifndef ATTEND_GRAD_ATTENTION_H
#define ATTEND_GRAD_ATTENTION_H

#include "grad/dropout.h"
#include "grad/mask.h"

enum {
    ATTEND_BLOCK = 64,      /* queries, and keys, of a block */
    ATTEND_FEW_QUERIES = 4, /* attention_few.c computes up to 4 queries */
};

/* of a row of scores S: max S, and sum e^(S - max), which is 0 where nothing is visible */
typedef struct {
    real max, sum;
} at_norm;

typedef struct {
    int batch, heads, queries, keys;
    int d, e; /* width of a head's queries and keys, and of its values */
    real scale;
    at_mask_view mask;
    at_rows q, k, v;
    real *context; /* [batch, queries, heads*e] */
    real *weights; /* [batch, heads, queries, keys] or NULL */
    at_norm *norm; /* [batch, heads, queries] */
    real *scaled;  /* [batch, queries, heads*d]: queries times scale, for attention_few.c */

    bool drops;
    at_dropping dropping; /* by number (h*queries + i)*keys + j of a sentence */

    /* backward; gradients of rows have the strides of the rows */
    const real *d_context, *d_weights; /* one of them may be NULL */
    real *dq, *dk, *dv;                /* NULL where none is wanted */
} at_attention_work;

/* row j of sentence b, from its first head on */
static inline const real *at_row(const at_rows *x, int b, int j)
{
    ptrdiff_t column = x->which ? x->which[(ptrdiff_t)b * x->rows + j] : b;
    return x->data + column * x->step + j * x->ld;
}

/* position of (b, h, i) among rows [batch, heads, queries] */
static inline size_t at_row_number(const at_attention_work *w, int b, int h, int i)
{
    return ((size_t)b * (size_t)w->heads + (size_t)h) * (size_t)w->queries + (size_t)i;
}

static inline real *at_context_row(const at_attention_work *w, int b, int h, int i)
{
    size_t row = (size_t)b * (size_t)w->queries + (size_t)i;
    return w->context + (row * (size_t)w->heads + (size_t)h) * (size_t)w->e;
}

static inline real *at_weights_row(const at_attention_work *w, int b, int h, int i)
{
    return w->weights + at_row_number(w, b, h, i) * (size_t)w->keys;
}

/* multiply-adds of one head of one sentence */
static inline double at_head_work(const at_attention_work *w)
{
    return (double)w->queries * w->keys * (w->d + w->e);
}

/* ---- attention_row.c: rows of scores ---------------------------------------------------- */

/* one past the last key that any of `rows` queries from i on can see, by length and causality */
int at_block_end(const at_attention_work *w, int b, int i, int rows);

/* Adds the mask's numbers to scores of query i with keys j .. j+n-1; hidden ones become -inf. */
void at_row_mask(const at_attention_work *w, int b, int h, int i, int j, int n, real *scores);

/* One more block of scores of a row: they become e^(S - max), 0 where hidden; norm and the output
 * so far, out [e], are brought up to date. */
void at_row_online(int n, real *scores, at_norm *norm, int e, real *out);

/* Drops numbers of a row of weights. */
void at_row_drop(const at_attention_work *w, int b, int h, int i, int j, int n, real *row);

/* factors [n] of the weights of query i for keys j .. : 0 where dropped, else 1 / (1 - p) */
void at_row_factors(const at_attention_work *w, int b, int h, int i, int j, int n, real *factors);

/* Scores become weights: e^(S - max) / sum, 0 where hidden. */
void at_row_weights(int n, at_norm norm, real *scores);

/* The output divided by the sum; and w->weights, which holds scores of the first `seen` keys. */
void at_row_finish(const at_attention_work *w, int b, int h, int i, int seen);

/* ---- attention_block.c ------------------------------------------------------------------ */

/* Scores [rows, n], ATTEND_BLOCK apart, of queries i .. with keys j .., masked. */
void at_block_scores(const at_attention_work *w, int b, int h, int i, int rows, int j, int n,
                     real *scores);

/* y[rows, width] += p X, where p is [rows, n], ATTEND_BLOCK apart, and X are columns column .. of
 * rows j .. j+n-1 of sentence b. */
void at_block_combine(const at_rows *x, int b, int j, int n, int column, int width, int rows,
                      const real *p, real *y, ptrdiff_t ldy);

/* y[rows, n] = alpha a X^T, ATTEND_BLOCK apart, where a is [rows, width]. */
void at_block_dots(const at_rows *x, int b, int j, int n, int column, int width, int rows,
                   real alpha, const real *a, ptrdiff_t lda, real *y);

/* Forward: one block of queries of one head; items are [batch, heads, blocks]. */
void at_attention_block(void *work, int item);

/* ---- attention_few.c -------------------------------------------------------------------- */

/* Forward with few queries, with the bits of the blocks. */
void at_attention_few(const at_attention_work *w);

/* ---- attention_backward.c --------------------------------------------------------------- */

void at_attention_back(const at_attention_work *w, bool heads_apart);

#endif
