/* The matrix product equals its definition to the last bit, on every instruction set, for any
 * size, form, number of threads and rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "attend.h"
#include "base/cpu.h"
#include "base/half.h"
#include "base/memory.h"
#include "base/random.h"
#include "tensor/gemm.h"

static real *random_reals(size_t n, uint32_t use)
{
    real *x = at_alloc(n * sizeof *x + 64);
    for (size_t i = 0; i < n; i++)
        x[i] = (real)(2 * at_random_uniform((at_random){.seed = 3, .use = use}, (uint32_t)i) - 1);
    return x;
}

static real element(at_matrix m, int i, int j)
{
    return m.transposed ? m.data[j * m.ld + i] : m.data[i * m.ld + j];
}

/* the definition: one chain over k. Without hardware fused multiply-add the base kernel rounds
 * twice, and so does this. */
static real chain(bool fused, int k, real alpha, at_matrix a, int i, at_matrix b, int j, real c)
{
    for (int p = 0; p < k; p++) {
        volatile real x = alpha * element(a, i, p), y = element(b, p, j), product = x * y;
        c = fused ? real_fma(x, y, c) : c + product;
    }
    return c;
}

static bool fuses(at_isa isa)
{
#if defined(__aarch64__)
    (void)isa;
    return true;
#else
    return isa != ATTEND_ISA_BASE;
#endif
}

/* a matrix [rows,columns] whose rows, or those of its transpose, have a gap behind them */
static at_matrix operand(int rows, int columns, bool transposed, int gap, uint32_t use)
{
    int high = transposed ? columns : rows, wide = transposed ? rows : columns;
    return (at_matrix){random_reals((size_t)high * (size_t)(wide + gap), use), wide + gap,
                       transposed};
}

static void check(at_isa isa, int m, int n, int k, bool ta, bool tb, real alpha, real beta, int gap)
{
    at_matrix A = operand(m, k, ta, gap, 1), B = operand(k, n, tb, gap, 2);
    int ldc = n + 3; /* what lies between the rows stays as it is */
    real *c = random_reals((size_t)m * (size_t)ldc, 4),
         *was = random_reals((size_t)m * (size_t)ldc, 4);
    at_gemm(m, n, k, alpha, A, B, beta, c, ldc);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < ldc; j++) {
            real old = was[i * ldc + j], got = c[i * ldc + j];
            real want = j >= n ? old
                               : chain(fuses(isa), k, alpha, A, i, B, j,
                                       beta == 0   ? 0
                                       : beta == 1 ? old
                                                   : beta * old);
            if (memcmp(&got, &want, sizeof got) != 0 && !(got == 0 && want == 0))
                fail_msg("%s %dx%dx%d ta %d tb %d alpha %g beta %g: [%d,%d] is %.9g, not %.9g",
                         at_isa_name(isa), m, n, k, ta, tb, (double)alpha, (double)beta, i, j,
                         (double)got, (double)want);
        }
    at_free((real *)A.data);
    at_free((real *)B.data);
    at_free(c);
    at_free(was);
}

static void every_element_is_its_chain(void **state)
{
    (void)state;
    static const int sizes[][3] = {{1, 1, 1},     {0, 3, 4},     {3, 0, 4},      {3, 4, 0},
                                   {6, 16, 8},    {7, 17, 9},    {5, 33, 300},   {13, 31, 257},
                                   {64, 48, 64},  {150, 70, 40}, {29, 35, 513},  {2, 500, 3},
                                   {150, 300, 9}, {20, 3200, 5}, {250, 40, 520}, {4, 37, 35},
                                   {3, 5, 16},    {1, 16, 512},  {30, 40, 1024}};
    at_isa best = at_cpu_isa();
    for (int isa = ATTEND_ISA_BASE; isa <= (int)best; isa++) {
        assert_true(at_cpu_use((at_isa)isa));
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int form = 0; form < 4; form++) {
                int m = sizes[s][0], n = sizes[s][1], k = sizes[s][2];
                check((at_isa)isa, m, n, k, form & 1, form & 2, 1, 0, 0);
                check((at_isa)isa, m, n, k, form & 1, form & 2, 1, 1, 5);
                check((at_isa)isa, m, n, k, form & 1, form & 2, (real)0.5, 1, 0);
                check((at_isa)isa, m, n, k, form & 1, form & 2, (real)-1.5, (real)0.25, 3);
            }
    }
    at_cpu_use(best);
}

