/* Products of gradients in tiles of bfloat16 equal their definition to the last bit, for any size,
 * form and number of threads, and have less error than the chain of float. Without such tiles
 * gradients have the bits of any other product. */
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "attend.h"
#include "base/cpu.h"
#include "base/memory.h"
#include "base/random.h"
#include "tensor/gemm.h"

static void need_tiles(void)
{
    if (at_cpu_isa() != ATTEND_ISA_AMX) {
        printf("skipped: this machine or build has no tiles of bfloat16\n");
        skip();
    }
}

/* normal numbers of very different sizes */
static real *random_reals(size_t n, uint32_t use)
{
    real *x = at_alloc(n * sizeof *x + 64);
    for (size_t i = 0; i < n; i++) {
        at_random place = {.seed = 5, .use = use};
        double u = at_random_uniform(place, (uint32_t)(2 * i));
        double size = at_random_uniform(place, (uint32_t)(2 * i + 1));
        x[i] = (real)((2 * u - 1) * exp2(floor(20 * size) - 10));
    }
    return x;
}

static real element(at_matrix m, int i, int j)
{
    return m.transposed ? m.data[j * m.ld + i] : m.data[i * m.ld + j];
}

/* a matrix [rows,columns] whose rows, or those of its transpose, have a gap behind them */
static at_matrix operand(int rows, int columns, bool transposed, int gap, uint32_t use)
{
    int high = transposed ? columns : rows, wide = transposed ? rows : columns;
    return (at_matrix){random_reals((size_t)high * (size_t)(wide + gap), use), wide + gap,
                       transposed};
}

/* ---- the definition ------------------------------------------------------------------------ */

/* to 8 bits, halves away from 0 */
static float rounded(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits + 0x8000) & 0xffff0000;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void split(float x, float part[3])
{
    part[0] = rounded(x);
    part[1] = rounded(x - part[0]);
    part[2] = x - part[0] - part[1];
}

/* one of the six products of parts of 32 steps, summed in two halves */
static float group(float x[32][3], int s, float y[32][3], int t)
{
    float half[2] = {0, 0};
    for (int p = 0; p < 32; p++)
        half[p / 16] = fmaf(x[p][s], y[p][t], half[p / 16]);
    return half[0] + half[1];
}

static float defined(int k, real alpha, at_matrix a, int i, at_matrix b, int j, float c)
{
    static const int order[6][2] = {{2, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 2}, {0, 0}};
    for (int first = 0; first < k; first += 32) {
        float x[32][3] = {{0}}, y[32][3] = {{0}};
        for (int p = 0; p < 32 && first + p < k; p++) {
            split((float)(alpha * element(a, i, first + p)), x[p]);
            split((float)element(b, first + p, j), y[p]);
        }
        for (int q = 0; q < 6; q++)
            c += group(x, order[q][0], y, order[q][1]);
    }
    return c;
}

/* ---- tests --------------------------------------------------------------------------------- */

typedef struct {
    int m, n, k;
    bool ta, tb;
    real alpha, beta;
    int gap;
} form;

static void compare(form f, at_matrix A, at_matrix B, const char *how, const real *c,
                    const real *was, int ldc)
{
    bool large = (double)f.m * f.n * f.k > 1e6; /* every fifth number will do */
    for (int i = 0; i < f.m; i++)
        for (int j = large ? i % 5 : 0; j < ldc; j += large ? 5 : 1) {
            real old = was[i * ldc + j], got = c[i * ldc + j];
            float start = (float)(f.beta == 0 ? 0 : f.beta == 1 ? old : f.beta * old);
            real want = j >= f.n ? old : (real)defined(f.k, f.alpha, A, i, B, j, start);
            if (got != want)
                fail_msg("%s %dx%dx%d ta %d tb %d alpha %g beta %g: [%d,%d] is %.9g, not %.9g", how,
                         f.m, f.n, f.k, f.ta, f.tb, (double)f.alpha, (double)f.beta, i, j,
                         (double)got, (double)want);
        }
}

