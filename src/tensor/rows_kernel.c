/* Products with rows that are given by pointers: see rows_kernel.h. Dot products have a row in each
 * lane: the rows are transposed in registers, LANES numbers of each at a time. */
#include "tensor/rows_kernel.h"

#include <stdbool.h>
#include <string.h>

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

typedef real vector __attribute__((vector_size(VECTOR_BYTES)));
typedef real vector_unaligned __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(real))));
typedef real small __attribute__((vector_size(16)));
enum {
    LANES = VECTOR_BYTES / (int)sizeof(real),
    SMALL = 16 / (int)sizeof(real),
    WIDE = 4,    /* vectors of a row that are summed at a time */
    DEPTH = 256, /* numbers of a row whose dot products are computed at a time */
    GROUPS = 2,  /* of LANES rows whose dot products are computed at a time */
};

#include "tensor/transpose.h"

#if !defined(ATTEND_REAL_DOUBLE) && defined(__AVX512F__)
#include <immintrin.h>
#define QUARTERS(row, i, p)                                                                     \
    (vector) _mm512_insertf32x4(                                                                \
        _mm512_insertf32x4(_mm512_insertf32x4(_mm512_castps128_ps512(_mm_loadu_ps(row[i] + p)), \
                                              _mm_loadu_ps(row[i + 4] + p), 1),                 \
                           _mm_loadu_ps(row[i + 8] + p), 2),                                    \
        _mm_loadu_ps(row[i + 12] + p), 3)
#define NUMBERS(half, a, b) (vector) _mm512_unpack##half##_ps((__m512)a, (__m512)b)
#define PAIRS(half, a, b) (vector) _mm512_unpack##half##_pd((__m512d)a, (__m512d)b)
#elif !defined(ATTEND_REAL_DOUBLE) && defined(__AVX2__)
#include <immintrin.h>
#define QUARTERS(row, i, p)                                                         \
    (vector) _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(row[i] + p)), \
                                  _mm_loadu_ps(row[i + 4] + p), 1)
#define NUMBERS(half, a, b) (vector) _mm256_unpack##half##_ps((__m256)a, (__m256)b)
#define PAIRS(half, a, b) (vector) _mm256_unpack##half##_pd((__m256d)a, (__m256d)b)
#endif

#define INLINE static inline __attribute__((always_inline))

INLINE vector load(const real *p) { return *(const vector_unaligned *)p; }
INLINE void store(real *p, vector v) { *(vector_unaligned *)p = v; }

/* ---- dot products ------------------------------------------------------------------------- */

#ifndef STAGES
INLINE void transpose(vector v[LANES])
{
    vector turned[LANES];
    for (int i = 0; i < LANES; i++)
        for (int j = 0; j < LANES; j++)
            turned[i][j] = v[j][i];
    memcpy(v, turned, sizeof turned);
}
#endif

/* `steps` numbers of n rows, transposed: v[p] has number p of each row. Lanes from n on repeat the
 * last row. */
INLINE void turn_part(int n, int steps, const real *const *b, ptrdiff_t offset, vector v[LANES])
{
    for (int i = 0; i < LANES; i++) {
        v[i] = (vector){0};
        memcpy(&v[i], b[i < n ? i : n - 1] + offset, (size_t)steps * sizeof(real));
    }
    transpose(v);
}

/* the same of LANES numbers */
#ifdef QUARTERS
/* Four numbers of each row are loaded into the quarters of vectors, which leaves squares of 4 x 4
 * to transpose: half the shuffles. */
INLINE void turn(int n, const real *const *b, ptrdiff_t offset, vector v[LANES])
{
    const real *row[LANES];
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++)
        row[i] = b[i < n ? i : n - 1] + offset;
#pragma GCC unroll 4
    for (int p = 0; p < LANES; p += 4) {
        vector r0 = QUARTERS(row, 0, p), r1 = QUARTERS(row, 1, p), r2 = QUARTERS(row, 2, p);
        vector r3 = QUARTERS(row, 3, p);
        vector a = NUMBERS(lo, r0, r1), c = NUMBERS(hi, r0, r1);
        vector d = NUMBERS(lo, r2, r3), e = NUMBERS(hi, r2, r3);
        v[p] = PAIRS(lo, a, d);
        v[p + 1] = PAIRS(hi, a, d);
        v[p + 2] = PAIRS(lo, c, e);
        v[p + 3] = PAIRS(hi, c, e);
    }
}
#else
INLINE void turn(int n, const real *const *b, ptrdiff_t offset, vector v[LANES])
{
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++)
        v[i] = load(b[i < n ? i : n - 1] + offset);
    transpose(v);
}
#endif