static void check_bias(at_isa isa, int m, int n, int k, bool tb)
{
    real *a = random_reals((size_t)m * (size_t)k, 1), *b = random_reals((size_t)k * (size_t)n, 2);
    real *bias = random_reals((size_t)n, 4), *c = random_reals((size_t)m * (size_t)n, 5);
    real *packed = random_reals((size_t)m * (size_t)n, 6);
    real *panels = at_alloc(at_pack_len(n, k, false) * sizeof *panels + 64);
    at_matrix A = {a, k, false}, B = {b, tb ? k : n, tb};
    at_packed P = at_pack(n, k, B, false, panels);
    at_gemm_bias(m, n, k, A, B, bias, c, n);
    at_gemm_packed_bias(m, A, &P, bias, packed, n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            assert_true(c[i * n + j] == chain(fuses(isa), k, 1, A, i, B, j, bias[j]));
    assert_memory_equal(c, packed, (size_t)m * (size_t)n * sizeof *c);
    at_gemm_bias(m, n, k, A, B, NULL, c, n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            assert_true(c[i * n + j] == chain(fuses(isa), k, 1, A, i, B, j, 0));
    real *all[] = {a, b, bias, c, packed, panels};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        at_free(all[i]);
}

static void a_bias_begins_the_chain(void **state)
{
    (void)state;
    static const int sizes[][3] = {{1, 1, 1},  {3, 4, 0},     {7, 17, 9},     {5, 33, 300},
                                   {1, 40, 9}, {64, 100, 64}, {150, 70, 513}, {20, 3200, 5}};
    at_isa best = at_cpu_isa();
    for (int isa = ATTEND_ISA_BASE; isa <= (int)best; isa++) {
        assert_true(at_cpu_use((at_isa)isa));
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int tb = 0; tb < 2; tb++)
                check_bias((at_isa)isa, sizes[s][0], sizes[s][1], sizes[s][2], tb);
    }
    at_cpu_use(best);
}

static void beta_zero_never_reads_the_result(void **state)
{
    (void)state;
    real a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 0, 1, 1, 1}, c[4] = {NAN, NAN, NAN, NAN};
    at_gemm(2, 2, 3, 1, (at_matrix){a, 3, false}, (at_matrix){b, 2, false}, 0, c, 2);
    assert_true(c[0] == 4 && c[1] == 5 && c[2] == 10 && c[3] == 11);
    at_gemm(2, 2, 0, 1, (at_matrix){a, 0, false}, (at_matrix){b, 2, false}, 0, c, 2);
    assert_true(c[0] == 0 && c[3] == 0);
}

/* rows of a large product = the same rows computed alone, packed or not, with any threads */
static void rows_do_not_depend_on_batch_threads_or_packing(void **state)
{
    (void)state;
    enum { M = 67, N = 130, K = 300 };
    real *a = random_reals(M * K, 5), *b = random_reals(K * N, 6);
    real *whole = at_alloc(M * N * sizeof *whole), *part = at_alloc(M * N * sizeof *part);
    real *panels = at_alloc(at_pack_len(N, K, false) * sizeof *panels);
    for (int tb = 0; tb < 2; tb++) {
        at_matrix B = {b, tb ? K : N, tb};
        attend_set_threads(1);
        at_gemm(M, N, K, 1, (at_matrix){a, K, false}, B, 0, whole, N);
        for (int threads = 2; threads <= 7; threads++) {
            attend_set_threads(threads);
            at_gemm(M, N, K, 1, (at_matrix){a, K, false}, B, 0, part, N);
            assert_memory_equal(whole, part, M * N * sizeof *whole);
        }
        for (int i = 0; i < M; i++)
            at_gemm(1, N, K, 1, (at_matrix){a + i * K, K, false}, B, 0, part + i * N, N);
        assert_memory_equal(whole, part, M * N * sizeof *whole);
        at_packed packed = at_pack(N, K, B, false, panels);
        at_gemm_packed(M, 1, (at_matrix){a, K, false}, &packed, 0, part, N);
        assert_memory_equal(whole, part, M * N * sizeof *whole);
    }
    attend_set_threads(0);
    at_free(a);
    at_free(b);
    at_free(whole);
    at_free(part);
    at_free(panels);
}

static void instruction_sets_with_fused_multiply_add_agree(void **state)
{
    (void)state;
    at_isa best = at_cpu_isa();
    if (best <= ATTEND_ISA_AVX2)
        skip();
    enum { M = 20, N = 50, K = 70 };
    real *a = random_reals(M * K, 7), *b = random_reals(K * N, 8), one[M * N], two[M * N];
    at_gemm(M, N, K, 1, (at_matrix){a, K, false}, (at_matrix){b, N, false}, 0, one, N);
    at_cpu_use(ATTEND_ISA_AVX2);
    at_gemm(M, N, K, 1, (at_matrix){a, K, false}, (at_matrix){b, N, false}, 0, two, N);
    at_cpu_use(best);
    assert_memory_equal(one, two, sizeof one);
    at_free(a);
    at_free(b);
}

