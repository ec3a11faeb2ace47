#include "models/pooling.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "gradient_check.h"

#ifdef ATTEND_REAL_DOUBLE
static const double gradient_tolerance = 1e-6, tolerance = 1e-12;
#else
static const double gradient_tolerance = 1e-2, tolerance = 2e-5;
#endif

enum { N = 40, C = 2 };

static void make_data(double x[N][C], double y[N])
{
    at_random place = {.seed = 3};
    for (uint32_t i = 0; i < N; i++) {
        for (uint32_t c = 0; c < C; c++)
            x[i][c] = 1000 + 5 * at_random_uniform(place, C * i + c);
        y[i] = sin(x[i][0]) + 0.3 * x[i][1];
    }
}

static at_model *make(size_t rows, int columns, const double *x, const double *y)
{
    at_model *p;
    attend_error err;
    assert_int_equal(
        at_pooling_new(rows, columns, x, y, &(at_pooling_settings){.each = true}, &p, &err),
        ATTEND_OK);
    return p;
}

static const at_pooling_way learned = {.kernel = NULL};

static void predict(at_model *p, const double *w, size_t rows, const double *x, double *y)
{
    assert_int_equal(at_pooling_set_weight(p->net, w, NULL), ATTEND_OK);
    assert_int_equal(at_pooling_predict(p->net, learned, rows, x, y, NULL, NULL), ATTEND_OK);
}

static double error_of(at_model *p, const double *w)
{
    double error;
    assert_int_equal(at_pooling_set_weight(p->net, w, NULL), ATTEND_OK);
    assert_int_equal(
        at_pooling_error(p->net, learned, (size_t)((at_pooling *)p->net)->rows, NULL, &error, NULL),
        ATTEND_OK);
    return error;
}

/* the definition, in double; skip: a point that is not seen, or -1 */
static double by_definition(const double x[N][C], const double y[N], const double *w,
                            const double *at, int skip)
{
    double score[N], most = -INFINITY, sum = 0, read = 0;
    for (int j = 0; j < N; j++) {
        score[j] = 0;
        for (int c = 0; c < C; c++)
            score[j] -= (at[c] - x[j][c]) * w[c] * (at[c] - x[j][c]) * w[c] / 2;
        if (j != skip)
            most = fmax(most, score[j]);
    }
    for (int j = 0; j < N; j++)
        if (j != skip) {
            sum += exp(score[j] - most);
            read += exp(score[j] - most) * y[j];
        }
    return read / sum;
}

static void predicts_what_the_formula_says(void **state)
{
    (void)state;
    double x[N][C], y[N], got[N];
    make_data(x, y);
    at_model *p = make(N, C, &x[0][0], y);
    static const double weights[][C] = {{0, 0}, {1, 1}, {3, 0.2}, {-2, 7}};
    for (size_t k = 0; k < sizeof weights / sizeof *weights; k++) {
        predict(p, weights[k], N, &x[0][0], got);
        for (int i = 0; i < N; i++)
            assert_true(fabs(got[i] - by_definition(x, y, weights[k], x[i], -1)) < 50 * tolerance);
    }
    at_model_free(p);
}

static void leaves_each_point_out_of_its_own_error(void **state)
{
    (void)state;
    double x[N][C], y[N], expected = 0;
    const double w[C] = {2, 1};
    make_data(x, y);
    for (int i = 0; i < N; i++)
        expected += pow(by_definition(x, y, w, x[i], i) - y[i], 2) / N;
    at_model *p = make(N, C, &x[0][0], y);
    assert_true(fabs(error_of(p, w) - expected) < 10 * tolerance * expected);
    at_model_free(p);
}

/* what the gradient check builds: the loss over some of the points */
static at_tensor *build_loss(at_tape *t, at_path s, const void *arg)
{
    static const uint32_t rows[] = {0, 7, 3, 39, 20};
    const at_model *p = arg;
    int numbers = ((const at_pooling_settings *)p->settings)->each ? C : 1;
    at_tape_bind(t, "score.width", at_param(t, s, "w", SHAPE(numbers), INIT_CONSTANT((real)0.8)));
    return at_pooling_loss(t, p->net, learned, 5, rows);
}

