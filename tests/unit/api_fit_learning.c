/* What learning is worth: on points that were not seen, and on measurements. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "attend_pooling.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/random.h"

enum { SEEN = 50, HELD = 500, SEEDS = 20 };

static const char mcycle[] = "../shared/data/regression/mcycle.csv";

static double truth(double x) { return 2 * sin(x) + pow(x, 0.8); }

static void make_points(uint64_t seed, int n, double *x, double *y)
{
    at_random place = {.seed = seed, .use = at_random_name(n == SEEN ? "seen" : "held")};
    for (uint32_t i = 0; i < (uint32_t)n; i++) {
        x[i] = 5 * at_random_uniform(place, i);
        y[i] = truth(x[i]) + 0.5 * at_random_normal(place, 100000 + i);
    }
}

static double held_out_error(const attend_pooling *p, attend_pooling_kind kind, const double *x,
                             const double *y)
{
    double read[HELD], error = 0;
    assert_int_equal(attend_pooling_predict(p, kind, HELD, x, read, NULL), ATTEND_OK);
    for (int i = 0; i < HELD; i++)
        error += pow(read[i] - y[i], 2) / HELD;
    return error;
}

static void parameters_beat_a_kernel_which_beats_the_average(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double x[SEEN], y[SEEN], new_x[HELD], new_y[HELD], error[3];
        attend_pooling *p;
        make_points(seed, SEEN, x, y);
        make_points(seed, HELD, new_x, new_y);
        assert_int_equal(attend_fit(SEEN, 1, x, y, NULL, &p, NULL), ATTEND_OK);
        for (int kind = 0; kind < 3; kind++)
            error[kind] = held_out_error(p, (attend_pooling_kind)kind, new_x, new_y);
        print_message("seed %2d: average %.3f, kernel %.3f, learned %.3f\n", (int)seed, error[0],
                      error[1], error[2]);
        assert_true(error[2] < error[1] && error[1] < error[0]);
        attend_pooling_free(p);
    }
}

static size_t read_mcycle(double *x, double *y, size_t most)
{
    at_csv c;
    attend_error err;
    size_t n = 0;
    attend_status status = at_csv_open(&c, mcycle, &err);
    for (bool header = true; status >= 0 && at_csv_next(&c, &status, &err); header = false)
        if (!header && n < most) {
            at_csv_number(&c, 1, &x[n], &err);
            at_csv_number(&c, 2, &y[n++], &err);
        }
    at_csv_close(&c);
    assert_true(status >= 0);
    return n;
}

static void a_learned_width_is_no_worse_than_unit_width_on_measurements(void **state)
{
    (void)state;
    double x[200], y[200], unit, learned;
    attend_pooling *p;
    if (!at_file_exists(mcycle)) {
        print_message("skipped: there is no %s\n", mcycle);
        skip();
    }
    size_t n = read_mcycle(x, y, 200);
    assert_int_equal(n, 133);
    assert_int_equal(attend_fit(n, 1, x, y, NULL, &p, NULL), ATTEND_OK);
    attend_pooling_error(p, ATTEND_POOLING_KERNEL, &unit, NULL);
    attend_pooling_error(p, ATTEND_POOLING_LEARNED, &learned, NULL);
    print_message("mcycle: unit width %.2f, learned %.2f (w = %.3f)\n", unit, learned,
                  *attend_pooling_weight(p));
    assert_true(learned <= unit);
    attend_pooling_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_beat_a_kernel_which_beats_the_average),
        cmocka_unit_test(a_learned_width_is_no_worse_than_unit_width_on_measurements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
