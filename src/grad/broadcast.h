/* Two tensors side by side, sizes of 1 repeated as in NumPy. */
#ifndef ATTEND_GRAD_BROADCAST_H
#define ATTEND_GRAD_BROADCAST_H

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

#endif
