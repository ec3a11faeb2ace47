#include "decode/logits.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

enum { N = 37 };

static void refuses_logits_that_overflow_wherever_they_are(void **state)
{
    (void)state;
    attend_error err;
    static const double wrong[] = {INFINITY, -INFINITY, NAN, 3.4e38, -3.4e38};
    real x[N] = {0};
    assert_int_equal(at_logits_check(N, x, &err), ATTEND_OK);
    for (int at = 0; at < N; at++)
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            x[at] = (real)wrong[i];
            assert_int_equal(at_logits_check(N, x, &err), ATTEND_NUMBER);
            x[at] = (real)(at % 2 ? 1e8 : -1e8);
            assert_int_equal(at_logits_check(N, x, &err), ATTEND_OK);
        }
}

static void log_probabilities_may_be_those_of_the_impossible(void **state)
{
    (void)state;
    attend_error err;
    real x[N];
    for (int i = 0; i < N; i++)
        x[i] = (real)-INFINITY;
    assert_int_equal(at_log_p_check(N, x, &err), ATTEND_NUMBER);
    x[5] = 0;
    assert_int_equal(at_log_p_check(N, x, &err), ATTEND_OK);
    x[5] = x[6] = (real)log(0.5);
    assert_int_equal(at_log_p_check(N, x, &err), ATTEND_OK);
    x[5] = x[6] = 0;
    assert_int_equal(at_log_p_check(N, x, &err), ATTEND_NUMBER);
    x[6] = (real)NAN;
    assert_int_equal(at_log_p_check(N, x, &err), ATTEND_NUMBER);
    x[6] = (real)INFINITY;
    assert_int_equal(at_log_p_check(N, x, &err), ATTEND_NUMBER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_logits_that_overflow_wherever_they_are),
        cmocka_unit_test(log_probabilities_may_be_those_of_the_impossible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
