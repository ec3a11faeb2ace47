/* Products of so few rows of A that all time goes into reading B, one instance per instruction set:
 * B is read where it lies, in long runs, and once. Every element is the chain of multiply-adds of
 * gemm_kernel.h, so that results have the bits of any other product.
 *
 * B's numbers may have two bytes (element.h): they are widened exactly, in registers. */
#ifndef ATTEND_TENSOR_FEW_KERNEL_H
#define ATTEND_TENSOR_FEW_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "tensor/element.h"
#include "tensor/gemm_kernel.h"

enum { ATTEND_FEW_MAX = 4, ATTEND_FEW_DEEP = 8 };

typedef struct {
    const char *isa;

    /* c[m,n] = from + a b of m <= ATTEND_FEW_MAX rows and `deep` steps, at most ATTEND_FEW_DEEP:
     * a[i*ATTEND_FEW_DEEP + p], rows of B `ldb` numbers apart. More steps of B follow in memory:
     * then their first numbers are brought near. */
    void (*strip)(int m, int n, int deep, const real *a, at_element type, const void *b,
                  ptrdiff_t ldb, bool more, real *c, ptrdiff_t ldc, at_gemm_start from);

    /* c[m,n] = from + alpha a b^T, m <= ATTEND_FEW_MAX, n <= columns: a(i,p) = a[i*rs + p*cs]; b: n
     * rows of k, b_step apart, which are turned in registers. NULL where there is none; there is
     * none for F16. */
    int columns;
    void (*turned)(int m, int n, int k, real alpha, const real *a, ptrdiff_t rs, ptrdiff_t cs,
                   at_element type, const void *b, ptrdiff_t b_step, real *c, ptrdiff_t ldc,
                   at_gemm_start from);
} at_few_kernel;

extern const at_few_kernel at_few_kernel_base;
extern const at_few_kernel at_few_kernel_avx2;
extern const at_few_kernel at_few_kernel_avx512;

#endif
