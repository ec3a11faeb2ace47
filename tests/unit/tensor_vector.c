/* Every vector kernel against a plain reference in double, on every instruction set, at sizes 0,
 * 1, odd and large. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "attend.h"
#include "base/cpu.h"
#include "base/memory.h"
#include "base/random.h"
#include "tensor/vector.h"

enum { MOST = 5003 };
static const size_t sizes[] = {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 100, 257, MOST};
static real x[MOST], y[MOST], z[4 * MOST], w[4 * MOST], out[4 * MOST];

#define TINY (8 * (double)REAL_EPSILON)

static void fill(real *to, size_t n, uint32_t use, double scale)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (real)(scale * at_random_normal((at_random){.seed = 5, .use = use}, (uint32_t)i));
}

static void close_to(double got, double want, double scale, const char *what, size_t i)
{
    if (!(fabs(got - want) <= TINY * scale) && !(isinf(want) && got == want))
        fail_msg("%s[%zu]: %.9g, not %.9g (error %.2g of %.2g)", what, i, got, want,
                 fabs(got - want), TINY * scale);
}

static void on_every_isa(void (*test)(const at_vector_kernel *v))
{
    at_isa best = at_cpu_isa();
    for (int isa = ATTEND_ISA_BASE; isa <= (int)best; isa++) {
        assert_true(at_cpu_use((at_isa)isa));
        at_isa vectors = isa == ATTEND_ISA_AMX ? ATTEND_ISA_AVX512 : (at_isa)isa;
        assert_string_equal(at_vector()->isa, at_isa_name(vectors));
        test(at_vector());
    }
    at_cpu_use(best);
}

/* ---- elementary functions --------------------------------------------------------------- */

static double sigmoid(double a) { return 1 / (1 + exp(-a)); }
static double gelu(double a) { return a / 2 * (1 + erf(a / sqrt(2))); }
static double gelu_tanh(double a)
{
    return a / 2 * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (a + 0.044715 * a * a * a)));
}
static double quick_gelu(double a) { return a * sigmoid(1.702 * a); }
static double silu(double a) { return a * sigmoid(a); }
static double mish(double a) { return a * tanh(log1p(exp(a))); }
static double gelu_10(double a) { return fmin(gelu(a), 10); }
static double relu(double a) { return a > 0 ? a : 0; }

static double (*const reference[ATTEND_ACT_COUNT])(double) = {
    exp, tanh, sigmoid, relu, gelu, gelu_tanh, quick_gelu, silu, mish, gelu_10};

static void activations(const at_vector_kernel *v)
{
    for (int f = 0; f < ATTEND_ACT_COUNT; f++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            size_t n = sizes[s];
            fill(x, n, 1, 4);
            v->act[f](n, x, out);
            for (size_t i = 0; i < n; i++)
                close_to((double)out[i], reference[f]((double)x[i]),
                         f == ATTEND_ACT_EXP       ? exp((double)x[i])
                         : f <= ATTEND_ACT_SIGMOID ? 1
                                                   : 1 + fabs((double)x[i]),
                         "activation", i);
        }
}

/* slopes against differences of the reference */
static void slopes(const at_vector_kernel *v)
{
    for (int f = 0; f < ATTEND_ACT_COUNT; f++)
        for (int beta = 0; beta < 2; beta++) {
            size_t n = 301;
            fill(x, n, 1, 3);
            fill(y, n, 2, 1);
            fill(out, n, 3, 1);
            memcpy(z, out, n * sizeof *z);
            v->act[f](n, x, w);
            v->act_back[f](n, f <= ATTEND_ACT_RELU ? w : x, y, (real)beta, out);
            for (size_t i = 0; i < n; i++) {
                double a = (double)x[i], h = 1e-5;
                double slope = (reference[f](a + h) - reference[f](a - h)) / (2 * h);
                double want = (double)y[i] * slope + beta * (double)z[i];
                if (fabs((double)out[i] - want) > 1e-5 * (1 + fabs(want)))
                    fail_msg("slope of activation %d at %g: %g, not %g", f, a, (double)out[i],
                             want);
            }
        }
}