static void gradient_agrees_with_differences(void **state)
{
    (void)state;
    double x[N][C], y[N];
    make_data(x, y);
    for (int each = 0; each < 2; each++) {
        at_model *p;
        assert_int_equal(
            at_pooling_new(N, C, &x[0][0], y, &(at_pooling_settings){.each = each}, &p, NULL),
            ATTEND_OK);
        at_gradcheck c = at_gradient_check(build_loss, p, gradient_tolerance, NULL, NULL);
        if (!c.ok)
            fail_msg("error %g at %s", c.worst, c.where);
        at_model_free(p);
    }
}

static void does_not_depend_on_the_units_of_the_data(void **state)
{
    (void)state;
    double x[N][C], y[N], big[N][C], far[N];
    make_data(x, y);
    for (int i = 0; i < N; i++) {
        big[i][0] = 1e6 * x[i][0] - 7e5;
        big[i][1] = 1e-6 * x[i][1];
        far[i] = 1e3 * y[i] + 1e7;
    }
    at_model *p = make(N, C, &x[0][0], y), *q = make(N, C, &big[0][0], far);
    const double w[C] = {2, 1}, u[C] = {2e-6, 1e6};
    double error = error_of(p, w), scaled = error_of(q, u);
    assert_true(fabs(scaled / 1e6 - error) < 20 * tolerance * error);
    at_model_free(p);
    at_model_free(q);
}

static void keeps_the_weight_it_is_given(void **state)
{
    (void)state;
    double x[N][C], y[N], w[C];
    make_data(x, y);
    at_model *p = make(N, C, &x[0][0], y);
    const double given[C] = {2.5, -0.25}, endless[C] = {1, INFINITY};
    assert_int_equal(at_pooling_set_weight(p->net, given, NULL), ATTEND_OK);
    at_pooling_weight(p->net, w);
    assert_true(fabs(w[0] - 2.5) < tolerance * 10 && fabs(w[1] - 0.25) < tolerance);
    assert_int_equal(at_pooling_set_weight(p->net, endless, NULL), ATTEND_NUMBER);
    at_model_free(p);
}

static void sees_the_nearest_point_with_a_huge_weight(void **state)
{
    (void)state;
    const double x[] = {0, 1, 2, 3}, y[] = {5, 6, 7, 9}, at[] = {0.1, 1.2, 2.9, 400}, w = 1e30;
    double got[4];
    at_model *p = make(4, 1, x, y);
    predict(p, &w, 3, at, got);
    assert_true(fabs(got[0] - 5) < 1e-3 && fabs(got[1] - 6) < 1e-3 && fabs(got[2] - 9) < 1e-3);
    at_model_free(p);
}

static void works_on_points_that_are_all_the_same(void **state)
{
    (void)state;
    const double x[] = {4, 4, 4}, y[] = {7, 7, 7}, w = 1;
    double got[3], width;
    at_model *p = make(3, 1, x, y);
    predict(p, &w, 3, x, got);
    assert_true(fabs(got[0] - 7) < 1e-5 && error_of(p, &w) < 1e-9);
    assert_int_equal(at_pooling_best_width(p->net, &at_kernel_boxcar, &width, NULL), ATTEND_OK);
    assert_true(width > 0 && isfinite(width));
    at_model_free(p);
}

static void computes_many_queries_in_blocks(void **state)
{
    (void)state;
    enum { MANY = 1500 };
    double *x = malloc(MANY * sizeof *x), *y = malloc(MANY * sizeof *y);
    double *got = malloc(MANY * sizeof *got), one;
    const double w = 3;
    for (int i = 0; i < MANY; i++) {
        x[i] = i * 0.01;
        y[i] = sin(x[i]);
    }
    at_model *p = make(MANY, 1, x, y);
    predict(p, &w, MANY, x, got);
    for (int i = 0; i < MANY; i += 97) { /* bit for bit what it is alone */
        predict(p, &w, 1, x + i, &one);
        assert_true(one == got[i]);
    }
    double error = error_of(p, &w);
    assert_true(error > 0 && error < 0.01);
    at_model_free(p);
    free(x);
    free(y);
    free(got);
}

