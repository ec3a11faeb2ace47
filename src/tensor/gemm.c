/* Blocking and threads of the matrix product, after Goto and van de Geijn 2008, "Anatomy of
 * high-performance matrix multiplication":
 *
 *     for each NC columns of B            (B block: last-level cache)
 *       for each KC rows of B: pack       (one B panel: first- or second-level cache)
 *         for each MC rows of A: pack     (A block: second-level cache)
 *           for each tile: gemm_kernel.c  (C tile: registers)
 *
 * where B is packed along with the first block of A, a few panels before they are used, and A is
 * read where it lies, unless packing pays; tiles of bfloat16 want both packed. While a tile is
 * computed, it brings near what the next ones need: their part of C, the next panel of B, rows of
 * the next block of A.
 *
 * Why not a BLAS: none promises that a row keeps its bits when the number of rows or threads
 * changes (they pick other kernels and split the sum for small sizes), and none has one result
 * for float on every instruction set with fused multiply-add. bench/figures has the measured
 * speed beside OpenBLAS and oneDNN. */
#include "tensor/gemm.h"

#include <pthread.h>
#include <string.h>

#include "base/cpu.h"
#include "base/memory.h"
#include "base/threads.h"
#include "tensor/few_kernel.h"
#include "tensor/gemm_kernel.h"

enum {
    NC = 1536,
    GROUP = 8,                        /* panels of B that are packed and used at a time */
    FEW_KC = 16,                      /* rows of B at a time where B is read unpacked */
    SMALL_KC = ATTEND_GEMM_GRAIN_MAX, /* without memory */
    SMALL_SIDES = ATTEND_GEMM_MR_MAX + ATTEND_GEMM_NR_MAX,
};

static const at_gemm_kernel *kernel(void)
{
#if defined(__x86_64__)
    switch (at_cpu_isa()) {
    case ATTEND_ISA_AMX:
    case ATTEND_ISA_AVX512: return &at_gemm_kernel_avx512;
    case ATTEND_ISA_AVX2: return &at_gemm_kernel_avx2;
    default: break;
    }
#endif
    return &at_gemm_kernel_base;
}

/* for few rows */
static const at_few_kernel *few(void)
{
#if defined(__x86_64__)
    switch (at_cpu_isa()) {
    case ATTEND_ISA_AMX:
    case ATTEND_ISA_AVX512: return &at_few_kernel_avx512;
    case ATTEND_ISA_AVX2: return &at_few_kernel_avx2;
    default: break;
    }
#endif
    return &at_few_kernel_base;
}

bool at_gemm_tiled(int m, int n, int k)
{
#ifdef ATTEND_AMX
    /* smaller ones are padding and packing for the most part */
    enum { ROWS = 32, COLUMNS = 64, DEPTH = 32, ELEMENTS = 8192 };
    return at_cpu_isa() == ATTEND_ISA_AMX && m >= ROWS && n >= COLUMNS && k >= DEPTH
           && (long)m * n >= ELEMENTS;
#else
    (void)m, (void)n, (void)k;
    return false;
#endif
}

static const at_gemm_kernel *kernel_for(bool tiled)
{
#ifdef ATTEND_AMX
    if (tiled)
        return &at_gemm_kernel_amx;
#endif
    (void)tiled;
    return kernel();
}

/* ---- packing memory: one per thread, kept until the thread ends ------------------------- */

static pthread_key_t memory_key;
static pthread_once_t memory_once = PTHREAD_ONCE_INIT;

static bool keyed; /* else each product works in small blocks, without memory */

static void make_key(void) { keyed = pthread_key_create(&memory_key, at_free) == 0; }

static real *packing_memory(void)
{
    pthread_once(&memory_once, make_key);
    real *memory = keyed ? pthread_getspecific(memory_key) : NULL;
    if (!memory && keyed) {
        memory = at_alloc((size_t)ATTEND_GEMM_KC_MAX * (ATTEND_GEMM_MC_MAX + NC)
                          * ATTEND_GEMM_BYTES_MAX);
        if (memory && pthread_setspecific(memory_key, memory) != 0) {
            at_free(memory);
            memory = NULL;
        }
    }
    return memory;
}

/* ---- one thread ------------------------------------------------------------------------- */

