/* Products of few rows: see few_kernel.h. Two ways to walk through B, by how it is held:
 *
 *     rows      a strip of a few rows from left to right, added to what C has there: as many runs
 *               through memory as the strip has rows, and C stays in the first-level cache
 *     columns   a few vectors of columns side by side, turned in registers a block at a time: each
 *               has a chain of its own, which hides that its multiply-adds wait for each other */
#include "tensor/few_kernel.h"

#include <stdint.h>
#include <string.h>

#include "base/half.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

typedef real vector __attribute__((vector_size(VECTOR_BYTES)));
typedef real vector_unaligned __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(real))));
enum { LANES = VECTOR_BYTES / (int)sizeof(real), DEEP = ATTEND_FEW_DEEP, FEW = ATTEND_FEW_MAX };

typedef uint16_t halves __attribute__((vector_size(2 * LANES)));
typedef uint32_t words __attribute__((vector_size(4 * LANES)));
typedef float floats __attribute__((vector_size(4 * LANES)));

#include "tensor/transpose.h"

static inline vector load(const real *p) { return *(const vector_unaligned *)p; }
static inline void store(real *p, vector v) { *(vector_unaligned *)p = v; }

/* from a file, whose numbers may lie at any address */
static inline vector load_bytes(const char *p)
{
    vector v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static inline __attribute__((always_inline)) vector widen_bf16(const char *from)
{
    halves h;
    memcpy(&h, from, sizeof h);
    floats f = (floats)(__builtin_convertvector(h, words) << 16);
    return __builtin_convertvector(f, vector);
}

static inline __attribute__((always_inline)) vector widen_f16(const char *from)
{
#if defined(__AVX512F__) && !defined(ATTEND_REAL_DOUBLE)
    return (vector)_mm512_cvtph_ps(_mm256_loadu_si256((const void *)from));
#elif defined(__F16C__) && !defined(ATTEND_REAL_DOUBLE)
    return (vector)_mm256_cvtph_ps(_mm_loadu_si128((const void *)from));
#else
    uint16_t h[LANES];
    vector v;
    memcpy(h, from, sizeof h);
    for (int i = 0; i < LANES; i++)
        v[i] = at_half_to_float(h[i]);
    return v;
#endif
}

/* type is a constant in each call, here and below */
static inline __attribute__((always_inline)) vector widened(at_element type, const char *from)
{
    return type == ATTEND_ELEMENT_BF16  ? widen_bf16(from)
           : type == ATTEND_ELEMENT_F16 ? widen_f16(from)
                                        : load_bytes(from);
}

/* a vector's worth of columns, of which there are n at the right edge */
static inline __attribute__((always_inline)) vector some(at_element type, int n, const char *from)
{
    _Alignas(64) char edge[VECTOR_BYTES] = {0};
    memcpy(edge, from, (size_t)n * at_element_size(type));
    return widened(type, edge);
}

/* a column of vectors: m rows of C and `deep` rows of B, which are constants in each call */
static inline __attribute__((always_inline)) void column(int m, int deep, at_element type, int n,
                                                         const real *a, const char *b,
                                                         ptrdiff_t row, ptrdiff_t near, real *c,
                                                         ptrdiff_t ldc, at_gemm_start from)
{
    vector acc[FEW];
#pragma GCC unroll 4
    for (int i = 0; i < m; i++) {
        acc[i] = (vector){0};
        if (from.data && n == LANES)
            acc[i] = load(from.data + i * from.ld);
        else if (from.data)
            memcpy(&acc[i], from.data + i * from.ld, (size_t)n * sizeof *c);
    }
#pragma GCC unroll 8
    for (int p = 0; p < deep; p++) {
        const char *at = b + p * row;
        vector v = n == LANES ? widened(type, at) : some(type, n, at);
        __builtin_prefetch(at + near);
#pragma GCC unroll 4
        for (int i = 0; i < m; i++)
            acc[i] += a[i * DEEP + p] * v;
    }
#pragma GCC unroll 4
    for (int i = 0; i < m; i++)
        if (n == LANES)
            store(c + i * ldc, acc[i]);
        else
            memcpy(c + i * ldc, &acc[i], (size_t)n * sizeof *c);
}

/* Near the right end of its rows, what comes next is the beginning of those below. */
static inline __attribute__((always_inline)) void strip_of(int m, int deep, at_element type, int n,
                                                           const real *a, const char *b,
                                                           ptrdiff_t ldb, bool more, real *c,
                                                           ptrdiff_t ldc, at_gemm_start from)
{
    enum { AHEAD = 1024 };
    ptrdiff_t size = (ptrdiff_t)at_element_size(type), row = ldb * size, length = n * size;
    ptrdiff_t below = more ? deep * row + AHEAD - length : 0;
    int j = 0;
    for (; j + LANES <= n; j += LANES) {
        ptrdiff_t near = j * size + AHEAD < length ? AHEAD : below;
        column(m, deep, type, LANES, a, b + j * size, row, near, c + j, ldc, from);
        from.data += from.data ? LANES : 0;
    }
    if (j < n)
        column(m, deep, type, n - j, a, b + j * size, row, 0, c + j, ldc, from);
}

static inline __attribute__((always_inline)) void strip_rows(int m, int n, int deep, const real *a,
                                                             at_element type, const char *b,
                                                             ptrdiff_t ldb, bool more, real *c,
                                                             ptrdiff_t ldc, at_gemm_start from)
{
    if (deep == DEEP) {
        strip_of(m, DEEP, type, n, a, b, ldb, more, c, ldc, from);
        return;
    }
    for (int p = 0; p < deep; p++, a++, b += ldb * (ptrdiff_t)at_element_size(type)) {
        strip_of(m, 1, type, n, a, b, ldb, false, c, ldc, from);
        from = (at_gemm_start){c, ldc};
    }
}

#define ROWS(m, type)                                                \
    case m:                                                          \
        strip_rows(m, n, deep, a, type, b, ldb, more, c, ldc, from); \
        break;
#define STRIP(name, type)                                                                 \
    static void name(int m, int n, int deep, const real *a, const char *b, ptrdiff_t ldb, \
                     bool more, real *c, ptrdiff_t ldc, at_gemm_start from)               \
    {                                                                                     \
        switch (m) {                                                                      \
            ROWS(1, type) ROWS(2, type) ROWS(3, type) ROWS(4, type)                       \
        }                                                                                 \
    }
STRIP(strip_real, ATTEND_ELEMENT_REAL)
STRIP(strip_f16, ATTEND_ELEMENT_F16)
STRIP(strip_bf16, ATTEND_ELEMENT_BF16)

static void strip(int m, int n, int deep, const real *a, at_element type, const void *b,
                  ptrdiff_t ldb, bool more, real *c, ptrdiff_t ldc, at_gemm_start from)
{
    switch (type) {
    case ATTEND_ELEMENT_REAL: strip_real(m, n, deep, a, b, ldb, more, c, ldc, from); break;
    case ATTEND_ELEMENT_F16: strip_f16(m, n, deep, a, b, ldb, more, c, ldc, from); break;
    case ATTEND_ELEMENT_BF16: strip_bf16(m, n, deep, a, b, ldb, more, c, ldc, from); break;
    }
}

/* ---- columns --------------------------------------------------------------------------------- */

#ifdef STAGES

enum { SIDE = 2 }; /* vectors of columns side by side */

/* LANES words of four bytes, or as many bytes as there are, of n rows, turned: v[q] has what the
 * rows have at word q. */
static inline __attribute__((always_inline)) void turn(int n, size_t bytes, const char *in,
                                                       ptrdiff_t row, vector v[LANES])
{
    if (n == LANES && bytes == VECTOR_BYTES) {
#pragma GCC unroll 16
        for (int i = 0; i < LANES; i++)
            v[i] = load_bytes(in + i * row);
    } else {
#pragma GCC unroll 16
        for (int i = 0; i < LANES; i++) {
            v[i] = (vector){0};
            if (i < n)
                memcpy(&v[i], in + i * row, bytes);
        }
    }
    transpose(v);
}

/* a step of k: one number of each row of A, `apart` numbers from each other */
static inline __attribute__((always_inline)) void step(int m, real alpha, const real *a,
                                                       ptrdiff_t apart, vector v, vector acc[FEW])
{
#pragma GCC unroll 4
    for (int i = 0; i < m; i++)
        acc[i] += alpha * a[i * apart] * v;
}

/* The words of a block, with one number each, or with two of two bytes, the first one below. */
static inline __attribute__((always_inline)) void steps(int m, bool two, int count, real alpha,
                                                        const real *a, ptrdiff_t rs, ptrdiff_t cs,
                                                        const vector v[LANES], vector acc[FEW])
{
#pragma GCC unroll 16
    for (int q = 0; q < LANES; q++) {
        words low = (words)v[q] << 16, high = (words)v[q] & 0xffff0000;
        int p = two ? 2 * q : q;
        if (p < count)
            step(m, alpha, a + p * cs, rs, two ? (vector)low : v[q], acc);
        if (two && p + 1 < count)
            step(m, alpha, a + (p + 1) * cs, rs, (vector)high, acc);
    }
}

/* m and type are constants in each call */
static inline __attribute__((always_inline)) void turned_rows(int m, int n, int k, real alpha,
                                                              const real *a, ptrdiff_t rs,
                                                              ptrdiff_t cs, at_element type,
                                                              const char *b, ptrdiff_t row, real *c,
                                                              ptrdiff_t ldc, at_gemm_start from)
{
    bool two = type != ATTEND_ELEMENT_REAL;
    int block = two ? 2 * LANES : LANES, size = two ? 2 : 4;
    vector acc[SIDE][FEW];
    int columns[SIDE] = {n < LANES ? n : LANES, n < LANES ? 0 : n - LANES};
#pragma GCC unroll 2
    for (int s = 0; s < SIDE; s++)
#pragma GCC unroll 4
        for (int i = 0; i < m; i++) {
            acc[s][i] = (vector){0};
            if (from.data)
                memcpy(&acc[s][i], from.data + i * from.ld + s * LANES,
                       (size_t)columns[s] * sizeof *c);
        }
    for (int p = 0; p < k; p += block) {
        int count = k - p < block ? k - p : block;
#pragma GCC unroll 2
        for (int s = 0; s < SIDE; s++) {
            vector v[LANES];
            if (columns[s] == 0)
                continue;
            turn(columns[s], (size_t)(count * size), b + s * LANES * row + p * size, row, v);
            if (count == block)
                steps(m, two, block, alpha, a + p * cs, rs, cs, v, acc[s]);
            else
                steps(m, two, count, alpha, a + p * cs, rs, cs, v, acc[s]);
        }
    }
#pragma GCC unroll 2
    for (int s = 0; s < SIDE; s++)
#pragma GCC unroll 4
        for (int i = 0; i < m; i++)
            memcpy(c + i * ldc + s * LANES, &acc[s][i], (size_t)columns[s] * sizeof *c);
}

#define TURNED_ROWS(m, type)                                                \
    case m:                                                                 \
        turned_rows(m, n, k, alpha, a, rs, cs, type, b, row, c, ldc, from); \
        break;
#define TURNED_OF(name, type)                                                                    \
    static void name(int m, int n, int k, real alpha, const real *a, ptrdiff_t rs, ptrdiff_t cs, \
                     const char *b, ptrdiff_t row, real *c, ptrdiff_t ldc, at_gemm_start from)   \
    {                                                                                            \
        switch (m) {                                                                             \
            TURNED_ROWS(1, type)                                                                 \
            TURNED_ROWS(2, type)                                                                 \
            TURNED_ROWS(3, type)                                                                 \
            TURNED_ROWS(4, type)                                                                 \
        }                                                                                        \
    }
TURNED_OF(turned_real, ATTEND_ELEMENT_REAL)
TURNED_OF(turned_bf16, ATTEND_ELEMENT_BF16)

static void turned(int m, int n, int k, real alpha, const real *a, ptrdiff_t rs, ptrdiff_t cs,
                   at_element type, const void *b, ptrdiff_t b_step, real *c, ptrdiff_t ldc,
                   at_gemm_start from)
{
    ptrdiff_t row = b_step * (ptrdiff_t)at_element_size(type);
    if (type == ATTEND_ELEMENT_REAL)
        turned_real(m, n, k, alpha, a, rs, cs, b, row, c, ldc, from);
    else
        turned_bf16(m, n, k, alpha, a, rs, cs, b, row, c, ldc, from);
}
#define TURNED turned

#else

enum { SIDE = 1 };
#define TURNED NULL

#endif

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define STRING2(a) #a
#define STRING(a) STRING2(a)

const at_few_kernel JOIN(at_few_kernel_, ATTEND_ISA) = {
    .isa = STRING(ATTEND_ISA),
    .strip = strip,
    .columns = SIDE * LANES,
    .turned = TURNED,
};
