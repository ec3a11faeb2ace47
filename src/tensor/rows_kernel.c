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
    WIDE = 4,   /* vectors of a row that are summed at a time */
    GROUPS = 2, /* of LANES rows whose dot products are computed at a time */
};

#include "tensor/transpose.h"

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

/* LANES numbers of LANES rows, transposed: v[p] has number p of each row */
INLINE void turn(const real *const *b, ptrdiff_t offset, vector v[LANES])
{
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++)
        v[i] = load(b[i] + offset);
    transpose(v);
}

/* the same of fewer numbers */
INLINE void turn_part(int steps, const real *const *b, ptrdiff_t offset, vector v[LANES])
{
    for (int i = 0; i < LANES; i++) {
        v[i] = (vector){0};
        memcpy(&v[i], b[i] + offset, (size_t)steps * sizeof(real));
    }
    transpose(v);
}

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

/* LANES rows of one head, of which n count */
typedef struct {
    int n;
    const real *a;
    const real *const *b;
    ptrdiff_t offset;
    real *y;
} group;

/* m rows of a with the rows of `groups` groups; m and groups are constants in each call. The
 * groups' chains overlap. */
INLINE void dots_rows(int m, int groups, int k, ptrdiff_t lda, const group *g, ptrdiff_t ldy)
{
    vector sum[GROUPS][ATTEND_FEW_ROWS], v[LANES];
    int p = 0;
#pragma GCC unroll 2
    for (int u = 0; u < groups; u++)
        for (int i = 0; i < m; i++)
            sum[u][i] = (vector){0};
    for (; p + LANES <= k; p += LANES)
#pragma GCC unroll 2
        for (int u = 0; u < groups; u++) {
            turn(g[u].b, g[u].offset + p, v);
            dots_step(m, LANES, g[u].a + p, lda, v, sum[u]);
        }
    for (int u = 0; u < groups && p < k; u++) {
        turn_part(k - p, g[u].b, g[u].offset + p, v);
        dots_step(m, k - p, g[u].a + p, lda, v, sum[u]);
    }
#pragma GCC unroll 2
    for (int u = 0; u < groups; u++)
        for (int i = 0; i < m; i++)
            if (g[u].n == LANES)
                store(g[u].y + i * ldy, sum[u][i]);
            else
                memcpy(g[u].y + i * ldy, &sum[u][i], (size_t)g[u].n * sizeof(real));
}

static void dots_groups(int m, int groups, int k, ptrdiff_t lda, const group *g, ptrdiff_t ldy)
{
#define ROWS(m)                                             \
    case 2 * m + 1: dots_rows(m, 1, k, lda, g, ldy); break; \
    case 2 * m + 2: dots_rows(m, 2, k, lda, g, ldy); break;
    switch (2 * m + groups) {
        ROWS(1)
        ROWS(2)
        ROWS(3)
        ROWS(4)
    }
#undef ROWS
}

/* pointers to n rows; where they are fewer than LANES, the last one is repeated */
static const real *const *pointers(int n, const real *const *b, const real **repeated)
{
    if (n == LANES)
        return b;
    for (int i = 0; i < LANES; i++)
        repeated[i] = b[i < n ? i : n - 1];
    return repeated;
}

static void dots(int m, int n, int heads, int k, const real *a, ptrdiff_t lda, const real *const *b,
                 ptrdiff_t offset, real *y, ptrdiff_t ldy)
{
    const real *repeated[LANES];
    int last = (n - 1) / LANES * LANES, count = 0; /* last: where the last group of a head begins */
    const real *const *end = pointers(n - last, b + last, repeated);
    group g[GROUPS];
    for (int h = 0; h < heads; h++)
        for (int j = 0; j < n; j += LANES) {
            g[count++] = (group){j < last ? LANES : n - last, a + h * k, j < last ? b + j : end,
                                 offset + h * k, y + h * m * ldy + j};
            if (count == GROUPS || (h + 1 == heads && j == last)) {
                dots_groups(m, count, k, lda, g, ldy);
                count = 0;
            }
        }
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