typedef struct {
    int m, n, k;
    real alpha, beta;
    at_gemm_start from;   /* for what k begins with */
    const real *a, *b;    /* A(i,p) = a[i*ars + p*acs], likewise B(p,j) */
    const uint16_t *half; /* B where it has two-byte numbers, of this type; or NULL */
    at_element type;
    ptrdiff_t ars, acs, brs, bcs;
    const real *panels; /* of the whole of B where it is packed already, or NULL */
    real *c;
    ptrdiff_t ldc;
    const at_gemm_kernel *kernel;
} product;

static inline int min(int a, int b) { return a < b ? a : b; }
static inline int parts_of(int n, int part)
{
    return (n + part - 1) / part;
} /* the last: smaller */

/* numbers that a panel takes which is so wide and deep */
static ptrdiff_t panel_len(const product *g, int width, int k)
{
    const at_gemm_kernel *with = g->kernel;
    return (ptrdiff_t)parts_of(k, with->grain) * with->grain * width * with->bytes
           / (ptrdiff_t)sizeof(real);
}

static void scale_rows(const product *g)
{
    for (int i = 0; i < g->m; i++)
        for (int j = 0; j < g->n; j++)
            g->c[i * g->ldc + j] *= g->beta;
}

/* nothing is added to what the product begins with */
static void no_terms(const product *g)
{
    for (int i = 0; i < g->m; i++)
        for (int j = 0; j < g->n; j++)
            g->c[i * g->ldc + j] = g->from.data ? g->from.data[i * g->from.ld + j] : 0;
}

static inline at_gemm_start moved(at_gemm_start from, ptrdiff_t row, ptrdiff_t column)
{
    return from.data ? (at_gemm_start){from.data + row * from.ld + column, from.ld} : from;
}

/* A block of A, packed or where it lies: A(i,p) = data[i*row + p*step] within a tile, and the
 * tiles' first rows are `panel` apart. */
typedef struct {
    const real *data;
    ptrdiff_t row, step, panel;
} block;

/* rows of A that the next block begins with, which the tiles of this one bring near */
typedef struct {
    const real *row;
    ptrdiff_t ld;
    int left, wait; /* rows; tiles before the first: what comes too early is gone again */
} coming;

/* so many of the tiles that a panel meets bring the next one near, a part each */
static int shares(int tall) { return min(tall, 4); }

/* What the tile in this row of tiles brings near: the next panel of B, where panels are far, by the
 * first few tiles of a panel; or one of the rows of A that come. */
static at_gemm_ahead ahead(const product *g, int row, int tall, int kc, const real *panel,
                           coming *rows)
{
    enum { LINE = 64 / sizeof *panel };
    if (panel && row < shares(tall)) {
        int step = min(parts_of(g->kernel->nr, shares(tall)), LINE);
        return (at_gemm_ahead){.run = panel + row * kc * step, .step = step};
    }
    if (rows->left <= 0 || rows->wait-- > 0)
        return (at_gemm_ahead){.run = g->a}; /* nothing: the same line again and again */
    const real *next = rows->row;
    rows->row += rows->ld;
    rows->left--;
    return (at_gemm_ahead){.run = next, .step = 1};
}

/* All tiles of an A block [mc,kc] by a B block [kc,nc], whose panels may be far. */
static void tiles(const product *g, int mc, int nc, int kc, block a, const real *b,
                  ptrdiff_t b_stride, ptrdiff_t b_step, real *c, at_gemm_start from, bool far,
                  coming *rows)
{
    int mr = g->kernel->mr, nr = g->kernel->nr, tall = parts_of(mc, mr);
    const real *first = b; /* the next rows of A begin with it */
    for (int j = 0; j < nc; j += nr, b += b_stride)
        for (int i = 0; i < mc; i += mr) {
            bool lowest = i + mr >= mc, last = j + nr >= nc;
            const real *panel = last ? first : b + b_stride;
            at_gemm_ahead near = ahead(g, i / mr, tall, kc, far ? panel : NULL, rows);
            near.c = lowest ? c + j + nr : c + (i + mr) * g->ldc + j;
            near.ldc = g->ldc;
            near.rows = !lowest ? min(mr, mc - i - mr) : last ? 0 : min(mr, mc);
            g->kernel->tile(min(mr, mc - i), min(nr, nc - j), kc, a.data + i / mr * a.panel, a.row,
                            a.step, b, b_step, c + i * g->ldc + j, g->ldc, moved(from, i, j),
                            &near);
        }
}

