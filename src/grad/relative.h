/* The parts of the relative attention op (op_relative_attention.c): what is common to its files. */
#ifndef ATTEND_GRAD_RELATIVE_H
#define ATTEND_GRAD_RELATIVE_H

#include "grad/attention.h"

enum {
    ATTEND_BAND_KEYS = 256, /* keys whose distances are scored at a time */
    ATTEND_BAND_SPAN = 256, /* positions of queries that are scored together */
    ATTEND_BAND = ATTEND_BAND_KEYS + ATTEND_BAND_SPAN,
};

typedef struct {
    int batch, heads, queries, keys;
    int d, width; /* of a head; of all */
    int N;        /* distances */
    at_relative_options o;
    const real *q;                        /* [batch, queries, width] */
    at_rows k, v;                         /* the same width */
    const real *by_content, *by_distance; /* q + u, q + w: as q */
    real *context;                        /* as q */
    real *weights;                        /* [batch, heads, queries, keys] or NULL */
    at_norm *norm;                        /* [batch, heads, queries] */

    bool drops;
    at_dropping dropping; /* by number (h*queries + i)*keys + j of a sentence */

    /* backward */
    const real *d_context, *d_weights; /* one of them may be NULL */
    real *dq, *dk, *dv;                /* NULL where none is wanted; strides of their rows */
    real *d_content, *d_distance;      /* of q + u and q + w, without the segments' part; as q */
    real *d_distances;                 /* [batch, N, width] */
    real *ds, *dg;                     /* [batch, width], [batch, 2*width] */
} at_relative_work;

/* queries i .. i+rows-1 of a head, whose positions are low .. high */
typedef struct {
    int b, h, i, rows, low, high;
    real segment[ATTEND_BLOCK][2]; /* score of each with its own segment, and with others */
} at_relative_run;

/* scores by distance of a run with keys j .. j+n-1: columns first .. first+wide-1 of all N */
typedef struct {
    int j, n, first, wide;
    real x[ATTEND_BLOCK * ATTEND_BAND]; /* [rows, ATTEND_BAND] */
} at_band;

static inline int at_relative_position(const at_relative_work *w, int b, int i)
{
    const int *p = w->o.positions;
    return p ? p[(ptrdiff_t)b * w->queries + i] : w->keys - w->queries + i;
}

static inline size_t at_relative_row(const at_relative_work *w, int b, int h, int i)
{
    return ((size_t)b * (size_t)w->heads + (size_t)h) * (size_t)w->queries + (size_t)i;
}

/* where head h of row (b, i) begins in an array like q */
static inline size_t at_relative_at(const at_relative_work *w, int b, int h, int i)
{
    size_t row = (size_t)b * (size_t)w->queries + (size_t)i;
    return row * (size_t)w->width + (size_t)h * (size_t)w->d;
}

/* row n of the distances that sentence b uses, from head h on */
static inline const real *at_relative_distance(const at_relative_work *w, int b, int h, int n)
{
    ptrdiff_t group = w->o.directions ? w->o.directions[b] : 0;
    return w->o.distances->value + (group * w->N + n) * w->width + (ptrdiff_t)h * w->d;
}

/* The next run of queries from *i on, before `end`; false where there is none. *i moves behind it.
 */
bool at_relative_next(const at_relative_work *w, int b, int h, int *i, int end,
                      at_relative_run *run);

/* one past the last key that the run can see, or that exists */
int at_relative_end(const at_relative_work *w, const at_relative_run *run);

/* Sets the band of keys j .. j+n-1 and computes its scores. */
void at_relative_band(const at_relative_work *w, const at_relative_run *run, int j, int n,
                      at_band *band);

/* columns of the band that belong to row r and keys j .. j+*n-1; *n shrinks to those that exist */
static inline int at_band_column(const at_relative_work *w, const at_relative_run *run,
                                 const at_band *band, int r, int j, int *n)
{
    int column = w->o.far - at_relative_position(w, run->b, run->i + r) + j - band->first;
    *n = *n < band->wide - column ? *n : band->wide - column;
    return column;
}

/* Scores [rows, n], ATTEND_BLOCK apart, with keys j .. j+n-1 of the band. */
void at_relative_scores(const at_relative_work *w, const at_relative_run *run, const at_band *band,
                        int j, int n, real *scores);

/* Forward: one block of queries of one head; items are [batch, heads, blocks]. */
void at_relative_block(void *work, int item);

/* Backward: one head of one sentence; items are [batch, heads]. */
void at_relative_back(void *work, int item);

/* factors [n] of the weights of query i for keys j .. : 0 where dropped, else 1 / (1 - p) */
void at_relative_factors(const at_relative_work *w, int b, int h, int i, int j, int n,
                         real *factors);

#endif
