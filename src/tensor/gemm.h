/* Matrix products. The only place where matrices are multiplied.
 *
 * All matrices are row-major; ld is the distance between rows, in elements: at least the length of
 * one, where there are several.
 * Every element is one fixed chain of multiply-adds over k (gemm_kernel.h):
 * results do not depend on the number of rows, columns or threads. */
#ifndef ATTEND_TENSOR_GEMM_H
#define ATTEND_TENSOR_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/real.h"
#include "tensor/element.h"

typedef struct {
    const real *data;
    ptrdiff_t ld;
    bool transposed; /* the operand is the transpose of what data holds */
} at_matrix;

/* the same of two-byte numbers, F16 or BF16 */
typedef struct {
    const uint16_t *data;
    ptrdiff_t ld;
    bool transposed;
    at_element type;
} at_half_matrix;

/* C[m,n] = alpha A[m,k] B[k,n] + beta C. With beta 0, C is never read.
 * Threads are used inside one large product, unless it runs inside a parallel region; the same
 * holds for packing, and for products with what is packed. */
void at_gemm(int m, int n, int k, real alpha, at_matrix a, at_matrix b, real beta, real *c,
             ptrdiff_t ldc);

/* The same for gradients, which need not have the bits of every machine: where the processor has
 * tiles of bfloat16 (AMX) and the product is large enough, they compute it, with less error than
 * the chain (gemm_amx.c). An element depends on its row, its column and the sizes of the product,
 * not on threads. */
void at_gemm_gradient(int m, int n, int k, real alpha, at_matrix a, at_matrix b, real beta, real *c,
                      ptrdiff_t ldc);

/* is a gradient of these sizes computed in tiles? */
bool at_gemm_tiled(int m, int n, int k);

/* C[m,n] = A B + bias[n] in every row; NULL: none. The same bits as at_gemm onto a C whose rows are
 * the bias, without writing and reading them. */
void at_gemm_bias(int m, int n, int k, at_matrix a, at_matrix b, const real *bias, real *c,
                  ptrdiff_t ldc);

/* The same for forward products of training, which like gradients may be computed in tiles. */
void at_gemm_bias_tiled(int m, int n, int k, at_matrix a, at_matrix b, const real *bias, real *c,
                        ptrdiff_t ldc);

/* The same with a B of two-byte numbers, which are widened exactly, a block at a time: the bits are
 * those of a product with a widened copy. */
void at_gemm_bias_half(int m, int n, int k, at_matrix a, at_half_matrix b, const real *bias,
                       real *c, ptrdiff_t ldc);

/* A matrix B[k,n] laid out for the kernel once, to be multiplied many times. */
typedef struct {
    int n, k;
    bool tiled; /* for products that are computed in tiles, whatever m is */
    real *panels;
} at_packed;

/* how many reals the panels of a [k,n] matrix take */
size_t at_pack_len(int n, int k, bool tiled);

/* Packs b into panels (at_pack_len reals, caller's, at a multiple of 64 bytes). Tiled: where
 * at_gemm_tiled said so. */
at_packed at_pack(int n, int k, at_matrix b, bool tiled, real *panels);

/* C[m,n] = alpha A[m,k] B[k,n] + beta C with B packed: same bits as at_gemm, or, tiled, as
 * at_gemm_gradient. */
void at_gemm_packed(int m, real alpha, at_matrix a, const at_packed *b, real beta, real *c,
                    ptrdiff_t ldc);
void at_gemm_packed_bias(int m, at_matrix a, const at_packed *b, const real *bias, real *c,
                         ptrdiff_t ldc);

#endif