/* ---- a B of two-byte numbers ---------------------------------------------------------------- */

enum { WIDE = 4096 }; /* numbers that are widened at a time: they stay in the first-level cache */

void at_element_widen(at_element type, size_t n, const void *from, real *to)
{
    if (type == ATTEND_ELEMENT_F16)
        kernel()->widen_f16(n, from, to);
    else if (type == ATTEND_ELEMENT_BF16)
        kernel()->widen_bf16(n, from, to);
    else
        memcpy(to, from, n * sizeof *to);
}

/* `lines` runs of n numbers of B, ld apart, side by side */
static void widen_lines(const product *g, int lines, int n, const uint16_t *from, ptrdiff_t ld,
                        real *to)
{
    for (int i = 0; i < lines; i++, from += ld, to += n)
        at_element_widen(g->type, (size_t)n, from, to);
}

/* B(p..p+kc, j..j+n) into panels, from rows of B */
static void pack_half_rows(const product *g, int n, int kc, int p, int j, real *out,
                           ptrdiff_t stride)
{
    real wide[WIDE];
    int rows = WIDE / n;
    for (int q = 0; q < kc; q += rows, out += (ptrdiff_t)rows * g->kernel->nr) {
        int few = min(rows, kc - q);
        widen_lines(g, few, n, g->half + (p + q) * g->brs + j, g->brs, wide);
        g->kernel->pack_b(n, few, wide, n, 1, out, stride);
    }
}

/* the same from columns of B, which are rows of what is stored */
static void pack_half_columns(const product *g, int n, int kc, int p, int j, real *out,
                              ptrdiff_t stride)
{
    real wide[WIDE];
    int nr = g->kernel->nr, steps = WIDE / nr;
    for (int i = 0; i < n; i += nr, out += stride)
        for (int q = 0; q < kc; q += steps) {
            int few = min(steps, kc - q), columns = min(nr, n - i);
            widen_lines(g, columns, few, g->half + (j + i) * g->bcs + p + q, g->bcs, wide);
            g->kernel->pack_b(columns, few, wide, 1, few, out + (ptrdiff_t)q * nr, stride);
        }
}

/* packs B(p..p+kc, j..j+n), n at most GROUP panels wide */
static void pack_part(const product *g, int n, int kc, int p, int j, real *out, ptrdiff_t stride)
{
    if (!g->half)
        g->kernel->pack_b(n, kc, g->b + p * g->brs + j * g->bcs, g->brs, g->bcs, out, stride);
    else if (g->bcs == 1)
        pack_half_rows(g, n, kc, p, j, out, stride);
    else
        pack_half_columns(g, n, kc, p, j, out, stride);
}

/* memory for packed blocks, and how large they may be */
typedef struct {
    real *a, *b;
    int mc, kc, nc;
} workspace;

/* steps of about `most` that cut n evenly */
static int even(int n, int max)
{
    int parts = parts_of(n, max);
    return parts ? parts_of(n, parts) : max;
}

/* A is read where it lies, unless there are so many columns of B that packing pays. Its rows may
 * not all fall into one set of the first-level cache, as those do that are a multiple of 4096 bytes
 * apart; held transposed, it must fit into that cache. */
static bool in_place(const product *g, int nc)
{
    enum { COLUMNS = 1024, SAME_SET = 4096 / sizeof(real), CACHE = 32768 / sizeof(real) };
    if (g->alpha != 1 || nc > COLUMNS || g->kernel->grain > 1)
        return false;
    return g->ars == 1 ? g->k * g->acs <= CACHE : g->ars % SAME_SET != 0;
}

/* rows i..i+mc of A, columns p..p+kc, by a B of nc columns */
static block block_of(const product *g, workspace r, int i, int mc, int p, int kc, int nc)
{
    int mr = g->kernel->mr;
    const real *a = g->a + i * g->ars + p * g->acs;
    if (in_place(g, nc))
        return (block){a, g->ars, g->acs, mr * g->ars};
    g->kernel->pack_a(mc, kc, g->alpha, a, g->ars, g->acs, r.a);
    return (block){r.a, 1, mr, panel_len(g, mr, kc)};
}

/* The panels of B that the first rows of A need are packed a few at a time and used at once, while
 * they are near. Where there are no more rows, nobody comes back to them, and the next few take
 * their place. */
