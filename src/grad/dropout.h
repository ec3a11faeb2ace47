/* Dropout of rows: for ops that drop inside their own loops and draw the same numbers again in
 * backward, instead of keeping a mask. */
#ifndef ATTEND_GRAD_DROPOUT_H
#define ATTEND_GRAD_DROPOUT_H

#include "grad/tape.h"
#include "tensor/vector_kernel.h"

/* One use of dropout on a tape that trains: the next numbers of the tape, kept by the op for its
 * backward. 0 <= p < 1; p = 0 draws too, and drops nothing. */
at_dropping at_dropout_start(at_tape *t, real p);

/* y = m x / (1 - p) + beta y for the elements first .. first + n - 1 of a sentence, on the calling
 * thread. m is a function of the use, the sentence and the element alone: elements may be cut into
 * calls in any way. An op numbers the elements of a sentence as it likes, from 0, in row-major
 * order by convention, and at most 2^34 of them. sentence counts from the tape's first one. y may
 * be x; beta is 0 or 1. Backward is the same function of dy and dx. */
void at_dropout_row(const at_dropping *use, int sentence, size_t first, size_t n, const real *x,
                    real beta, real *y);

#endif
