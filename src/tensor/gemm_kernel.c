/* Tiles and packing of the matrix product: see gemm_kernel.h.
 *
 * One tile keeps MR x (NV vectors) of C in registers, reads one row of B's panel
 * and a number of each of MR rows of A per step, and never leaves them until k is done:
 *
 *             NR = NV vectors
 *            +------------------+
 *     k ->   |  B panel row     |      acc[i][v] += a[i] * b[v]
 *            +------------------+
 *   MR  |a|  |  accumulators    |
 *       |a|  |  (registers)     |
 *
 * Written with the compiler's vector types, so that one text serves SSE2, AVX2,
 * AVX-512 and NEON, in float and double. */
#include "tensor/gemm_kernel.h"

#include <string.h>

#include "base/half.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
enum { MR = 12, NV = 2, MC = 240, KC = 512 }; /* 24 of 32 registers hold C */
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
enum { MR = 6, NV = 2, MC = 144, KC = 256 }; /* 12 of 16 */
#elif defined(__aarch64__)
#define VECTOR_BYTES 16
enum { MR = 6, NV = 4, MC = 144, KC = 256 }; /* 24 of 32 */
#else
#define VECTOR_BYTES 16
enum { MR = 3, NV = 4, MC = 144, KC = 256 }; /* 12 of 16 */
#endif

typedef real vector __attribute__((vector_size(VECTOR_BYTES)));
typedef real vector_unaligned __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(real))));
enum { LANES = VECTOR_BYTES / (int)sizeof(real), NR = NV * LANES };

#include "tensor/transpose.h"

_Static_assert((int)MR <= ATTEND_GEMM_MR_MAX && (int)NR <= ATTEND_GEMM_NR_MAX
                   && (int)MC % (int)MR == 0 && (int)MC <= ATTEND_GEMM_MC_MAX
                   && (int)KC <= ATTEND_GEMM_KC_MAX && (int)MR != (int)NR,
               "gemm.c has memory for these sizes");

static inline vector load(const real *p) { return *(const vector_unaligned *)p; }
static inline void store(real *p, vector v) { *(vector_unaligned *)p = v; }

/* one step: m rows of the tile, which are a constant in each call */
static inline __attribute__((always_inline)) void step(int m, const real *a, ptrdiff_t a_row,
                                                       const real *b, vector acc[MR][NV])
{
    vector row[NV];
#pragma GCC unroll 4
    for (int v = 0; v < NV; v++)
        row[v] = load(b + v * LANES);
#pragma GCC unroll 16
    for (int i = 0; i < m; i++)
#pragma GCC unroll 4
        for (int v = 0; v < NV; v++)
            acc[i][v] += a[i * a_row] * row[v];
}

/* m is a constant in each call below, so the loops over it unroll and the
 * accumulators live in registers */
static inline __attribute__((always_inline)) void
tile_rows(int m, int k, const real *a, ptrdiff_t a_row, ptrdiff_t a_step, const real *b,
          ptrdiff_t b_step, real *c, ptrdiff_t ldc, at_gemm_start from, const at_gemm_ahead *ahead)
{
    vector acc[MR][NV];
#pragma GCC unroll 16
    for (int i = 0; i < m; i++)
#pragma GCC unroll 4
        for (int v = 0; v < NV; v++)
            acc[i][v] = from.data ? load(from.data + i * from.ld + v * LANES) : (vector){0};
    const real *next_c = ahead->c, *run = ahead->run;
    ptrdiff_t next_ldc = ahead->ldc, run_step = ahead->step;
    int p = 0;
    /* all lines of C at once would stop the processor for as long as they take */
    for (int i = 0; i < ahead->rows && p + 2 <= k; i++, p += 2, next_c += next_ldc) {
        __builtin_prefetch(next_c, 1);
        __builtin_prefetch(next_c + NR - 1, 1);
#pragma GCC unroll 2
        for (int q = 0; q < 2; q++, a += a_step, b += b_step, run += run_step) {
            __builtin_prefetch(run);
            step(m, a, a_row, b, acc);
        }
    }
    for (; p < k; p++, a += a_step, b += b_step, run += run_step) {
        __builtin_prefetch(run);
        step(m, a, a_row, b, acc);
    }
#pragma GCC unroll 16
    for (int i = 0; i < m; i++)
#pragma GCC unroll 4
        for (int v = 0; v < NV; v++)
            store(c + i * ldc + v * LANES, acc[i][v]);
}