static void check_refused(size_t rows, int columns, const double *x, const double *y,
                          attend_status status, const char *part)
{
    at_model *p;
    attend_error err;
    assert_int_equal(
        at_pooling_new(rows, columns, x, y, &(at_pooling_settings){.each = true}, &p, &err),
        status);
    assert_null(p);
    assert_non_null(strstr(err.message, part));
}

/* ---- kernels ---- */

static double kernel_by_definition(int kernel, double u)
{
    switch (kernel) {
    case 0: return 1;
    case 1: return u < 1;
    case 2: return fmax(0, 1 - u);
    case 3: return fmax(0, 1 - u * u);
    default: return exp(-u * u / 2);
    }
}

/* the definition: K(u) / sum K, or all alike where all K are 0 */
static double pooled(const double x[N][C], const double y[N], const double *at, int kernel,
                     double h, int skip)
{
    double sum = 0, read = 0, all = 0, n = 0;
    for (int j = 0; j < N; j++) {
        double K = kernel_by_definition(kernel, hypot(at[0] - x[j][0], at[1] - x[j][1]) / h);
        if (j == skip)
            continue;
        sum += K;
        read += K * y[j];
        all += y[j];
        n++;
    }
    return sum > 0 ? read / sum : all / n;
}

static void pools_with_every_kernel_as_its_definition_says(void **state)
{
    (void)state;
    static const double widths[] = {0.01, 0.7, 1, 3, 100};
    double x[N][C], y[N], got[N], left[N];
    make_data(x, y);
    assert_int_equal(at_kernel_count, 5);
    for (int each = 0; each < 2; each++) {
        at_model *p;
        assert_int_equal(
            at_pooling_new(N, C, &x[0][0], y, &(at_pooling_settings){.each = each}, &p, NULL),
            ATTEND_OK);
        for (int k = 0; k < at_kernel_count; k++)
            for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
                at_pooling_way way = {at_kernels[k], widths[w]};
                at_pooling_predict(p->net, way, N, &x[0][0], got, NULL, NULL);
                at_pooling_left_out(p->net, way, N, NULL, left, NULL);
                for (int i = 0; i < N; i++) {
                    double expected = pooled(x, y, x[i], k, widths[w], -1);
                    double others = pooled(x, y, x[i], k, widths[w], i);
                    if (k == 4
                        && widths[w] < 0.1) /* all K underflow in this definition, not in ours */
                        continue;
                    if (fabs(got[i] - expected) > 100 * tolerance
                        || fabs(left[i] - others) > 100 * tolerance)
                        fail_msg("%s, h = %g, point %d: %g and %g, not %g and %g",
                                 at_kernels[k]->about.name, widths[w], i, got[i], left[i], expected,
                                 others);
                }
            }
        at_model_free(p);
    }
}

static void gives_the_weights_it_pools_with(void **state)
{
    (void)state;
    double x[N][C], y[N], got[2], weights[2][N];
    make_data(x, y);
    at_model *p = make(N, C, &x[0][0], y);
    at_pooling_way way = {&at_kernel_epanechnikov, 2};
    assert_int_equal(at_pooling_predict(p->net, way, 2, &x[0][0], got, &weights[0][0], NULL),
                     ATTEND_OK);
    for (int i = 0; i < 2; i++) {
        double sum = 0, read = 0;
        for (int j = 0; j < N; j++) {
            sum += weights[i][j];
            read += weights[i][j] * y[j];
        }
        assert_true(fabs(sum - 1) < 10 * tolerance && fabs(read - got[i]) < 100 * tolerance);
    }
    at_model_free(p);
}

static void finds_the_width_with_the_least_error(void **state)
{
    (void)state;
    double x[N][C], y[N], h, best, error, least, most;
    make_data(x, y);
    at_model *p = make(N, C, &x[0][0], y);
    at_pooling_widths(p->net, &least, &most);
    for (int k = 1; k < at_kernel_count; k++) {
        assert_int_equal(at_pooling_best_width(p->net, at_kernels[k], &h, NULL), ATTEND_OK);
        at_pooling_error(p->net, (at_pooling_way){at_kernels[k], h}, N, NULL, &best, NULL);
        for (double other = least; other < most; other *= 1.3) {
            at_pooling_error(p->net, (at_pooling_way){at_kernels[k], other}, N, NULL, &error, NULL);
            if (best > 1.02 * error)
                fail_msg("%s: %g at h = %g, but %g at %g", at_kernels[k]->about.name, best, h,
                         error, other);
        }
    }
    at_model_free(p);
}

