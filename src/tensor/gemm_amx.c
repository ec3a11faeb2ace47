/* Products of gradients in tiles of bfloat16, which processors with Intel's AMX multiply sixteen
 * times as fast as vectors of float.
 *
 * A float of 24 bits is the sum of three bfloat16 numbers of 8 bits:
 *
 *     x = x1 + x2 + x3    x1 = round(x), x2 = round(x - x1), x3 = x - x1 - x2
 *
 * so that a product is nine products of parts, and six of them are enough for float:
 *
 *     x y = x3 y1 + x2 y1 + x2 y2 + x1 y2 + x1 y3 + x1 y1 + error
 *
 * The error, x2 y3 + x3 y2 + x3 y3, is at most 2^-23 |x y|, and 2^-28 in the mean. In return there
 * are fewer roundings: 32 steps of k are summed by themselves before they are added to C.
 *
 * Every element of a product is
 *
 *     for each 32 steps of k, p = 0..31, the last padded with zeros:
 *         for each of the six (s,t) above, in this order:
 *             c += sum over p < 16 of x_s[p] y_t[p] + sum over p >= 16 of x_s[p] y_t[p]
 *
 * whose two sums are chains of multiply-adds from 0. No block, edge or thread changes it. What is
 * not finite, or above 3.39e38, makes what is not finite, though inf may become NaN; what is
 * denormal counts as 0.
 *
 * A panel is 32 rows of A, or columns of B:
 *
 *     [k/32] groups of 32 steps
 *       [3]    parts: of A the third first, of B the first
 *         [2]    tiles of 16 rows, or columns
 *           [16]   of A a row:   x[0] x[16] x[1] x[17] ..     the steps p and 16 + p are a pair
 *                  of B a pair:  x[p] x[16 + p] of one column after the other */
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "tensor/gemm_kernel.h"

#ifdef ATTEND_REAL_DOUBLE
#error "tiles are of float"
#endif

#define VECTOR_BYTES 64
typedef float vector __attribute__((vector_size(VECTOR_BYTES)));
typedef float vector_unaligned __attribute__((vector_size(VECTOR_BYTES), aligned(4)));
typedef uint32_t bits __attribute__((vector_size(VECTOR_BYTES)));

enum {
    LANES = 16,
    SIDE = 32,  /* of a tile of C */
    STEPS = 32, /* of k in a group */
    PARTS = 3,
    ROW = 64,        /* bytes of a row of a tile */
    TILE = 16 * ROW, /* bytes */
    PART = 2 * TILE,
    GROUP_BYTES = PARTS * PART,
    MC = 256,
    KC = 512,
};

#include "tensor/transpose.h"

_Static_assert((int)SIDE <= ATTEND_GEMM_MR_MAX && (int)SIDE <= ATTEND_GEMM_NR_MAX
                   && (int)MC <= ATTEND_GEMM_MC_MAX && (int)KC <= ATTEND_GEMM_KC_MAX
                   && (int)KC % (int)STEPS == 0 && (int)STEPS <= ATTEND_GEMM_GRAIN_MAX
                   && 2 * (int)PARTS <= (int)ATTEND_GEMM_BYTES_MAX,
               "gemm.c has memory for these sizes");

/* ---- packing ---------------------------------------------------------------------------- */

#define HIGH 0xffff0000

static inline bits rounded(vector x) { return ((bits)x + 0x8000) & HIGH; }

/* a row of a tile for each part, which are `next` bytes apart: x[0] y[0] x[1] y[1] .. */
static inline __attribute__((always_inline)) void split_pair(vector x, vector y, char *row,
                                                             ptrdiff_t next)
{
#pragma GCC unroll 3
    for (int part = 0; part < PARTS; part++, row += next) {
        bits u = part < 2 ? rounded(x) : (bits)x, v = part < 2 ? rounded(y) : (bits)y;
        *(bits *)row = u >> 16 | (v & HIGH);
        x -= (vector)u;
        y -= (vector)v;
    }
}

static inline vector load(const float *p) { return *(const vector_unaligned *)p; }

static inline vector load_some(const float *p, int n)
{
    vector v = {0};
    if (n > 0)
        memcpy(&v, p, sizeof *p * (size_t)(n < LANES ? n : LANES));
    return v;
}

typedef enum { OF_A, OF_B } operand;

/* One tile: 16 rows of A or columns of B, and 32 steps, of which `width` and `steps` are there;
 * element (i,p) is in[i*side + p*step]. Vectors are read along the steps where these lie side by
 * side, else across them; rows of a tile are along the steps in A, across them in B. */