static void pack_and_multiply(const product *g, workspace r, block a, int mc, int nc, int kc, int p,
                              int column, real *c, at_gemm_start from, coming *rows)
{
    int nr = g->kernel->nr, group = GROUP * nr;
    ptrdiff_t stride = panel_len(g, nr, kc);
    for (int j = 0; j < nc; j += group) {
        int n = min(group, nc - j);
        real *panels = mc < g->m ? r.b + j / nr * stride : r.b;
        pack_part(g, n, kc, p, column + j, panels, stride);
        tiles(g, mc, n, kc, a, panels, stride, nr, c + j, moved(from, 0, j), false, rows);
    }
}

/* how many tiles of a block have no panel of B to bring near */
static int spare_tiles(const product *g, int mc, int nc, bool far)
{
    int tall = parts_of(mc, g->kernel->mr);
    return parts_of(nc, g->kernel->nr) * (far ? tall - shares(tall) : tall);
}

/* the rows of the block that comes after, which begins in row i, or further right where there are
 * no more rows: the last of the spare tiles bring them near */
static coming rows_after(const product *g, int i, int mc, int p, int kc, int spare)
{
    if (i >= g->m) {
        i = 0;
        p += kc;
    }
    if (g->acs != 1 || p >= g->k)
        return (coming){.left = 0};
    int rows = min(mc, g->m - i);
    return (coming){g->a + i * g->ars + p, g->ars, rows, spare - rows};
}

static void multiply_blocks(const product *g, workspace r)
{
    int nr = g->kernel->nr, mr = g->kernel->mr;
    int grain = g->kernel->grain, kcs = parts_of(even(g->k, r.kc), grain) * grain;
    int mcs = parts_of(even(g->m, r.mc), mr) * mr;
    for (int j = 0; j < g->n; j += r.nc) {
        int nc = min(r.nc, g->n - j);
        for (int p = 0; p < g->k; p += kcs) {
            int kc = min(kcs, g->k - p);
            ptrdiff_t stride = panel_len(g, nr, g->panels ? g->k : kc);
            const real *panels = r.b;
            if (g->panels)
                panels = g->panels + j / nr * stride + panel_len(g, nr, p);
            for (int i = 0; i < g->m; i += mcs) {
                int mc = min(mcs, g->m - i);
                real *c = g->c + i * g->ldc + j;
                at_gemm_start from = p > 0 ? (at_gemm_start){c, g->ldc} : moved(g->from, i, j);
                block a = block_of(g, r, i, mc, p, kc, nc);
                int spare = spare_tiles(g, mc, nc, i > 0 || g->panels);
                coming rows = rows_after(g, i + mcs, mcs, p, kcs, spare);
                if (i == 0 && !g->panels)
                    pack_and_multiply(g, r, a, mc, nc, kc, p, j, c, from, &rows);
                else
                    tiles(g, mc, nc, kc, a, panels, stride, nr, c, from, true, &rows);
            }
        }
    }
}

/* The same with a B of two-byte numbers: as many columns of it at a time as are widened at once. */
static void multiply_few_half(const product *g, workspace r)
{
    enum { COLUMNS = WIDE / FEW_KC };
    real wide[WIDE];
    int nr = g->kernel->nr;
    coming none = {.left = 0};
    for (int p = 0; p < g->k; p += FEW_KC) {
        int kc = min(FEW_KC, g->k - p);
        at_gemm_start from = p > 0 ? (at_gemm_start){g->c, g->ldc} : g->from;
        block a = block_of(g, r, 0, g->m, p, kc, g->n);
        for (int j = 0; j < g->n; j += COLUMNS) {
            int n = min(COLUMNS, g->n - j), whole = n / nr * nr;
            widen_lines(g, kc, n, g->half + p * g->brs + j, g->brs, wide);
            tiles(g, g->m, whole, kc, a, wide, nr, n, g->c + j, moved(from, 0, j), false, &none);
            if (whole < n) {
                g->kernel->pack_b(n - whole, kc, wide + whole, n, 1, r.b, (ptrdiff_t)kc * nr);
                tiles(g, g->m, n - whole, kc, a, r.b, 0, nr, g->c + j + whole,
                      moved(from, 0, j + whole), false, &none);
            }
        }
    }
}