/* a matrix of two-byte numbers, and the same numbers widened */
static uint16_t *random_halves(size_t n, at_element type, real *wide)
{
    uint16_t *x = at_alloc(n * sizeof *x + 64);
    real *from = random_reals(n, 9);
    for (size_t i = 0; i < n; i++) {
        x[i] = type == ATTEND_ELEMENT_F16 ? at_half_from_float((float)from[i])
                                          : at_bfloat_from_float((float)from[i]);
        wide[i] = type == ATTEND_ELEMENT_F16 ? at_half_to_float(x[i]) : at_bfloat_to_float(x[i]);
    }
    at_free(from);
    return x;
}

static void check_half(at_element type, int m, int n, int k, bool tb, int gap)
{
    int high = tb ? n : k, ld = (tb ? k : n) + gap;
    size_t len = (size_t)high * (size_t)ld;
    real *a = random_reals((size_t)m * (size_t)k, 1), *bias = random_reals((size_t)n, 4);
    real *wide = at_alloc(len * sizeof *wide + 64), *c = random_reals((size_t)m * (size_t)n, 5);
    real *want = random_reals((size_t)m * (size_t)n, 6);
    uint16_t *half = random_halves(len, type, wide);
    at_matrix A = {a, k, false}, B = {wide, ld, tb};
    at_gemm_bias_half(m, n, k, A, (at_half_matrix){half, ld, tb, type}, bias, c, n);
    at_gemm_bias(m, n, k, A, B, bias, want, n);
    if (memcmp(c, want, (size_t)m * (size_t)n * sizeof *c) != 0)
        fail_msg("type %d, %dx%dx%d, transposed %d, gap %d", type, m, n, k, tb, gap);
    void *all[] = {a, bias, wide, c, want, half};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        at_free(all[i]);
}

static void two_byte_numbers_are_multiplied_as_if_widened(void **state)
{
    (void)state;
    static const int sizes[][3] = {{1, 1, 1},    {1, 40, 700},  {4, 37, 300},   {5, 300, 70},
                                   {12, 33, 17}, {13, 31, 257}, {30, 600, 530}, {250, 40, 520},
                                   {0, 3, 4},    {3, 4, 0},     {7, 2100, 20},  {2, 20, 1000}};
    at_isa best = at_cpu_isa();
    for (int isa = ATTEND_ISA_BASE; isa <= (int)best; isa++) {
        assert_true(at_cpu_use((at_isa)isa));
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int form = 0; form < 8; form++)
                check_half(form & 1 ? ATTEND_ELEMENT_F16 : ATTEND_ELEMENT_BF16, sizes[s][0],
                           sizes[s][1], sizes[s][2], form & 2, form & 4 ? 3 : 0);
    }
    at_cpu_use(best);
}

/* every pattern, as the bits say */
static void every_two_byte_number_is_widened_exactly(void **state)
{
    (void)state;
    enum { ALL = 1 << 16 };
    static uint16_t in[ALL + 1];
    static real out[ALL + 1];
    at_isa best = at_cpu_isa();
    for (int i = 0; i < ALL; i++)
        in[i] = (uint16_t)i;
    for (int isa = ATTEND_ISA_BASE; isa <= (int)best; isa++)
        for (int type = ATTEND_ELEMENT_F16; type <= ATTEND_ELEMENT_BF16; type++) {
            assert_true(at_cpu_use((at_isa)isa));
            at_element_widen((at_element)type, ALL, in, out);
            for (int i = 0; i < ALL; i++) {
                real want = type == ATTEND_ELEMENT_F16 ? at_half_to_float((uint16_t)i)
                                                       : at_bfloat_to_float((uint16_t)i);
                if (want == want ? memcmp(&want, &out[i], sizeof want) != 0 : out[i] == out[i])
                    fail_msg("%s type %d: %04x is %g", at_isa_name((at_isa)isa), type, i,
                             (double)out[i]);
            }
        }
    at_cpu_use(best);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_byte_numbers_are_multiplied_as_if_widened),
        cmocka_unit_test(every_two_byte_number_is_widened_exactly),
        cmocka_unit_test(every_element_is_its_chain),
        cmocka_unit_test(a_bias_begins_the_chain),
        cmocka_unit_test(beta_zero_never_reads_the_result),
        cmocka_unit_test(rows_do_not_depend_on_batch_threads_or_packing),
        cmocka_unit_test(instruction_sets_with_fused_multiply_add_agree),
    };
    return cmocka_run_group_tests_name("tensor_gemm", tests, NULL, NULL);
}