static inline __attribute__((always_inline)) void pack_tile(operand of, bool along, int width,
                                                            int steps, float alpha, const float *in,
                                                            ptrdiff_t side, ptrdiff_t step,
                                                            char *out)
{
    vector x[LANES], y[LANES]; /* of the steps below 16, and of the others */
    bool whole = width >= LANES && steps >= STEPS;
    ptrdiff_t next = along ? side : step, half = along ? LANES : LANES * step;
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++)
        if (whole) {
            x[i] = load(in + i * next);
            y[i] = load(in + i * next + half);
        } else {
            int low = along ? (i < width ? steps : 0) : (i < steps ? width : 0);
            int high = along ? (i < width ? steps - LANES : 0) : (i + LANES < steps ? width : 0);
            x[i] = load_some(in + i * next, low);
            y[i] = load_some(in + i * next + half, high);
        }
    if ((of == OF_A) != along) {
        transpose(x);
        transpose(y);
    }
    char *first = of == OF_A ? out + (PARTS - 1) * PART : out;
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++)
        split_pair(alpha * x[i], alpha * y[i], first + i * ROW, of == OF_A ? -PART : PART);
}

/* panels, `stride` bytes apart, a group of steps of all of them at a time */
static inline __attribute__((always_inline)) void pack(operand of, bool along, int n, int k,
                                                       float alpha, const float *in, ptrdiff_t side,
                                                       ptrdiff_t step, char *out, ptrdiff_t stride)
{
    for (int p = 0; p < k; p += STEPS)
        for (int i = 0; i < n; i += LANES) {
            char *tile = out + i / SIDE * stride + (ptrdiff_t)(p / STEPS) * GROUP_BYTES
                         + i % SIDE / LANES * TILE;
            pack_tile(of, along, n - i, k - p, alpha, in + i * side + p * step, side, step, tile);
        }
}

static void pack_a(int m, int k, real alpha, const real *a, ptrdiff_t rs, ptrdiff_t cs, real *out)
{
    ptrdiff_t panel = (ptrdiff_t)((k + STEPS - 1) / STEPS) * GROUP_BYTES;
    if (cs == 1)
        for (int i = 0; i < m; i += SIDE)
            pack(OF_A, true, m - i < SIDE ? m - i : SIDE, k, alpha, a + i * rs, rs, 1,
                 (char *)out + i / SIDE * panel, panel);
    else
        pack(OF_A, false, m, k, alpha, a, 1, cs, (char *)out, panel);
}

static void pack_b(int n, int k, const real *b, ptrdiff_t rs, ptrdiff_t cs, real *out,
                   ptrdiff_t stride)
{
    if (cs == 1)
        pack(OF_B, false, n, k, 1, b, 1, rs, (char *)out, stride * (ptrdiff_t)sizeof *out);
    else
        pack(OF_B, true, n, k, 1, b, cs, 1, (char *)out, stride * (ptrdiff_t)sizeof *out);
}

/* ---- tiles ------------------------------------------------------------------------------ */

/* the processor's eight tiles: two by two of C, two of a part of A, two of B */
#define C00 0
#define C01 1
#define C10 2
#define C11 3
#define A0 4
#define A1 5
#define B0 6
#define B1 7

static void begin(void)
{
    struct {
        uint8_t palette, start_row, reserved[14];
        uint16_t bytes[16]; /* of a row */
        uint8_t rows[16];
    } tiles = {.palette = 1};
    for (int i = 0; i < 8; i++) {
        tiles.bytes[i] = ROW;
        tiles.rows[i] = 16;
    }
    __asm__ volatile("" ::: "memory");
    _tile_loadconfig(&tiles);
}

static void end(void) { _tile_release(); }

/* two rows of the next tile of C come near; not into the first-level cache, where rows a power of
 * two apart push each other out */
static inline void fetch(at_gemm_ahead *next)
{
    for (int i = 0; i < 2 && next->rows > 0; i++, next->rows--, next->c += next->ldc) {
        __builtin_prefetch(next->c, 0, 2);
        __builtin_prefetch(next->c + LANES, 0, 2);
    }
}

/* the part that lies at this place of a group */
#define LOAD_A(at)                                          \
    do {                                                    \
        _tile_loadd(A0, a + (at) * (PART), ROW);            \
        if (tall)                                           \
            _tile_loadd(A1, a + (at) * (PART) + TILE, ROW); \
    } while (0)
