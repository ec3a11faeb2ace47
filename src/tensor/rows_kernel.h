/* Products of a few rows with rows that are given by pointers, one instance per instruction set.
 * Every element is the chain of multiply-adds of gemm_kernel.h, so that results have the bits of
 * at_gemm. */
#ifndef ATTEND_TENSOR_ROWS_KERNEL_H
#define ATTEND_TENSOR_ROWS_KERNEL_H

#include <stddef.h>

#include "base/real.h"

enum { ATTEND_FEW_ROWS = 4 };

typedef struct {
    const char *isa;

    /* For each head h: y[(h*m + i)*ldy + j] = sum_p a[i*lda + h*k + p] b[j][offset + h*k + p], p <
     * k; m <= ATTEND_FEW_ROWS rows of a, n rows b */
    void (*dots)(int m, int n, int heads, int k, const real *a, ptrdiff_t lda, const real *const *b,
                 ptrdiff_t offset, real *y, ptrdiff_t ldy);

    /* y[i*ldy + c] += sum_j p[i*ldp + j] b[j][offset + c], c < width */
    void (*combine)(int m, int n, int width, const real *p, ptrdiff_t ldp, const real *const *b,
                    ptrdiff_t offset, real *y, ptrdiff_t ldy);
} at_rows_kernel;

extern const at_rows_kernel at_rows_kernel_base;
extern const at_rows_kernel at_rows_kernel_avx2;
extern const at_rows_kernel at_rows_kernel_avx512;

/* the table for the instruction set in use (vector.c) */
const at_rows_kernel *at_rows_with(void);

#endif
