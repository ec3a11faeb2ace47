/* The types of numbers that a matrix in memory may have: `real`, or the two-byte floats in which
 * large models are stored (base/half.h). Products widen the latter exactly, a block at a time. */
#ifndef ATTEND_TENSOR_ELEMENT_H
#define ATTEND_TENSOR_ELEMENT_H

#include <stddef.h>

#include "base/real.h"

typedef enum {
    ATTEND_ELEMENT_REAL,
    ATTEND_ELEMENT_F16,
    ATTEND_ELEMENT_BF16,
} at_element;

static inline size_t at_element_size(at_element type)
{
    return type == ATTEND_ELEMENT_REAL ? sizeof(real) : 2;
}

/* Widens n numbers exactly. `from` needs no alignment. */
void at_element_widen(at_element type, size_t n, const void *from, real *to);

#endif