static void columns_may_share_one_weight(void **state)
{
    (void)state;
    double x[N][C], y[N], w[C], got[N];
    const double given[C] = {1.5, 1.5};
    at_model *p;
    make_data(x, y);
    assert_int_equal(
        at_pooling_new(N, C, &x[0][0], y, &(at_pooling_settings){.each = false}, &p, NULL),
        ATTEND_OK);
    predict(p, given, N, &x[0][0], got);
    at_pooling_weight(p->net, w);
    assert_true(fabs(w[0] - 1.5) < 1e-5 && w[0] == w[1]);
    for (int i = 0; i < N; i++)
        assert_true(fabs(got[i] - by_definition(x, y, given, x[i], -1)) < 50 * tolerance);
    at_model_free(p);
}

static void refuses_data_that_cannot_be_fitted(void **state)
{
    (void)state;
    const double good[] = {1, 2, 3, 4}, bad[] = {1, 2, NAN, 4}, huge[] = {1, 1e200, 3, 4};
    check_refused(1, 1, good, good, ATTEND_SHAPE, "1 point; a fit needs at least two");
    check_refused(0, 1, good, good, ATTEND_SHAPE, "0 points");
    check_refused(2, 0, good, good, ATTEND_SHAPE, "0 columns");
    check_refused((size_t)1 << 40, 1, good, good, ATTEND_SHAPE, "too many");
    check_refused(4, 1, bad, good, ATTEND_NUMBER, "x of point 2");
    check_refused(2, 2, bad, good, ATTEND_NUMBER, "x of point 1");
    check_refused(4, 1, good, huge, ATTEND_NUMBER, "y of point 1");
}

static void reports_every_allocation_that_fails(void **state)
{
    (void)state;
    const double x[] = {0, 1, 2}, y[] = {0, 1, 2};
    const at_pooling_way boxcar = {&at_kernel_boxcar, 1};
    double got[3], width;
    computes_many_queries_in_blocks(NULL); /* what stays allocated for good is there now */
    attend_status status = ATTEND_MEMORY;
    long n = 0, live = at_alloc_live();
    for (; status != ATTEND_OK; n += 1 + n / 40) { /* the search repeats itself */
        at_model *p;
        at_alloc_fail_after(n);
        status = at_pooling_new(3, 1, x, y, &(at_pooling_settings){.each = true}, &p, NULL);
        if (status >= 0)
            status = at_pooling_predict(p->net, learned, 3, x, got, NULL, NULL);
        if (status >= 0)
            status = at_pooling_error(p->net, boxcar, 3, NULL, &width, NULL);
        if (status >= 0)
            status = at_pooling_best_width(p->net, &at_kernel_boxcar, &width, NULL);
        at_alloc_fail_after(-1);
        at_model_free(p);
        assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
        assert_int_equal(at_alloc_live(), live);
    }
    assert_true(n > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predicts_what_the_formula_says),
        cmocka_unit_test(leaves_each_point_out_of_its_own_error),
        cmocka_unit_test(gradient_agrees_with_differences),
        cmocka_unit_test(does_not_depend_on_the_units_of_the_data),
        cmocka_unit_test(keeps_the_weight_it_is_given),
        cmocka_unit_test(sees_the_nearest_point_with_a_huge_weight),
        cmocka_unit_test(works_on_points_that_are_all_the_same),
        cmocka_unit_test(computes_many_queries_in_blocks),
        cmocka_unit_test(pools_with_every_kernel_as_its_definition_says),
        cmocka_unit_test(gives_the_weights_it_pools_with),
        cmocka_unit_test(finds_the_width_with_the_least_error),
        cmocka_unit_test(columns_may_share_one_weight),
        cmocka_unit_test(refuses_data_that_cannot_be_fitted),
        cmocka_unit_test(reports_every_allocation_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
