/* The vector kernels of this machine, and loops over them that use all threads. */
#ifndef ATTEND_TENSOR_VECTOR_H
#define ATTEND_TENSOR_VECTOR_H

#include "tensor/vector_kernel.h"

/* the table for the instruction set in use */
const at_vector_kernel *at_vector(void);

/* smallest piece of an elementwise loop worth a thread of its own */
enum { ATTEND_VECTOR_GRAIN = 16384 };

/* elementwise loops over long arrays, on all threads */
void at_vector_zero(size_t n, real *y);
void at_vector_copy(size_t n, const real *x, real *y); /* apart from each other */
void at_vector_add(size_t n, const real *a, const real *b, real *y);
void at_vector_multiply(size_t n, const real *a, const real *b, real *y);
void at_vector_axpy(size_t n, real a, const real *x, real beta, real *y);
void at_vector_multiply_add(size_t n, const real *a, const real *b, real beta, real *y);
void at_vector_act(at_act f, size_t n, const real *x, real *y);
void at_vector_act_back(at_act f, size_t n, const real *x_or_y, const real *dy, real beta,
                        real *dx);

/* count runs of size numbers, x_step and y_step apart: y = x + beta y, beta 0 or 1 */
typedef struct {
    size_t count, size, x_step, y_step;
} at_runs;
void at_vector_runs(at_runs r, const real *x, real beta, real *y);

/* smallest number of rows of n numbers worth a thread of its own */
static inline ptrdiff_t at_rows_grain(size_t n)
{
    return ATTEND_VECTOR_GRAIN / (ptrdiff_t)(n ? n : 1) + 1;
}

/* y_j = x_j - log sum_k exp x_k; y may be x */
void at_log_softmax_row(size_t n, const real *x, real *y);

double at_log_sum_exp(size_t n, const real *x); /* log sum_k exp x_k */

/* Sums of the columns of a matrix of rows x n: sum = beta sum + 1^T x. */
void at_columns_sum(size_t rows, int n, const real *x, real beta, real *sum);

#endif
