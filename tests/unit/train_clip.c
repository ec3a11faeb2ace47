#include "train/clip.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "attend.h"
#include "base/random.h"

enum { SMALL = 9, LARGE = 60000, ALL = SMALL + LARGE };

static attend_error err;
static at_params *params;
static at_gradients *g;
static real gradient[ALL], out[LARGE];

static int open_set(void **state)
{
    at_parameter *p;
    at_random place = {.seed = 9};
    (void)state;
    params = at_params_new(1);
    g = at_gradients_new(params);
    at_params_add(params, "bias", SHAPE(SMALL), INIT_ZERO, &p, &err);
    at_params_add(params, "unused", SHAPE(SMALL), INIT_ZERO, &p, &err);
    at_params_add(params, "weight", SHAPE(LARGE), INIT_ZERO, &p, &err);
    for (uint32_t i = 0; i < ALL; i++)
        gradient[i] = (real)at_random_normal(place, i);
    return 0;
}

static int close_set(void **state)
{
    (void)state;
    at_gradients_free(g);
    at_params_free(params);
    return 0;
}

static void add(double weight)
{
    const real *part[] = {gradient, NULL, gradient + SMALL};
    assert_int_equal(at_gradients_add_arrays(g, part, weight, &err), ATTEND_OK);
}

static double norm_of_all(double type)
{
    double sum = 0, most = 0;
    for (int i = 0; i < ALL; i++) {
        sum += pow(fabs((double)gradient[i]), type);
        most = fmax(most, fabs((double)gradient[i]));
    }
    return isinf(type) ? most : pow(sum, 1 / type);
}

static const double types[] = {1, 2, 3, 0.5, INFINITY};
enum { TYPES = (int)(sizeof types / sizeof *types) };

static void measures_the_norm_of_all_gradients(void **state)
{
    (void)state;
    for (int i = 0; i < TYPES; i++) {
        double norm = -1, want = norm_of_all(types[i]);
        at_gradients_clear(g);
        add(1);
        assert_int_equal(at_clip_norm(g, INFINITY, types[i], &norm, &err), ATTEND_OK);
        if (!(fabs(norm - want) <= 1e-12 * want))
            fail_msg("norm of order %g is %.17g, not %.17g", types[i], norm, want);
        assert_true(at_gradients_factor(g, 0) == 1);
    }
}

/* as the user sees it: after weights, sums and scale */
static void measures_what_the_step_will_see(void **state)
{
    (void)state;
    for (int i = 0; i < TYPES; i++) {
        double norm, want = norm_of_all(types[i]);
        at_gradients_clear(g);
        add(-0.5);
        assert_int_equal(at_clip_norm(g, INFINITY, types[i], &norm, &err), ATTEND_OK);
        assert_true(fabs(norm - 0.5 * want) <= 1e-12 * want);
        add(1.5);
        at_gradients_scale(g, 0.25);
        assert_int_equal(at_clip_norm(g, INFINITY, types[i], &norm, &err), ATTEND_OK);
        assert_true(fabs(norm - 0.25 * want) <= 1e-6 * want);
    }
}

static void scales_down_to_the_largest_norm_allowed(void **state)
{
    (void)state;
    for (int i = 0; i < TYPES; i++) {
        double norm, after, max = 0.5;
        at_gradients_clear(g);
        add(1);
        assert_int_equal(at_clip_norm(g, max, types[i], &norm, &err), ATTEND_OK);
        assert_true(at_gradients_read(g, 2, out));
        for (int k = 0; k < LARGE; k += 97)
            assert_float_equal((double)out[k], (double)gradient[SMALL + k] * max / (norm + 1e-6),
                               1e-6);
        assert_int_equal(at_clip_norm(g, max, types[i], &after, &err), ATTEND_OK);
        assert_true(fabs(after - max * norm / (norm + 1e-6)) <= 1e-9);
    }
}

static void leaves_small_gradients_as_they_are(void **state)
{
    double norm;
    (void)state;
    add(1);
    assert_int_equal(at_clip_norm(g, 1e4, 2, &norm, &err), ATTEND_OK);
    assert_true(norm < 1e4);
    at_gradients_read(g, 2, out);
    assert_memory_equal(out, gradient + SMALL, sizeof out);
    assert_int_equal(at_clip_norm(g, 1e4, 2, NULL, &err), ATTEND_OK);
}

static void the_norm_of_nothing_is_zero(void **state)
{
    double norm = -1;
    (void)state;
    for (int i = 0; i < TYPES; i++) {
        assert_int_equal(at_clip_norm(g, 1, types[i], &norm, &err), ATTEND_OK);
        assert_true(norm == 0);
    }
}

static void reports_numbers_that_are_none(void **state)
{
    static const int places[] = {0, SMALL + 5, ALL - 1};
    (void)state;
    for (int i = 0; i < TYPES; i++)
        for (int k = 0; k < 6; k++) {
            int place = places[k / 2];
            real keep = gradient[place];
            double norm;
            gradient[place] = (real)(k % 2 ? NAN : -INFINITY);
            at_gradients_clear(g);
            add(1);
            assert_int_equal(at_clip_norm(g, 1, types[i], &norm, &err), ATTEND_NUMBER);
            assert_true(k % 2 ? isnan(norm) : isinf(norm));
            assert_non_null(strstr(err.message, place < SMALL ? "bias" : "weight"));
            assert_non_null(strstr(err.message, k % 2 ? "not a number" : "infinite"));
            assert_true(at_gradients_factor(g, 2) == 1);
            gradient[place] = keep;
        }
}

static void refuses_norms_that_do_not_exist(void **state)
{
    static const double wrong[][2] = {{0, 2}, {-1, 2}, {NAN, 2}, {1, 0}, {1, -2}, {1, NAN}};
    double norm;
    (void)state;
    add(1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(at_clip_norm(g, wrong[i][0], wrong[i][1], &norm, &err), ATTEND_OPTION);
}

static void threads_change_no_bit_of_the_norm(void **state)
{
    (void)state;
    for (int i = 0; i < TYPES; i++) {
        double one = 0, norm;
        for (int threads = 1; threads <= 5; threads++) {
            attend_set_threads(threads);
            at_gradients_clear(g);
            add(1);
            add(0.3);
            assert_int_equal(at_clip_norm(g, 1, types[i], &norm, &err), ATTEND_OK);
            one = threads == 1 ? norm : one;
            assert_true(norm == one);
        }
    }
    attend_set_threads(0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_set, close_set)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(measures_the_norm_of_all_gradients),
        TEST(measures_what_the_step_will_see),
        TEST(scales_down_to_the_largest_norm_allowed),
        TEST(leaves_small_gradients_as_they_are),
        TEST(the_norm_of_nothing_is_zero),
        TEST(reports_numbers_that_are_none),
        TEST(refuses_norms_that_do_not_exist),
        TEST(threads_change_no_bit_of_the_norm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