/* where mish is x and gelu_10 is 10, and far to the left, where both are 0 */
static void ends_of_activations(const at_vector_kernel *v)
{
    const real at[] = {10, 19, (real)19.5, 21, 1000, (real)1e30, -50, -1000, (real)-1e30};
    enum { N = sizeof at / sizeof *at };
    real one[N], mish_slope[N], cut_slope[N], y_mish[N], y_cut[N];
    for (int i = 0; i < N; i++)
        one[i] = 1;
    v->act[ATTEND_ACT_MISH](N, at, y_mish);
    v->act[ATTEND_ACT_GELU_10](N, at, y_cut);
    v->act_back[ATTEND_ACT_MISH](N, at, one, 0, mish_slope);
    v->act_back[ATTEND_ACT_GELU_10](N, at, one, 0, cut_slope);
    for (int i = 0; i < N; i++) {
        bool right = at[i] > 0;
        close_to((double)y_mish[i], mish((double)at[i]), right ? (double)at[i] : 1, "mish",
                 (size_t)i);
        if (i > 0)
            close_to((double)mish_slope[i], right, 4, "slope of mish", (size_t)i);
        assert_true(y_cut[i] == (right ? 10 : 0));
        assert_true(cut_slope[i] == (i == 0)); /* as clip: 10 itself still counts */
    }
}

/* relative error, so that small results count too */
static void exponential(const at_vector_kernel *v)
{
    for (size_t i = 0; i < MOST; i++)
        x[i] = (real)(-87.3 + (88.7 + 87.3) * (double)i / (MOST - 1));
    v->exp(MOST, x, out);
    for (size_t i = 0; i < MOST; i++)
        close_to((double)out[i], exp((double)x[i]), exp((double)x[i]), "exp", i);
    real special[] = {0, -(real)INFINITY, (real)INFINITY, (real)NAN, -1000, 1000};
    v->exp(6, special, out);
    assert_true(out[0] == 1 && out[1] == 0 && isinf(out[2]) && isnan(out[3]) && out[4] == 0);
    assert_true(isinf(out[5]));
}

/* in double, with the sum in any order */
static void wide_exponential(const at_vector_kernel *v)
{
    for (size_t i = 0; i < MOST; i++)
        x[i] = (real)(-700.0 * (double)i / MOST * (double)i / MOST);
    double sum = 0;
    for (size_t i = 0; i < MOST; i++)
        sum += exp(((double)x[i] - 0.25) * 0.75);
    double got = v->wide_sum_exp(MOST, x, 0.25, 0.75);
    if (fabs(got - sum) > 1e-14 * sum)
        fail_msg("the sum is %.17g, not %.17g", got, sum);
    v->wide_exp(MOST, x, 0.25, 0.75, 2, out);
    for (size_t i = 0; i < MOST; i++) {
        double want = 2 * exp(((double)x[i] - 0.25) * 0.75);
        close_to((double)out[i], want, want + 1e-37, "wide_exp", i);
    }
    real special[] = {1, -(real)INFINITY, (real)NAN};
    for (size_t i = 0; i < 3; i++)
        out[i] = (real)v->wide_sum_exp(1, special + i, 1, 3);
    assert_true(out[0] == 1 && out[1] == 0 && isnan(out[2]));
}

static void small_tanh_keeps_its_digits(const at_vector_kernel *v)
{
    for (size_t i = 0; i < 2000; i++)
        x[i] = (real)((double)i * 1e-3 * (i % 2 ? 1 : -1) * pow(10, -(double)(i % 7)));
    v->act[ATTEND_ACT_TANH](2000, x, out);
    for (size_t i = 0; i < 2000; i++)
        close_to((double)out[i], tanh((double)x[i]), fabs(tanh((double)x[i])), "tanh", i);
    real special[] = {(real)INFINITY, -(real)INFINITY, (real)NAN, 0};
    v->act[ATTEND_ACT_TANH](4, special, out);
    assert_true(out[0] == 1 && out[1] == -1 && isnan(out[2]) && out[3] == 0);
    v->act[ATTEND_ACT_GELU](1, special + 2, out);
    assert_true(isnan(out[0]));
}

