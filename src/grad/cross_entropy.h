/* What the two cross-entropy ops share: targets, rows, and the weight of each row. */
#ifndef ATTEND_GRAD_CROSS_ENTROPY_H
#define ATTEND_GRAD_CROSS_ENTROPY_H

#include "grad/ops.h"

typedef struct {
    at_cross_entropy_options options;
    size_t rows;
    int classes;
    const int *target; /* a copy on the tape */
    real weight;       /* of each row that counts: 1, 1/count or 1/divisor */
} at_targets;

/* Checks and copies the targets of `rows` rows; NULL on a failed tape. */
at_targets *at_targets_new(at_tape *t, const char *op, at_ids targets, size_t rows, int classes,
                           at_cross_entropy_options options);

/* what is kept of a row: its largest logit and sum exp(logit - max) */
typedef struct {
    real max, sum;
} at_softmax_norm;

/* Loss of row `row` with these logits, times the row's weight; 0 for an ignored one. */
double at_cross_entropy_row(const at_targets *c, size_t row, const real *logits,
                            at_softmax_norm *norm);

/* grad[classes] = scale * weight * d loss / d logits of one row; grad may be the logits. */
void at_cross_entropy_grad(const at_targets *c, size_t row, const real *logits,
                           at_softmax_norm norm, real scale, real *grad);

/* Both at once, with each exponential computed once: returns the loss of the row, and its logits
 * become their gradient. */
double at_cross_entropy_both(const at_targets *c, size_t row, real *logits);

#endif
