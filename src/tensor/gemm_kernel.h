/* The innermost part of the matrix product, one instance per instruction set.
 *
 * gemm_kernel.c is compiled once for each instruction set (ATTEND_ISA names it)
 * and each instance fills one of these tables. gemm.c does blocking and threads
 * and calls the table that at_cpu_isa() chose.
 *
 * Every element of a product is one chain of multiply-adds over k in order,
 * starting from the element itself, or from a bias:
 *
 *     for p in 0..k-1:  c = fma(a[p], b[p], c)
 *
 * No tile size, edge, block or thread changes that chain. So a row of a product
 * has the same bits whatever the other rows are: this is what makes inference
 * independent of batch size and thread count. Gradients may have another sum,
 * which is as fixed: gemm_amx.c. */
#ifndef ATTEND_TENSOR_GEMM_KERNEL_H
#define ATTEND_TENSOR_GEMM_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/real.h"

enum {
    ATTEND_GEMM_MR_MAX = 32,
    ATTEND_GEMM_NR_MAX = 32,
    ATTEND_GEMM_MC_MAX = 256,
    ATTEND_GEMM_KC_MAX = 512,
    ATTEND_GEMM_GRAIN_MAX = 32,
    ATTEND_GEMM_BYTES_MAX = sizeof(real) > 6 ? sizeof(real) : 6, /* of a number in a panel */
};

/* What is there before a product is added: C itself, one row for all of its rows (ld 0), or 0. */
typedef struct {
    const real *data; /* NULL: 0 */
    ptrdiff_t ld;
} at_gemm_start;

/* What a tile brings near on its way, because it is used soon. */
typedef struct {
    const real *c; /* the next tile of C */
    ptrdiff_t ldc;
    int rows; /* of it; 0: there is none */

    const real *run; /* a line at each step of k, `step` numbers apart; 0: the same one */
    ptrdiff_t step;
} at_gemm_ahead;

typedef struct at_gemm_kernel {
    const char *isa;
    int mr, nr; /* rows and columns of a full tile */
    int mc, kc; /* of a block of A, which lies in the second-level cache; mc: a multiple of mr */
    int grain;  /* steps of k that are packed together, the last ones padded, and kc is a multiple
                 * of; above 1, both A and B are always packed */
    int bytes;  /* of a number in a panel */

    void (*begin)(void), (*end)(void); /* around a thread's tiles; NULL: nothing */

    /* c[m,n] = from + a b, with m <= mr, n <= nr; A(i,p) = a[i*a_row + p*a_step], one of which is
     * 1: 1 and mr for a packed panel; b: k rows of nr, b_step apart: nr for a packed panel, or rows
     * of B itself; from: what the chains begin with */
    void (*tile)(int m, int n, int k, const real *a, ptrdiff_t a_row, ptrdiff_t a_step,
                 const real *b, ptrdiff_t b_step, real *c, ptrdiff_t ldc, at_gemm_start from,
                 const at_gemm_ahead *ahead);

    /* Packs alpha * A[m,k] into panels [m/mr][k][mr], or what the tiles want, the last one padded
     * with zeros; A(i,p) = a[i*rs + p*cs], one of rs, cs is 1. Panels begin at multiples of 64
     * bytes. */
    void (*pack_a)(int m, int k, real alpha, const real *a, ptrdiff_t rs, ptrdiff_t cs, real *out);

    /* Packs B[k,n] into panels [n/nr][k][nr], likewise; B(p,j) = b[p*rs + j*cs], one of rs, cs is
     * 1. Panels are `stride` apart. */
    void (*pack_b)(int n, int k, const real *b, ptrdiff_t rs, ptrdiff_t cs, real *out,
                   ptrdiff_t stride);

    /* widens n numbers of F16 or BF16 exactly; `from` needs no alignment */
    void (*widen_f16)(size_t n, const void *from, real *to);
    void (*widen_bf16)(size_t n, const void *from, real *to);
} at_gemm_kernel;

extern const at_gemm_kernel at_gemm_kernel_base;
extern const at_gemm_kernel at_gemm_kernel_avx2;
extern const at_gemm_kernel at_gemm_kernel_avx512;
extern const at_gemm_kernel at_gemm_kernel_amx; /* gemm_amx.c: of float, for gradients */

#endif