/* ---- sums, rows ------------------------------------------------------------------------- */

static void reductions(const at_vector_kernel *v)
{
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s];
        fill(x, n, 1, 1);
        fill(y, n, 2, 1);
        double sum = 0, dot = 0, most = -INFINITY, size = 0;
        for (size_t i = 0; i < n; i++) {
            sum += (double)x[i];
            dot += (double)x[i] * (double)y[i];
            most = fmax(most, (double)x[i]);
            size += fabs((double)x[i]) + fabs((double)x[i] * (double)y[i]);
        }
        close_to((double)v->sum(n, x), sum, size, "sum", n);
        close_to((double)v->dot(n, x, y), dot, size, "dot", n);
        assert_true((double)v->max(n, x) == most);
    }
}

static void elementwise(const at_vector_kernel *v)
{
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s];
        fill(x, n, 1, 1);
        fill(y, n, 2, 1);
        v->add(n, x, y, out);
        for (size_t i = 0; i < n; i++)
            assert_true(out[i] == x[i] + y[i]);
        v->multiply(n, x, y, out);
        for (size_t i = 0; i < n; i++)
            assert_true(out[i] == x[i] * y[i]);
        for (int beta = 0; beta < 2; beta++) {
            fill(out, n, 3, 1);
            memcpy(z, out, n * sizeof *z);
            if (beta == 0 && n)
                out[0] = (real)NAN; /* must not be read */
            v->axpy(n, (real)1.5, x, (real)beta, out);
            for (size_t i = 0; i < n; i++)
                close_to((double)out[i], 1.5 * (double)x[i] + (beta ? (double)z[i] : 0), 4, "axpy",
                         i);
            memcpy(out, z, n * sizeof *z);
            v->multiply_add(n, x, y, (real)beta, out);
            for (size_t i = 0; i < n; i++)
                close_to((double)out[i], (double)x[i] * (double)y[i] + (beta ? (double)z[i] : 0),
                         16, "multiply_add", i);
        }
    }
}

static void softmax_rows(const at_vector_kernel *v)
{
    for (size_t s = 1; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s];
        fill(x, n, 1, 3);
        double max = (double)v->max(n, x), sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += exp((double)x[i] - max);
        close_to((double)v->sum_exp(n, x, (real)max), sum, 4 * sum, "sum_exp", n);
        close_to(at_log_sum_exp(n, x), max + log(sum), 4, "log_sum_exp", n);
        close_to((double)v->exp_sum(n, x, (real)max, out), sum, 4 * sum, "exp_sum", n);
        for (size_t i = 0; i < n; i++)
            close_to((double)out[i], exp((double)x[i] - max), 1, "exp_sum", i);
        v->exp_scale(n, x, (real)max, (real)0.5, (real)-0.25, out);
        for (size_t i = 0; i < n; i++)
            close_to((double)out[i], 0.5 * exp((double)x[i] - max) - 0.25, 1, "exp_scale", i);
        memcpy(out, x, n * sizeof *x);
        v->scale_shift(n, (real)0.5, (real)-0.25, out);
        for (size_t i = 0; i < n; i++)
            close_to((double)out[i], 0.5 * (double)x[i] - 0.25, 1, "scale_shift", i);
    }
}

static void norm_rows(const at_vector_kernel *v)
{
    for (size_t s = 1; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s];
        fill(x, n, 1, 1);
        fill(y, n, 2, 1);
        fill(z, n, 3, 1);
        real mean, rstd;
        v->layer_norm(n, x, y, z, (real)1e-5, out, &mean, &rstd);
        double m = 0, var = 0;
        for (size_t i = 0; i < n; i++)
            m += (double)x[i] / (double)n;
        for (size_t i = 0; i < n; i++)
            var += ((double)x[i] - m) * ((double)x[i] - m) / (double)n;
        for (size_t i = 0; i < n; i++)
            close_to((double)out[i],
                     ((double)x[i] - m) / sqrt(var + 1e-5) * (double)y[i] + (double)z[i],
                     n < 4 ? 3000 : 40, "layer_norm", i);
    }
}