/* a tile of the full width; a_row or a_step is a constant in each call */
static inline __attribute__((always_inline)) void
tile_wide(int m, int k, const real *a, ptrdiff_t a_row, ptrdiff_t a_step, const real *b,
          ptrdiff_t b_step, real *c, ptrdiff_t ldc, at_gemm_start from, const at_gemm_ahead *ahead)
{
#define ROWS(m) \
    case m: tile_rows(m, k, a, a_row, a_step, b, b_step, c, ldc, from, ahead); break;
    switch (m) {
        ROWS(1)
        ROWS(2)
        ROWS(3)
#if defined(__AVX2__) || defined(__aarch64__)
        ROWS(4)
        ROWS(5)
        ROWS(6)
#endif
#if defined(__AVX512F__)
        ROWS(7)
        ROWS(8)
        ROWS(9)
        ROWS(10)
        ROWS(11)
        ROWS(12)
#endif
    }
#undef ROWS
}

/* A's numbers of a step lie side by side: it is packed, or held transposed */
static __attribute__((noinline)) void tile_of_columns(int m, int k, const real *a, ptrdiff_t a_step,
                                                      const real *b, ptrdiff_t b_step, real *c,
                                                      ptrdiff_t ldc, at_gemm_start from,
                                                      const at_gemm_ahead *ahead)
{
    tile_wide(m, k, a, 1, a_step, b, b_step, c, ldc, from, ahead);
}

/* its rows are read where they lie */
static __attribute__((noinline)) void tile_of_rows(int m, int k, const real *a, ptrdiff_t a_row,
                                                   const real *b, ptrdiff_t b_step, real *c,
                                                   ptrdiff_t ldc, at_gemm_start from,
                                                   const at_gemm_ahead *ahead)
{
    tile_wide(m, k, a, a_row, 1, b, b_step, c, ldc, from, ahead);
}

static inline void tile_full(int m, int k, const real *a, ptrdiff_t a_row, ptrdiff_t a_step,
                             const real *b, ptrdiff_t b_step, real *c, ptrdiff_t ldc,
                             at_gemm_start from, const at_gemm_ahead *ahead)
{
    if (a_row == 1)
        tile_of_columns(m, k, a, a_step, b, b_step, c, ldc, from, ahead);
    else
        tile_of_rows(m, k, a, a_row, b, b_step, c, ldc, from, ahead);
}

/* a tile at the right edge goes through a full-width copy */
static void tile(int m, int n, int k, const real *a, ptrdiff_t a_row, ptrdiff_t a_step,
                 const real *b, ptrdiff_t b_step, real *c, ptrdiff_t ldc, at_gemm_start from,
                 const at_gemm_ahead *ahead)
{
    if (n == NR) {
        tile_full(m, k, a, a_row, a_step, b, b_step, c, ldc, from, ahead);
        return;
    }
    real edge[MR * NR];
    if (from.data) {
        memset(edge, 0, sizeof edge);
        for (int i = 0; i < m; i++)
            memcpy(edge + i * NR, from.data + i * from.ld, (size_t)n * sizeof *c);
        from = (at_gemm_start){edge, NR};
    }
    tile_full(m, k, a, a_row, a_step, b, b_step, edge, NR, from, ahead);
    for (int i = 0; i < m; i++)
        memcpy(c + i * ldc, edge + i * NR, (size_t)n * sizeof *c);
}

/* ---- packing ---------------------------------------------------------------------------- */

#ifdef STAGES

/* a row of transpose_block spills into the next one, not further */
_Static_assert((int)MR > (int)LANES || 2 * (int)MR >= (int)LANES, "rows are too short");

/* out[p*width + i] = alpha * in[i*rs + p] for LANES steps p and rows i < m, and 0 for the others up
 * to LANES. Whole vectors are stored: what spills over a narrow row is overwritten by the next one,
 * and the last row is cut. */
static inline __attribute__((always_inline)) void
transpose_block(int m, int width, real alpha, const real *in, ptrdiff_t rs, real *out)
{
    vector v[LANES];
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++)
        v[i] = i < m ? alpha * load(in + i * rs) : (vector){0};
    transpose(v);
