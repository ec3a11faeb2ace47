#include "attention/pool.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "gradient_check.h"

#ifdef ATTEND_REAL_DOUBLE
static const double gradient_tolerance = 1e-6, tolerance = 1e-12;
#else
static const double gradient_tolerance = 1e-2, tolerance = 1e-5;
#endif

enum { Q = 4, K = 5 };

/* u of query i and key j; the last query is far from all keys */
static const double distance[Q][K] = {
    {0, 0.2, 0.5, 0.9, 3}, {0.4, 0.4, 1.5, 0.1, 0.7}, {0.3, 0.95, 2, 1.01, 0.6}, {4, 5, 6, 7, 8}};

static at_tensor *scores(at_tape *t)
{
    real e[Q * K];
    for (int i = 0; i < Q * K; i++)
        e[i] = (real)(-distance[i / K][i % K] * distance[i / K][i % K] / 2);
    return at_input(t, SHAPE(1, Q, K), e);
}

static double K_of(const char *kernel, double u)
{
    return strcmp(kernel, "constant") == 0       ? 1
           : strcmp(kernel, "boxcar") == 0       ? u < 1
           : strcmp(kernel, "triangular") == 0   ? fmax(0, 1 - u)
           : strcmp(kernel, "epanechnikov") == 0 ? fmax(0, 1 - u * u)
           : strcmp(kernel, "gaussian") == 0     ? exp(-u * u / 2)
                                                 : NAN;
}

static void weights_are_shares_of_the_kernel(void **state)
{
    (void)state;
    at_params *params = at_params_new(0);
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    for (int k = 0; k < at_kernel_count; k++) {
        const at_tensor *w = at_kernel_weights(t, at_kernels[k], scores(t), NULL);
        for (int i = 0; i < Q; i++) {
            double sum = 0;
            for (int j = 0; j < K; j++)
                sum += K_of(at_kernels[k]->about.name, distance[i][j]);
            for (int j = 0; j < K; j++) {
                double expected = sum > 0 ? K_of(at_kernels[k]->about.name, distance[i][j]) / sum
                                          : 1.0 / K;
                assert_true(fabs((double)w->value[i * K + j] - expected) < tolerance);
            }
        }
        at_tape_reset(t);
    }
    at_tape_free(t);
    at_params_free(params);
}

static void hidden_keys_weigh_nothing_even_where_all_kernels_are_zero(void **state)
{
    (void)state;
    static const unsigned char hidden[Q * K] = {
        0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0,
    };
    at_params *params = at_params_new(0);
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    at_mask mask = {.hidden = hidden, .hidden_shape = SHAPE(Q, K)};
    for (int k = 0; k < at_kernel_count; k++) {
        const at_tensor *w = at_kernel_weights(t, at_kernels[k], scores(t), &mask);
        for (int i = 0; i < Q; i++) {
            double sum = 0;
            for (int j = 0; j < K; j++) {
                sum += (double)w->value[i * K + j];
                assert_true(!hidden[i * K + j] || w->value[i * K + j] == 0);
            }
            assert_true(fabs(sum - (i != 1)) < tolerance); /* the second query sees nothing */
        }
        if (at_kernels[k]->value && k) /* the last one: alike on the three that it sees */
            for (int j = 0; j < K; j += 2)
                assert_true(fabs((double)w->value[3 * K + j] - 1.0 / 3) < tolerance);
        at_tape_reset(t);
    }
    at_tape_free(t);
    at_params_free(params);
}

/* weights and context, from queries, keys, values and widths */
static at_tensor *build(at_tape *t, at_path s, const void *arg)
{
    at_tensor *q = at_param(t, s, "q", SHAPE(2, 3, 2), INIT_NORMAL((real)0.5));
    at_tensor *k = at_param(t, s, "k", SHAPE(2, 4, 2), INIT_NORMAL((real)0.5));
    at_tensor *v = at_param(t, s, "v", SHAPE(2, 4, 1), INIT_NORMAL(1));
    at_tensor *w = at_param(t, s, "w", SHAPE(2), INIT_CONSTANT((real)0.9));
    at_reading read = at_pool(t, arg, w, q, k, v, NULL);
    at_tensor *weights = at_reshape(t, read.weights, SHAPE(2, 3, 4));
    return at_concat(t, 2, (at_tensor *[]){read.context, weights}, 2);
}

static void gradients_of_every_kernel_agree_with_differences(void **state)
{
    (void)state;
    for (int k = 0; k < at_kernel_count; k++) {
        at_gradcheck c = at_gradient_check(build, at_kernels[k], gradient_tolerance, NULL, NULL);
        if (!c.ok)
            fail_msg("%s: error %g at %s", at_kernels[k]->about.name, c.worst, c.where);
    }
}

static void a_misspelt_kernel_is_guessed(void **state)
{
    (void)state;
    attend_error err;
    assert_ptr_equal(at_kernel_find("boxcar", &err), &at_kernel_boxcar);
    assert_null(at_kernel_find("epanechnikow", &err));
    assert_int_equal(err.status, ATTEND_OPTION);
    assert_non_null(strstr(err.message, "did you mean 'epanechnikov'?"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_shares_of_the_kernel),
        cmocka_unit_test(hidden_keys_weigh_nothing_even_where_all_kernels_are_zero),
        cmocka_unit_test(gradients_of_every_kernel_agree_with_differences),
        cmocka_unit_test(a_misspelt_kernel_is_guessed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