static void recurrent_rows(const at_vector_kernel *v)
{
    size_t H = 37;
    real h[37], hn[37], c[37];
    fill(z, 4 * H, 1, 1); /* gx, or the LSTM's gates */
    fill(w, 4 * H, 2, 1); /* gh */
    fill(x, H, 3, 1);     /* h, or c */
    v->gru(H, z, w, x, out, hn, h);
    for (size_t i = 0; i < H; i++) {
        double r = sigmoid((double)z[i] + (double)w[i]);
        double u = sigmoid((double)z[H + i] + (double)w[H + i]);
        double n = tanh((double)z[2 * H + i] + r * (double)w[2 * H + i]);
        close_to((double)h[i], (1 - u) * n + u * (double)x[i], 4, "gru", i);
        assert_true(hn[i] == w[2 * H + i]);
    }
    v->lstm(H, z, x, out, c, h);
    for (size_t i = 0; i < H; i++) {
        double cell = sigmoid((double)z[H + i]) * (double)x[i]
                      + sigmoid((double)z[i]) * tanh((double)z[2 * H + i]);
        close_to((double)c[i], cell, 4, "lstm cell", i);
        close_to((double)h[i], sigmoid((double)z[3 * H + i]) * tanh(cell), 4, "lstm", i);
    }
}

/* Every word is compared with each of some others as the threshold, and with itself: what is kept
 * gives the words away. */
static void dropout_at(const at_vector_kernel *v, at_random random, size_t first, size_t n)
{
    for (size_t k = 0; k < 2 * n; k += 1 + k / 16) {
        uint32_t word = at_random_u32(random, (uint32_t)(first + k / 2));
        at_dropping d = {random, word + k % 2, (real)1.25};
        fill(out, n, 3, 1);
        memcpy(z, out, n * sizeof *z);
        v->dropout(&d, first, n, x, 1, out);
        v->dropout(&d, first, n, x, 0, y);
        for (size_t i = 0; i < n; i++) {
            bool kept = at_random_u32(random, (uint32_t)(first + i)) >= d.threshold;
            real product = kept ? x[i] * d.scale : 0;
            volatile real sum = z[i] + product; /* two roundings */
            if (y[i] != product || out[i] != sum)
                fail_msg("element %zu + %zu of %zu: %g and %g, not %g and %g", first, i, n,
                         (double)y[i], (double)out[i], (double)product, (double)sum);
        }
    }
}