#pragma GCC unroll 16
    for (int i = 0; i < LANES - 1; i++)
        store(out + i * width, v[i]);
    memcpy(out + (LANES - 1) * width, &v[LANES - 1],
           sizeof *out * (size_t)(width < LANES ? width : LANES));
}

/* the same of fewer rows than a block has, where m is known only now */
static __attribute__((noinline)) void transpose_few(int m, int width, real alpha, const real *in,
                                                    ptrdiff_t rs, real *out)
{
    if (width == MR)
        transpose_block(m, MR, alpha, in, rs, out);
    else
        transpose_block(m, NR, alpha, in, rs, out);
}

/* as many whole blocks as fit; returns the steps done */
static int transpose_panel(int m, int width, int k, real alpha, const real *in, ptrdiff_t rs,
                           real *out)
{
    int p = 0;
    if (width == MR && (int)MR > (int)LANES)
        return p;
    for (; p + LANES <= k; p += LANES, in += LANES, out += LANES * width) {
        if (width == MR && m == MR)
            transpose_block(MR, MR, alpha, in, rs, out);
        else if (width == MR)
            transpose_few(m, MR, alpha, in, rs, out);
        else
            for (int i = 0; i < NR; i += LANES)
                if (i + LANES <= m)
                    transpose_block(LANES, NR, alpha, in + i * rs, rs, out + i);
                else
                    transpose_few(i < m ? m - i : 0, NR, alpha, i < m ? in + i * rs : in, rs,
                                  out + i);
    }
    return p;
}

#else

static int transpose_panel(int m, int width, int k, real alpha, const real *in, ptrdiff_t rs,
                           real *out)
{
    (void)m, (void)width, (void)k, (void)alpha, (void)in, (void)rs, (void)out;
    return 0;
}

#endif

/* out[p*width + i] = alpha * in[i*rs + p] for rows i < m, and 0 for the others */
static void pack_rows(int m, int width, int k, real alpha, const real *in, ptrdiff_t rs, real *out)
{
    for (int p = transpose_panel(m, width, k, alpha, in, rs, out); p < k; p++)
        for (int i = 0; i < width; i++)
            out[p * width + i] = i < m ? alpha * in[i * rs + p] : 0;
}

/* one row of one panel. The last vector may spill over: into the next row of the panel, which is
 * written later; it reads as far into the next row of the matrix, so not in the last row. */
static inline __attribute__((always_inline)) void copy_row(int width, bool last, real alpha,
                                                           const real *from, real *to)
{
    if (width % LANES == 0 || !last) {
#pragma GCC unroll 4
        for (int i = 0; i < width; i += LANES)
            store(to + i, alpha * load(from + i));
    } else {
        for (int i = 0; i < width; i++)
            to[i] = alpha * from[i];
    }
}

/* its first n numbers, and zeros */
static inline __attribute__((always_inline)) void copy_part(int n, int width, bool last, real alpha,
                                                            const real *from, real *to)
{
    real row[NR] = {0};
    memcpy(row, from, (size_t)n * sizeof *row);
    copy_row(width, last, alpha, row, to);
}

/* Where MR is three quarters of a vector, as in float with AVX, four rows of a panel are three
 * vectors: their lines are written whole, and nothing spills. Whole vectors are read, which go on
 * into the next row of the matrix, so the last one has no part in this. */
#if !defined(ATTEND_REAL_DOUBLE) && VECTOR_BYTES == 64
#define QUARTERS(X)                                                  \
    X(0, (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19))     \
    X(1, (4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 20, 21, 22, 23)) \
    X(2, (8, 9, 10, 11, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27))
#elif !defined(ATTEND_REAL_DOUBLE) && VECTOR_BYTES == 32
#define QUARTERS(X)                  \
    X(0, (0, 1, 2, 3, 4, 5, 8, 9))   \
    X(1, (2, 3, 4, 5, 8, 9, 10, 11)) \
    X(2, (4, 5, 8, 9, 10, 11, 12, 13))
#endif

#ifdef QUARTERS
_Static_assert(4 * (int)MR == 3 * (int)LANES, "the lists of lanes are for these sizes");
enum { QUAD = 4 };
#define QUARTER(i, lanes) \
    store(to + i * LANES, __builtin_shufflevector(row[i], row[i + 1], BARE lanes));