static void check(form f)
{
    at_matrix A = operand(f.m, f.k, f.ta, f.gap, 1), B = operand(f.k, f.n, f.tb, f.gap, 2);
    int ldc = f.n + 3; /* what lies between the rows stays as it is */
    size_t len = (size_t)f.m * (size_t)ldc;
    real *c = random_reals(len, 3), *was = random_reals(len, 3);
    real *panels = at_alloc(at_pack_len(f.n, f.k, true) * sizeof *panels + 64);
    at_packed P = at_pack(f.n, f.k, B, true, panels);
    at_gemm_packed(f.m, f.alpha, A, &P, f.beta, c, ldc);
    compare(f, A, B, "packed", c, was, ldc);
    if (at_gemm_tiled(f.m, f.n, f.k)) {
        memcpy(c, was, len * sizeof *c);
        at_gemm_gradient(f.m, f.n, f.k, f.alpha, A, B, f.beta, c, ldc);
        compare(f, A, B, "plain", c, was, ldc);
    }
    real *all[] = {(real *)A.data, (real *)B.data, c, was, panels};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        at_free(all[i]);
}

static void every_element_is_its_sum(void **state)
{
    (void)state;
    need_tiles();
    static const int sizes[][3] = {{1, 1, 1},    {3, 4, 0},     {16, 16, 32},   {17, 15, 33},
                                   {32, 32, 64}, {31, 40, 63},  {7, 300, 20},   {64, 128, 96},
                                   {40, 33, 31}, {300, 70, 40}, {64, 256, 520}, {33, 250, 1030},
                                   {270, 64, 49}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int t = 0; t < 4; t++) {
            form f = {sizes[s][0], sizes[s][1], sizes[s][2], t & 1, t & 2, 1, 0, 0};
            check(f);
            f.beta = 1;
            f.gap = 5;
            check(f);
            f.alpha = (real)-1.5;
            f.beta = (real)0.25;
            check(f);
        }
}

static void rows_do_not_depend_on_batch_or_threads(void **state)
{
    (void)state;
    need_tiles();
    enum { M = 130, N = 200, K = 300 };
    at_matrix A = operand(M, K, false, 0, 5), B = operand(K, N, false, 0, 6);
    real *whole = at_alloc(M * N * sizeof *whole), *part = at_alloc(M * N * sizeof *part);
    real *panels = at_alloc(at_pack_len(N, K, true) * sizeof *panels);
    at_packed P = at_pack(N, K, B, true, panels);
    assert_true(at_gemm_tiled(M, N, K));
    attend_set_threads(1);
    at_gemm_gradient(M, N, K, 1, A, B, 0, whole, N);
    for (int threads = 2; threads <= 7; threads++) {
        attend_set_threads(threads);
        at_gemm_gradient(M, N, K, 1, A, B, 0, part, N);
        assert_memory_equal(whole, part, M * N * sizeof *whole);
        at_gemm_packed(M, 1, A, &P, 0, part, N);
        assert_memory_equal(whole, part, M * N * sizeof *whole);
    }
    for (int i = 0; i < M; i++)
        at_gemm_packed(1, 1, (at_matrix){A.data + i * K, K, false}, &P, 0, part + i * N, N);
    assert_memory_equal(whole, part, M * N * sizeof *whole);
    attend_set_threads(0);
    real *all[] = {(real *)A.data, (real *)B.data, whole, part, panels};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        at_free(all[i]);
}

/* the sum of squared errors of the elements, each beside its sum of |x y| */
static double errors(int m, int n, int k, at_matrix A, at_matrix B, const real *c)
{
    double sum = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double right = 0, size = 0;
            for (int p = 0; p < k; p++) {
                double term = (double)element(A, i, p) * (double)element(B, p, j);
                right += term;
                size += fabs(term);
            }
            double error = ((double)c[i * n + j] - right) / size;
            sum += error * error;
        }
    return sum;
}

static void error_is_below_that_of_the_chain(void **state)
{
    (void)state;
    need_tiles();
    enum { M = 96, N = 96 };
    for (int k = 32; k <= 2048; k *= 4) {
        at_matrix A = operand(M, k, false, 0, 7), B = operand(k, N, true, 0, 8);
        real tiles[M * N], chain[M * N];
        assert_true(at_gemm_tiled(M, N, k));
        at_gemm_gradient(M, N, k, 1, A, B, 0, tiles, N);
        at_gemm(M, N, k, 1, A, B, 0, chain, N);
        assert_true(errors(M, N, k, A, B, tiles) < errors(M, N, k, A, B, chain));
        at_free((real *)A.data);
        at_free((real *)B.data);
    }
}