/* sum[i] += a[i*lda + q] v[q] for q < steps; m and, but for the last steps, steps are constants */
INLINE void dots_step(int m, int steps, const real *a, ptrdiff_t lda, const vector v[LANES],
                      vector sum[ATTEND_FEW_ROWS])
{
#pragma GCC unroll 16
    for (int q = 0; q < steps; q++)
#pragma GCC unroll 4
        for (int i = 0; i < m; i++)
            sum[i] += a[i * lda + q] * v[q];
}

/* m rows of a with n rows b, at most `groups` times LANES, onto y where it is not the first part of
 * the sum; m and groups are constants in each call. The groups' chains overlap. */
INLINE void dots_rows(int m, int groups, int n, int k, bool first, const real *a,
                      const real *const *b, ptrdiff_t offset, real *y, ptrdiff_t ldy)
{
    vector sum[GROUPS][ATTEND_FEW_ROWS], v[LANES];
    int last = n - (groups - 1) * LANES, p = 0; /* last: rows of the last group */
#pragma GCC unroll 2
    for (int g = 0; g < groups; g++)
        for (int i = 0; i < m; i++) {
            sum[g][i] = (vector){0};
            if (!first)
                memcpy(&sum[g][i], y + i * ldy + g * LANES,
                       (size_t)(g + 1 < groups ? LANES : last) * sizeof *y);
        }
    for (; p + LANES <= k; p += LANES)
#pragma GCC unroll 2
        for (int g = 0; g < groups; g++) {
            turn(g + 1 < groups ? LANES : last, b + g * LANES, offset + p, v);
            dots_step(m, LANES, a + p, DEPTH, v, sum[g]);
        }
    for (int g = 0; g < groups && p < k; g++) {
        turn_part(g + 1 < groups ? LANES : last, k - p, b + g * LANES, offset + p, v);
        dots_step(m, k - p, a + p, DEPTH, v, sum[g]);
    }
#pragma GCC unroll 2
    for (int g = 0; g < groups; g++)
        for (int i = 0; i < m; i++)
            memcpy(y + i * ldy + g * LANES, &sum[g][i],
                   (size_t)(g + 1 < groups ? LANES : last) * sizeof *y);
}

/* a part of the sum: k <= DEPTH, a [m, DEPTH] is scaled */
static __attribute__((noinline)) void dots_part(int m, int n, int k, bool first, const real *a,
                                                const real *const *b, ptrdiff_t offset, real *y,
                                                ptrdiff_t ldy)
{
#define ROWS(m)                                                                       \
    case 2 * m: dots_rows(m, 1, some, k, first, a, b + j, offset, y + j, ldy); break; \
    case 2 * m + 1: dots_rows(m, GROUPS, some, k, first, a, b + j, offset, y + j, ldy); break;
    for (int j = 0; j < n; j += GROUPS * LANES) {
        int some = n - j < GROUPS * LANES ? n - j : GROUPS * LANES;
        switch (2 * m + (some > LANES)) {
            ROWS(1)
            ROWS(2)
            ROWS(3)
            ROWS(4)
        }
    }
#undef ROWS
}

static void dots(int m, int n, int k, real alpha, const real *a, ptrdiff_t lda,
                 const real *const *b, ptrdiff_t offset, real *y, ptrdiff_t ldy)
{
    real scaled[ATTEND_FEW_ROWS * DEPTH];
    int p = 0;
    do {
        int some = k - p < DEPTH ? k - p : DEPTH;
        for (int i = 0; i < m; i++)
            for (int q = 0; q < some; q++)
                scaled[i * DEPTH + q] = alpha * a[i * lda + p + q];
        dots_part(m, n, some, p == 0, scaled, b, offset + p, y, ldy);
        p += DEPTH;
    } while (p < k);
}