static inline __attribute__((always_inline)) void copy_four(real alpha, const real *from,
                                                            ptrdiff_t cs, real *to)
{
    vector row[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        row[i] = alpha * load(from + i * cs);
    QUARTERS(QUARTER)
}
#else
enum { QUAD = 1 };

static inline void copy_four(real alpha, const real *from, ptrdiff_t cs, real *to)
{
    (void)alpha, (void)from, (void)cs, (void)to;
}
#endif

/* brings n numbers near that are read soon */
static inline void fetch(const real *from, int n)
{
    enum { LINE = 64 / (int)sizeof *from };
    for (int i = 0; i < n; i += LINE)
        __builtin_prefetch(from + i);
}

/* The same from columns: row p of the panels [n/width][k][width] is alpha * in[p*cs + 0..n). A
 * few panels are filled together, so that memory is read in long pieces: alone, each would visit
 * k lines that lie a power of two apart and push each other out of the cache. */
static inline __attribute__((always_inline)) void pack_columns(int n, int width, int k, real alpha,
                                                               const real *in, ptrdiff_t cs,
                                                               real *out, ptrdiff_t stride)
{
    enum { TOGETHER = 8, AHEAD = 8 };
    for (int i = 0; i < n; i += TOGETHER * width, out += TOGETHER * stride) {
        int whole = (n - i) / width < TOGETHER ? (n - i) / width : TOGETHER;
        int rest = whole < TOGETHER ? n - i - whole * width : 0;
        for (int p = 0, rows; p < k; p += rows) {
            const real *from = in + p * cs + i;
            real *to = out + p * width;
            rows = width == MR && p + QUAD < k ? QUAD : 1;
            for (int q = p + AHEAD; q < p + AHEAD + rows && q < k; q++)
                fetch(in + q * cs + i, whole * width);
            for (int j = 0; j < whole; j++, from += width, to += stride)
                if (rows == 1)
                    copy_row(width, p == k - 1, alpha, from, to);
                else
                    copy_four(alpha, from, cs, to);
            for (int q = 0; rest && q < rows; q++, from += cs, to += width)
                copy_part(rest, width, p + q == k - 1, alpha, from, to);
        }
    }
}

static void pack_a(int m, int k, real alpha, const real *a, ptrdiff_t rs, ptrdiff_t cs, real *out)
{
    if (rs == 1) {
        pack_columns(m, MR, k, alpha, a, cs, out, (ptrdiff_t)MR * k);
        return;
    }
    for (int i = 0; i < m; i += MR, out += (ptrdiff_t)MR * k)
        pack_rows(m - i < MR ? m - i : MR, MR, k, alpha, a + i * rs, rs, out);
}

static void pack_b(int n, int k, const real *b, ptrdiff_t rs, ptrdiff_t cs, real *out,
                   ptrdiff_t stride)
{
    if (cs == 1) {
        pack_columns(n, NR, k, 1, b, rs, out, stride);
        return;
    }
    for (int j = 0; j < n; j += NR, out += stride)
        pack_rows(n - j < NR ? n - j : NR, NR, k, 1, b + j * cs, cs, out);
}

/* ---- two-byte numbers ------------------------------------------------------------------- */

static void widen_bf16(size_t n, const void *from, real *to)
{
    const unsigned char *in = from;
    for (size_t i = 0; i < n; i++) {
        uint16_t x;
        memcpy(&x, in + 2 * i, sizeof x);
        to[i] = at_bfloat_to_float(x);
    }
}

/* The instruction reads denormal halves exactly in any mode of the processor; quiet NaNs alone
 * have their payload kept. */
static void widen_f16(size_t n, const void *from, real *to)
{
    const unsigned char *in = from;
    size_t i = 0;
#if defined(__F16C__) && !defined(ATTEND_REAL_DOUBLE)
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(in + 2 * i))));
#endif
    for (; i < n; i++) {
        uint16_t x;
        memcpy(&x, in + 2 * i, sizeof x);
        to[i] = at_half_to_float(x);
    }
}

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define STRING2(a) #a
#define STRING(a) STRING2(a)

const at_gemm_kernel JOIN(at_gemm_kernel_, ATTEND_ISA) = {
    .isa = STRING(ATTEND_ISA),
    .mr = MR,
    .nr = NR,
    .mc = MC,
    .kc = KC,
    .grain = 1,
    .bytes = sizeof(real),
    .tile = tile,
    .pack_a = pack_a,
    .pack_b = pack_b,
    .widen_f16 = widen_f16,
    .widen_bf16 = widen_bf16,
};