/* threads have memory to pack into, unless there was none */
static void *multiply_without_memory(void *arg)
{
    (void)arg;
    enum { M = 100, N = 130, K = 300 };
    at_matrix A = operand(M, K, false, 3, 13), B = operand(K, N, false, 3, 14);
    real *c = at_alloc(M * N * sizeof *c), *was = at_alloc_zero(M * N, sizeof *was);
    form f = {M, N, K, false, false, 1, 0, 3};
    assert_true(at_gemm_tiled(M, N, K));
    attend_set_threads(1);
    at_alloc_fail_after(0);
    at_gemm_gradient(M, N, K, 1, A, B, 0, c, N);
    at_alloc_fail_after(-1);
    attend_set_threads(0);
    compare(f, A, B, "without memory", c, was, N);
    real *all[] = {(real *)A.data, (real *)B.data, c, was};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        at_free(all[i]);
    return NULL;
}

static void products_need_no_memory(void **state)
{
    (void)state;
    need_tiles();
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, multiply_without_memory, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

/* parts that are denormal count as 0, and stay out of their neighbours */
static void very_small_numbers_do_no_harm(void **state)
{
    (void)state;
    need_tiles();
    enum { M = 96, N = 96, K = 64 };
    at_matrix A = operand(M, K, false, 0, 15), B = operand(K, N, false, 0, 16);
    real c[M * N], *b = (real *)B.data;
    for (int i = 0; i < K * N; i++)
        b[i] = ldexpf(b[i], -110 - i % 25);
    at_gemm_gradient(M, N, K, 1, A, B, 0, c, N);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double right = 0, size = 0;
            for (int p = 0; p < K; p++) {
                double term = (double)element(A, i, p) * (double)element(B, p, j);
                right += term;
                size += fabs(element(A, i, p));
            }
            assert_true(fabs((double)c[i * N + j] - right)
                        <= size * 4 * FLT_MIN + 1e-6 * fabs(right));
        }
    at_free((real *)A.data);
    at_free(b);
}

/* what is not finite reaches its row or column, and nothing else */
static void what_is_not_finite_stays_so(void **state)
{
    (void)state;
    need_tiles();
    enum { M = 100, N = 100, K = 50 };
    static const real wrong[] = {INFINITY, -INFINITY, NAN, (real)3.4e38};
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        at_matrix A = operand(M, K, false, 0, 9), B = operand(K, N, false, 0, 10);
        real c[M * N];
        ((real *)A.data)[3 * K + 4] = wrong[w];
        at_gemm_gradient(M, N, K, 1, A, B, 0, c, N);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++)
                assert_int_equal(isfinite(c[i * N + j]) != 0, i != 3);
        at_free((real *)A.data);
        at_free((real *)B.data);
    }
}

static void without_tiles_gradients_are_chains(void **state)
{
    (void)state;
    enum { M = 100, N = 100, K = 50 };
    at_isa best = at_cpu_isa();
    at_matrix A = operand(M, K, true, 0, 11), B = operand(K, N, false, 0, 12);
    real one[M * N], other[M * N];
    for (int isa = ATTEND_ISA_BASE; isa < ATTEND_ISA_AMX; isa++)
        if (at_cpu_use((at_isa)isa)) {
            assert_false(at_gemm_tiled(M, N, K));
            at_gemm_gradient(M, N, K, 1, A, B, 0, one, N);
            at_gemm(M, N, K, 1, A, B, 0, other, N);
            assert_memory_equal(one, other, sizeof one);
        }
    at_cpu_use(best);
    at_free((real *)A.data);
    at_free((real *)B.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_is_its_sum),
        cmocka_unit_test(rows_do_not_depend_on_batch_or_threads),
        cmocka_unit_test(error_is_below_that_of_the_chain),
        cmocka_unit_test(products_need_no_memory),
        cmocka_unit_test(very_small_numbers_do_no_harm),
        cmocka_unit_test(what_is_not_finite_stays_so),
        cmocka_unit_test(without_tiles_gradients_are_chains),
    };
    return cmocka_run_group_tests_name("tensor_gemm_amx", tests, NULL, NULL);
}
