/* Reading an at_mask (ops.h) row by row. */
#ifndef ATTEND_GRAD_MASK_H
#define ATTEND_GRAD_MASK_H

#include "grad/ops.h"

/* a mask and the sizes of the scores [B,H,Q,K] that it covers */
typedef struct {
    at_mask mask;
    int batch, heads, queries, keys;
    size_t hidden_step[3], added_step[3]; /* along batch, head, query; 0 repeats */
} at_mask_view;

/* Fits mask (NULL: everything is visible) to scores of the given shape, rank 2 to 4 (3 and 4 with
 * lengths or first); fails the tape and returns false where it does not fit, and where it has
 * numbers to be added. */
bool at_mask_fit(at_tape *t, const char *op, const at_mask *mask, at_shape scores,
                 at_mask_view *view);

/* The same for callers that add the mask's numbers. */
bool at_mask_fit_added(at_tape *t, const char *op, const at_mask *mask, at_shape scores,
                       at_mask_view *view);

/* position of the first query of sentence b */
static inline int at_mask_first(const at_mask *m, int b)
{
    return m->first ? m->first[b] : m->offset;
}

/* Keys from here on are hidden from query i of sentence b by length and by causality. */
int at_mask_end(const at_mask_view *v, int b, int i);

/* a row [keys] of hidden flags, and of numbers to be added; NULL where there are none */
const unsigned char *at_mask_row(const at_mask_view *v, int b, int h, int i);
const real *at_mask_added(const at_mask_view *v, int b, int h, int i);

#endif