/* Few rows: packing B would cost as much as the product. A few rows of B at a time are read where
 * they are, from left to right; only the columns of the last, narrow panel are packed. */
static void multiply_few(const product *g, workspace r)
{
    int nr = g->kernel->nr, whole = g->n / nr * nr;
    coming none = {.left = 0};
    if (g->half) {
        multiply_few_half(g, r);
        return;
    }
    for (int p = 0; p < g->k; p += FEW_KC) {
        int kc = min(FEW_KC, g->k - p);
        const real *b = g->b + p * g->brs;
        at_gemm_start from = p > 0 ? (at_gemm_start){g->c, g->ldc} : g->from;
        block a = block_of(g, r, 0, g->m, p, kc, g->n);
        tiles(g, g->m, whole, kc, a, b, nr, g->brs, g->c, from, false, &none);
        if (whole < g->n) {
            g->kernel->pack_b(g->n - whole, kc, b + whole, g->brs, 1, r.b, (ptrdiff_t)kc * nr);
            tiles(g, g->m, g->n - whole, kc, a, r.b, 0, nr, g->c + whole, moved(from, 0, whole),
                  false, &none);
        }
    }
}

/* where B lies from row p and column j on */
static const void *b_at(const product *g, ptrdiff_t p, ptrdiff_t j)
{
    ptrdiff_t at = p * g->brs + j * g->bcs;
    return g->half ? (const void *)(g->half + at) : g->b + at;
}

static at_element type_of(const product *g) { return g->half ? g->type : ATTEND_ELEMENT_REAL; }

/* The same for a very few rows, which want no tiles: strips of B's rows. */
static void multiply_strips(const product *g)
{
    enum { DEEP = ATTEND_FEW_DEEP };
    const at_few_kernel *with = few();
    for (int p = 0; p < g->k; p += DEEP) {
        real a[ATTEND_FEW_MAX * DEEP];
        int deep = min(DEEP, g->k - p);
        at_gemm_start from = p > 0 ? (at_gemm_start){g->c, g->ldc} : g->from;
        for (int i = 0; i < g->m; i++)
            for (int q = 0; q < deep; q++)
                a[i * DEEP + q] = g->alpha * g->a[i * g->ars + (p + q) * g->acs];
        with->strip(g->m, g->n, deep, a, type_of(g), b_at(g, p, 0), g->brs, p + 2 * DEEP <= g->k,
                    g->c, g->ldc, from);
    }
}

/* F16, some steps of k at a time */
static void multiply_turned_f16(const product *g)
{
    real wide[WIDE];
    const at_few_kernel *with = few();
    int columns = with->columns, steps = WIDE / columns;
    for (int j = 0; j < g->n; j += columns)
        for (int p = 0; p < g->k; p += steps) {
            int n = min(columns, g->n - j), few = min(steps, g->k - p);
            at_gemm_start from = p > 0 ? (at_gemm_start){g->c + j, g->ldc} : moved(g->from, 0, j);
            widen_lines(g, n, few, g->half + j * g->bcs + p, g->bcs, wide);
            with->turned(g->m, n, few, g->alpha, g->a + p * g->acs, g->ars, g->acs,
                         ATTEND_ELEMENT_REAL, wide, few, g->c + j, g->ldc, from);
        }
}

/* Few rows, and B held transposed: nothing is packed either, nor are there blocks of k. */
static void multiply_turned(const product *g)
{
    const at_few_kernel *with = few();
    if (type_of(g) == ATTEND_ELEMENT_F16) {
        multiply_turned_f16(g);
        return;
    }
    for (int j = 0; j < g->n; j += with->columns)
        with->turned(g->m, min(with->columns, g->n - j), g->k, g->alpha, g->a, g->ars, g->acs,
                     type_of(g), b_at(g, 0, j), g->bcs, g->c + j, g->ldc, moved(g->from, 0, j));
}

/* Is B read where it lies, by kernels for few rows? */
static bool multiply_very_few(const product *g)
{
    if (g->panels || g->m > ATTEND_FEW_MAX || g->kernel->grain > 1)
        return false;
    if (g->bcs == 1)
        multiply_strips(g);
    else if (few()->turned)
        multiply_turned(g);
    return g->bcs == 1 || few()->turned;
}

