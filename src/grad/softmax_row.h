/* One row of a masked softmax, shared by the softmax and attention ops. */
#ifndef ATTEND_GRAD_SOFTMAX_ROW_H
#define ATTEND_GRAD_SOFTMAX_ROW_H

#include "base/real.h"

/* y[n] = softmax of x over j < end with hidden[j] == 0 (hidden may be NULL); 0 elsewhere, and
 * everywhere when nothing is visible. y may be x. */
void at_softmax_row(int n, int end, const unsigned char *hidden, const real *x, real *y);

#endif
