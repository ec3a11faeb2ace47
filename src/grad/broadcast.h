/* Two tensors side by side, sizes of 1 repeated as in NumPy. */
#ifndef ATTEND_GRAD_BROADCAST_H
#define ATTEND_GRAD_BROADCAST_H

#include "base/real.h"
#include "tensor/shape.h"

typedef struct {
    at_shape shape; /* of the result */
    bool same;      /* both have this shape; the rest is not filled in then */
    size_t rows;    /* of the result; each has n elements */
    int n;
    int outer[3]; /* the three outer sizes, 1 where there are fewer */
    ptrdiff_t a_step[4],
        b_step[4]; /* of each operand along the outer axes and the row; 0 repeats */
} at_broadcast;

/* false when the shapes do not fit */
bool at_broadcast_plan(at_shape a, at_shape b, at_broadcast *plan);

/* where the operands' elements for a row of the result start */
void at_broadcast_row(const at_broadcast *plan, size_t row, ptrdiff_t *a, ptrdiff_t *b);

/* All rows of the result on all threads; `row` computes one, with the steps a_step[3], b_step[3].
 */
typedef void at_broadcast_op(const at_broadcast *plan, const real *a, const real *b, real *y);
void at_broadcast_run(const at_broadcast *plan, at_broadcast_op *row, const real *a, const real *b,
                      real *y);

#endif