static void multiply(const product *g)
{
    if (g->m <= 0 || g->n <= 0)
        return;
    if (g->beta != 0 && g->beta != 1)
        scale_rows(g);
    if (g->k <= 0) {
        no_terms(g);
        return;
    }
    if (multiply_very_few(g))
        return;
    int mr = g->kernel->mr, nr = g->kernel->nr;
    _Alignas(64) real small[SMALL_KC * SMALL_SIDES * ATTEND_GEMM_BYTES_MAX / sizeof(real)];
    real *memory = packing_memory();
    int mc = g->kernel->mc, kc = g->kernel->kc;
    workspace r = memory ? (workspace){memory, memory + panel_len(g, mc, kc), mc, kc, NC / nr * nr}
                         : (workspace){small, small + panel_len(g, mr, SMALL_KC), mr, SMALL_KC, nr};
    if (g->kernel->begin)
        g->kernel->begin();
    if (!g->panels && g->bcs == 1 && g->m <= mr && g->kernel->grain == 1)
        multiply_few(g, r);
    else
        multiply_blocks(g, r);
    if (g->kernel->end)
        g->kernel->end();
}

/* ---- threads: a grid of row and column ranges ------------------------------------------- */

typedef struct {
    const product *whole;
    int rows, columns; /* parts of the grid */
} grid;

/* cuts n into parts at multiples of step; the i-th begins here */
static int cut(int n, int step, int parts, int i)
{
    int steps = parts_of(n, step);
    return min(n, (int)((long)steps * i / parts) * step);
}

static void grid_cell(void *arg, int cell)
{
    const grid *d = arg;
    product g = *d->whole;
    int r = cell / d->columns, q = cell % d->columns;
    int i = cut(g.m, g.kernel->mr, d->rows, r), j = cut(g.n, g.kernel->nr, d->columns, q);
    g.m = cut(g.m, g.kernel->mr, d->rows, r + 1) - i;
    g.n = cut(g.n, g.kernel->nr, d->columns, q + 1) - j;
    g.a += i * g.ars;
    if (g.panels)
        g.panels += panel_len(&g, j, g.k); /* of all panels before */
    else if (g.half)
        g.half += j * g.bcs;
    else
        g.b += j * g.bcs;
    g.c += i * g.ldc + j;
    g.from = moved(g.from, i, j);
    multiply(&g);
}

/* Splitting columns packs A again in each thread, splitting rows packs B again: of the grids with a
 * part for every thread the one whose parts have the shortest sides. Where no such grid has work
 * in all its parts, fewer threads have. */
static grid plan(const product *g)
{
    enum { FLOPS_PER_THREAD = 100000 }; /* below this a thread costs more than it brings */
    double flops = 2.0 * g->m * g->n * g->k, max = flops / FLOPS_PER_THREAD;
    int threads = at_threads() > max ? (int)max : at_threads();
    int tall = parts_of(g->m, g->kernel->mr), wide = parts_of(g->n, g->kernel->nr);
    for (; threads > 1; threads--) {
        grid best = {.whole = g};
        double shortest = 0;
        for (int rows = 1; rows <= threads; rows++) {
            int columns = threads / rows;
            double sides = (double)g->m / rows + (double)g->n / columns;
            if (threads % rows || rows > tall || columns > wide || (best.rows && sides >= shortest))
                continue;
            best = (grid){g, rows, columns};
            shortest = sides;
        }
        if (best.rows)
            return best;
    }
    return (grid){g, 1, 1};
}

static void multiply_on_threads(const product *g)
{
    grid d = plan(g);
    at_parallel_each(d.rows * d.columns, (double)g->m * g->n * g->k, grid_cell, &d);
}

static product plain(const at_gemm_kernel *with, int m, int n, int k, at_matrix a, at_matrix b,
                     real *c, ptrdiff_t ldc)
{
    return (product){
        .m = m,
        .n = n,
        .k = k,
        .alpha = 1,
        .a = a.data,
        .ars = a.transposed ? 1 : a.ld,
        .acs = a.transposed ? a.ld : 1,
        .b = b.data,
        .brs = b.transposed ? 1 : b.ld,
        .bcs = b.transposed ? b.ld : 1,
        .c = c,
        .ldc = ldc,
        .kernel = with,
    };
}

static void scaled(product *g, real alpha, real beta)
{
    g->alpha = alpha;
    g->beta = beta;
    g->from = (at_gemm_start){beta != 0 ? g->c : NULL, g->ldc};
}

