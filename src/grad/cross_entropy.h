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

/* ---- mixtures (mixture.c): the softmax is one of two that may have said the target --------- */

/* p = g s + (1 - g) o from log s, o and the gate's input, g = sigmoid(gate) */
typedef struct {
    double log_p; /* not below log 1e-37, unless s alone makes it so */
    double gate;  /* g */
    double share; /* g s / p: what the softmax had in it; NAN where p is 0 */
} at_mixed;

at_mixed at_mix(real gate, double log_s, real other);

typedef struct {
    const real *gate, *other; /* [rows]: the gate's input; what the other one gives the target */
    real *dgate, *dother;     /* [rows]: their gradients, or NULL */
    real *nll;                /* [rows]: receives - log p of each row, 0 for ignored; or NULL */
} at_mixture;

/* As at_cross_entropy_both, where targets from `classes` on are the other one's alone; without
 * `gradient` the logits are left as they are. */
double at_mixture_both(const at_targets *c, const at_mixture *m, size_t row, real *logits,
                       bool gradient);

#endif