static void dropout_words(const at_vector_kernel *v)
{
    static const size_t counts[] = {0, 1, 3, 4, 5, 61, 63, 64, 65, 130, 515};
    static const size_t firsts[] = {0, 1, 2, 3, 62, 64, 1001, 0xfffffffc, 0xfffffff0};
    fill(x, 515, 1, 1);
    for (uint32_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (uint32_t j = 0; j < sizeof firsts / sizeof *firsts; j++) {
            if (firsts[j] + counts[i] > UINT32_MAX) /* at_random_u32 has no more */
                continue;
            at_random r = {.seed = (uint64_t)at_random_u32((at_random){.seed = i}, j) << 31 | j,
                           .step = i << 27,
                           .sentence = UINT32_MAX - j,
                           .use = 0x80000000u - i};
            dropout_at(v, r, firsts[j], counts[i]);
        }
}

/* blocks of four words are counted modulo 2^32, elements are not */
static void dropout_far(const at_vector_kernel *v)
{
    enum { N = 200 };
    at_random r = {.seed = 9, .use = 2};
    at_dropping d = {r, 1u << 31, 1};
    size_t first = ((size_t)1 << 34) - 101;
    fill(x, N, 1, 1);
    v->dropout(&d, first, N, x, 0, out);
    for (size_t i = 0; i < N; i++) {
        uint32_t words[4];
        at_random_words(r, (uint32_t)((first + i) / 4), words);
        assert_true(out[i] == (words[(first + i) % 4] >= d.threshold ? x[i] : 0));
    }
}

#define ON_EVERY_ISA(name, test)   \
    static void name(void **state) \
    {                              \
        (void)state;               \
        on_every_isa(test);        \
    }
ON_EVERY_ISA(activations_agree_with_libm, activations)
ON_EVERY_ISA(slopes_agree_with_differences, slopes)
ON_EVERY_ISA(activations_are_right_far_out, ends_of_activations)
ON_EVERY_ISA(exp_is_right_over_its_whole_range, exponential)
ON_EVERY_ISA(exp_in_double_is_right, wide_exponential)
ON_EVERY_ISA(tanh_is_right_near_zero_and_far_out, small_tanh_keeps_its_digits)
ON_EVERY_ISA(reductions_agree, reductions)
ON_EVERY_ISA(elementwise_loops_agree, elementwise)
ON_EVERY_ISA(softmax_rows_agree, softmax_rows)
ON_EVERY_ISA(layer_norm_rows_agree, norm_rows)
ON_EVERY_ISA(recurrent_rows_agree, recurrent_rows)
ON_EVERY_ISA(dropout_draws_the_words_of_random, dropout_words)
ON_EVERY_ISA(dropout_reaches_far_elements, dropout_far)

/* a range may begin anywhere: threads change nothing */
static void threads_change_no_bit(void **state)
{
    (void)state;
    enum { N = 100003 };
    real *a = at_alloc(N * sizeof *a), *b = at_alloc(N * sizeof *b), *c = at_alloc(N * sizeof *c);
    fill(a, N, 1, 2);
    for (int f = 0; f < ATTEND_ACT_COUNT; f++) {
        attend_set_threads(1);
        at_vector_act((at_act)f, N, a, b);
        for (int threads = 2; threads <= 7; threads++) {
            attend_set_threads(threads);
            at_vector_act((at_act)f, N, a, c);
            assert_memory_equal(b, c, N * sizeof *b);
        }
    }
    attend_set_threads(1);
    at_columns_sum(1000, 100, a, 0, b);
    attend_set_threads(3);
    at_columns_sum(1000, 100, a, 0, c);
    assert_memory_equal(b, c, 100 * sizeof *b);
    attend_set_threads(0);
    at_free(a);
    at_free(b);
    at_free(c);
}

/* all of an array, and nothing behind it */
static void copies_and_zeros_reach_their_ends(void **state)
{
    (void)state;
    enum { LONG = 50001 };
    static const size_t lengths[] = {0, 1, 17, 16384, LONG};
    real *a = at_alloc((LONG + 1) * sizeof *a), *b = at_alloc((LONG + 1) * sizeof *b);
    fill(a, LONG + 1, 1, 2);
    for (int threads = 1; threads <= 3; threads++) {
        attend_set_threads(threads);
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            size_t n = lengths[i];
            fill(b, LONG + 1, 2, 2);
            real behind = b[n];
            at_vector_copy(n, a, b);
            assert_memory_equal(a, b, n * sizeof *a);
            assert_true(b[n] == behind);
            at_vector_zero(n, b);
            for (size_t j = 0; j < n; j++)
                assert_true(b[j] == 0);
            assert_true(b[n] == behind);
        }
    }
    attend_set_threads(0);
    at_free(a);
    at_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activations_agree_with_libm),
        cmocka_unit_test(slopes_agree_with_differences),
        cmocka_unit_test(activations_are_right_far_out),
        cmocka_unit_test(exp_is_right_over_its_whole_range),
        cmocka_unit_test(exp_in_double_is_right),
        cmocka_unit_test(tanh_is_right_near_zero_and_far_out),
        cmocka_unit_test(reductions_agree),
        cmocka_unit_test(elementwise_loops_agree),
        cmocka_unit_test(softmax_rows_agree),
        cmocka_unit_test(layer_norm_rows_agree),
        cmocka_unit_test(recurrent_rows_agree),
        cmocka_unit_test(dropout_draws_the_words_of_random),
        cmocka_unit_test(dropout_reaches_far_elements),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(copies_and_zeros_reach_their_ends),
    };
    return cmocka_run_group_tests_name("tensor_vector", tests, NULL, NULL);
}