static void multiply_with(const at_gemm_kernel *with, int m, int n, int k, real alpha, at_matrix a,
                          at_matrix b, real beta, real *c, ptrdiff_t ldc)
{
    product g = plain(with, m, n, k, a, b, c, ldc);
    scaled(&g, alpha, beta);
    multiply_on_threads(&g);
}

void at_gemm(int m, int n, int k, real alpha, at_matrix a, at_matrix b, real beta, real *c,
             ptrdiff_t ldc)
{
    multiply_with(kernel(), m, n, k, alpha, a, b, beta, c, ldc);
}

void at_gemm_gradient(int m, int n, int k, real alpha, at_matrix a, at_matrix b, real beta, real *c,
                      ptrdiff_t ldc)
{
    multiply_with(kernel_for(at_gemm_tiled(m, n, k)), m, n, k, alpha, a, b, beta, c, ldc);
}

void at_gemm_bias(int m, int n, int k, at_matrix a, at_matrix b, const real *bias, real *c,
                  ptrdiff_t ldc)
{
    product g = plain(kernel(), m, n, k, a, b, c, ldc);
    g.from.data = bias;
    multiply_on_threads(&g);
}

void at_gemm_bias_tiled(int m, int n, int k, at_matrix a, at_matrix b, const real *bias, real *c,
                        ptrdiff_t ldc)
{
    product g = plain(kernel_for(at_gemm_tiled(m, n, k)), m, n, k, a, b, c, ldc);
    g.from.data = bias;
    multiply_on_threads(&g);
}

void at_gemm_bias_half(int m, int n, int k, at_matrix a, at_half_matrix b, const real *bias,
                       real *c, ptrdiff_t ldc)
{
    product g = plain(kernel(), m, n, k, a, (at_matrix){NULL, b.ld, b.transposed}, c, ldc);
    g.half = b.data;
    g.type = b.type;
    g.from.data = bias;
    multiply_on_threads(&g);
}

/* ---- packed ----------------------------------------------------------------------------- */

size_t at_pack_len(int n, int k, bool tiled)
{
    product g = {.kernel = kernel_for(tiled)};
    int nr = g.kernel->nr;
    return (size_t)parts_of(n, nr) * (size_t)panel_len(&g, nr, k);
}

typedef struct {
    const product *g;
    real *panels;
} packing;

/* some of the groups of panels */
static void pack_groups(void *arg, ptrdiff_t group, ptrdiff_t end)
{
    const packing *p = arg;
    const product *g = p->g;
    int columns = GROUP * g->kernel->nr;
    for (; group < end; group++) {
        int j = (int)group * columns;
        g->kernel->pack_b(min(columns, g->n - j), g->k, g->b + j * g->bcs, g->brs, g->bcs,
                          p->panels + panel_len(g, j, g->k), panel_len(g, g->kernel->nr, g->k));
    }
}

at_packed at_pack(int n, int k, at_matrix b, bool tiled, real *panels)
{
    enum { FEWEST = 50000 }; /* numbers that a thread is worth */
    product g = plain(kernel_for(tiled), 0, n, k, (at_matrix){NULL, 0, false}, b, NULL, 0);
    packing p = {&g, panels};
    ptrdiff_t columns = GROUP * g.kernel->nr;
    at_parallel_for((n + columns - 1) / columns, FEWEST / (columns * (k + 1)) + 1, pack_groups, &p);
    return (at_packed){.n = n, .k = k, .tiled = tiled, .panels = panels};
}

static product with_panels(int m, at_matrix a, const at_packed *b, real *c, ptrdiff_t ldc)
{
    product g = plain(kernel_for(b->tiled), m, b->n, b->k, a, (at_matrix){NULL, 0, false}, c, ldc);
    g.panels = b->panels;
    return g;
}

void at_gemm_packed(int m, real alpha, at_matrix a, const at_packed *b, real beta, real *c,
                    ptrdiff_t ldc)
{
    product g = with_panels(m, a, b, c, ldc);
    scaled(&g, alpha, beta);
    multiply_on_threads(&g);
}

void at_gemm_packed_bias(int m, at_matrix a, const at_packed *b, const real *bias, real *c,
                         ptrdiff_t ldc)
{
    product g = with_panels(m, a, b, c, ldc);
    g.from.data = bias;
    multiply_on_threads(&g);
}