/* ---- sums of rows ------------------------------------------------------------------------- */

/* m rows of `wide` vectors, both constants in each call, from column c on */
INLINE void combine_vectors(int m, int wide, int n, const real *p, ptrdiff_t ldp,
                            const real *const *b, ptrdiff_t offset, real *y, ptrdiff_t ldy)
{
    vector sum[ATTEND_FEW_ROWS][WIDE];
#pragma GCC unroll 4
    for (int i = 0; i < m; i++)
#pragma GCC unroll 4
        for (int u = 0; u < wide; u++)
            sum[i][u] = load(y + i * ldy + u * LANES);
    for (int j = 0; j < n; j++) {
        const real *row = b[j] + offset;
#pragma GCC unroll 4
        for (int u = 0; u < wide; u++) {
            vector x = load(row + u * LANES);
#pragma GCC unroll 4
            for (int i = 0; i < m; i++)
                sum[i][u] += p[i * ldp + j] * x;
        }
    }
#pragma GCC unroll 4
    for (int i = 0; i < m; i++)
#pragma GCC unroll 4
        for (int u = 0; u < wide; u++)
            store(y + i * ldy + u * LANES, sum[i][u]);
}

/* the last columns, at most SMALL of them. Loops over single numbers would not do: where a compiler
 * vectorises them it keeps the order of the sum, but not the fused multiply-adds. */
INLINE void combine_small(int m, int columns, int n, const real *p, ptrdiff_t ldp,
                          const real *const *b, ptrdiff_t offset, real *y, ptrdiff_t ldy)
{
    size_t bytes = (size_t)columns * sizeof *y;
    small sum[ATTEND_FEW_ROWS];
#pragma GCC unroll 4
    for (int i = 0; i < m; i++) {
        sum[i] = (small){0};
        memcpy(&sum[i], y + i * ldy, bytes);
    }
    for (int j = 0; j < n; j++) {
        small x = {0};
        memcpy(&x, b[j] + offset, bytes);
#pragma GCC unroll 4
        for (int i = 0; i < m; i++)
            sum[i] += p[i * ldp + j] * x;
    }
#pragma GCC unroll 4
    for (int i = 0; i < m; i++)
        memcpy(y + i * ldy, &sum[i], bytes);
}

/* m is a constant in each call */
INLINE void combine_rows(int m, int n, int width, const real *p, ptrdiff_t ldp,
                         const real *const *b, ptrdiff_t offset, real *y, ptrdiff_t ldy)
{
    int c = 0;
    for (; c + WIDE * LANES <= width; c += WIDE * LANES)
        combine_vectors(m, WIDE, n, p, ldp, b, offset + c, y + c, ldy);
    if (c + 2 * LANES <= width) {
        combine_vectors(m, 2, n, p, ldp, b, offset + c, y + c, ldy);
        c += 2 * LANES;
    }
    if (c + LANES <= width) {
        combine_vectors(m, 1, n, p, ldp, b, offset + c, y + c, ldy);
        c += LANES;
    }
    for (; c + SMALL <= width; c += SMALL)
        combine_small(m, SMALL, n, p, ldp, b, offset + c, y + c, ldy);
    if (c < width)
        combine_small(m, width - c, n, p, ldp, b, offset + c, y + c, ldy);
}

static void combine(int m, int n, int width, const real *p, ptrdiff_t ldp, const real *const *b,
                    ptrdiff_t offset, real *y, ptrdiff_t ldy)
{
    switch (m) {
    case 1: combine_rows(1, n, width, p, ldp, b, offset, y, ldy); break;
    case 2: combine_rows(2, n, width, p, ldp, b, offset, y, ldy); break;
    case 3: combine_rows(3, n, width, p, ldp, b, offset, y, ldy); break;
    case 4: combine_rows(4, n, width, p, ldp, b, offset, y, ldy); break;
    }
}

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define STRING2(a) #a
#define STRING(a) STRING2(a)

const at_rows_kernel JOIN(at_rows_kernel_, ATTEND_ISA) = {
    .isa = STRING(ATTEND_ISA),
    .dots = dots,
    .combine = combine,
};