#define LOAD_B(at)                                          \
    do {                                                    \
        _tile_loadd(B0, b + (at) * (PART), ROW);            \
        if (wide)                                           \
            _tile_loadd(B1, b + (at) * (PART) + TILE, ROW); \
    } while (0)
#define MULTIPLY                         \
    do {                                 \
        _tile_dpbf16ps(C00, A0, B0);     \
        if (wide)                        \
            _tile_dpbf16ps(C01, A0, B1); \
        if (tall)                        \
            _tile_dpbf16ps(C10, A1, B0); \
        if (tall && wide)                \
            _tile_dpbf16ps(C11, A1, B1); \
    } while (0)

#define EACH_C(X)                 \
    do {                          \
        X(C00, 0, 0);             \
        if (wide)                 \
            X(C01, 0, LANES);     \
        if (tall)                 \
            X(C10, LANES, 0);     \
        if (tall && wide)         \
            X(C11, LANES, LANES); \
    } while (0)
#define ZERO_C(t, i, j) _tile_zero(t)
#define LOAD_C(t, i, j) _tile_loadd(t, from.data + (i)*from.ld + (j), from.ld * 4)
#define STORE_C(t, i, j) _tile_stored(t, c + (i)*ldc + (j), ldc * 4)

/* tall and wide are constants in each call: is there more than one tile of rows, of columns? */
static inline __attribute__((always_inline)) void tile_of(bool tall, bool wide, int k,
                                                          const char *a, const char *b, real *c,
                                                          ptrdiff_t ldc, at_gemm_start from,
                                                          at_gemm_ahead next)
{
    if (from.data)
        EACH_C(LOAD_C);
    else
        EACH_C(ZERO_C);
    for (int p = 0; p < k; p += STEPS, a += GROUP_BYTES, b += GROUP_BYTES) {
        LOAD_A(0);
        LOAD_B(0);
        MULTIPLY; /* x3 y1 */
        LOAD_A(1);
        MULTIPLY; /* x2 y1 */
        LOAD_B(1);
        MULTIPLY; /* x2 y2 */
        fetch(&next);
        LOAD_A(2);
        MULTIPLY; /* x1 y2 */
        LOAD_B(2);
        MULTIPLY; /* x1 y3 */
        LOAD_B(0);
        MULTIPLY; /* x1 y1 */
    }
    EACH_C(STORE_C);
}

static void tile_full(int m, int n, int k, const real *a, const real *b, real *c, ptrdiff_t ldc,
                      at_gemm_start from, const at_gemm_ahead *ahead)
{
    const char *x = (const char *)a, *y = (const char *)b;
    __asm__ volatile("" ::: "memory"); /* the compiler does not know what tiles read */
    if (m > LANES && n > LANES)
        tile_of(true, true, k, x, y, c, ldc, from, *ahead);
    else if (m > LANES)
        tile_of(true, false, k, x, y, c, ldc, from, *ahead);
    else if (n > LANES)
        tile_of(false, true, k, x, y, c, ldc, from, *ahead);
    else
        tile_of(false, false, k, x, y, c, ldc, from, *ahead);
}

/* a tile at an edge goes through a full copy */
static void tile(int m, int n, int k, const real *a, ptrdiff_t a_row, ptrdiff_t a_step,
                 const real *b, ptrdiff_t b_step, real *c, ptrdiff_t ldc, at_gemm_start from,
                 const at_gemm_ahead *ahead)
{
    (void)a_row, (void)a_step, (void)b_step;
    if (m % LANES == 0 && n % LANES == 0) {
        tile_full(m, n, k, a, b, c, ldc, from, ahead);
        return;
    }
    real edge[SIDE * SIDE];
    if (from.data) {
        memset(edge, 0, sizeof edge);
        for (int i = 0; i < m; i++)
            memcpy(edge + i * SIDE, from.data + i * from.ld, (size_t)n * sizeof *c);
        from = (at_gemm_start){edge, SIDE};
    }
    tile_full(m, n, k, a, b, edge, SIDE, from, ahead);
    for (int i = 0; i < m; i++)
        memcpy(c + i * ldc, edge + i * SIDE, (size_t)n * sizeof *c);
}

const at_gemm_kernel at_gemm_kernel_amx = {
    .isa = "amx",
    .mr = SIDE,
    .nr = SIDE,
    .mc = MC,
    .kc = KC,
    .grain = STEPS,
    .bytes = PARTS * 2,
    .begin = begin,
    .end = end,
    .tile = tile,
    .pack_a = pack_a,
    .pack_b = pack_b,
};
