#include "draw/axis.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *labels_of(double low, double high, bool log, int most)
{
    static char text[400];
    at_axis a = {.low = low, .high = high, .log = log};
    at_axis_mark(&a, most);
    *text = 0;
    for (int i = 0; i < a.count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", i ? " " : "", a.label[i]);
    }
    return text;
}

static void ticks_are_round_numbers(void **state)
{
    (void)state;
    assert_string_equal(labels_of(0, 1, false, 5), "0.0 0.2 0.4 0.6 0.8 1.0");
    assert_string_equal(labels_of(-0.1, 5.2, false, 6), "0 1 2 3 4 5");
    assert_string_equal(labels_of(-130, 80, false, 5), "−100 −50 0 50");
    assert_string_equal(labels_of(0, 0.013, false, 3), "0.000 0.005 0.010");
    assert_string_equal(labels_of(0, 3e7, false, 3), "0 1·10⁷ 2·10⁷ 3·10⁷");
    assert_string_equal(labels_of(0, 2e-9, false, 2), "0 1·10⁻⁹ 2·10⁻⁹");
}

static void logarithmic_ticks_are_powers_of_ten(void **state)
{
    (void)state;
    assert_string_equal(labels_of(0.01, 10, true, 5), "0.01 0.1 1 10");
    assert_string_equal(labels_of(0.09, 12, true, 9), "0.1 0.2 0.5 1 2 5 10");
    assert_string_equal(labels_of(480, 3600, true, 6), "500 1000 2000");
    assert_string_equal(labels_of(1e-6, 1e6, true, 4), "10⁻⁶ 0.001 1 1000 10⁶");
}

static void there_are_never_more_ticks_than_places(void **state)
{
    (void)state;
    for (int most = -1; most < 100; most += 7)
        for (double low = -1e9; low < 1e9; low = low < 0 ? low / 9 + 1e-7 : low * 7) {
            at_axis a = {.low = low, .high = low + 1.7 * fabs(low) + 1e-7};
            at_axis_mark(&a, most);
            assert_in_range(a.count, 1, ATTEND_AXIS_TICKS);
            for (int i = 0; i < a.count; i++) {
                double place = at_axis_position(&a, a.tick[i]);
                assert_true(place > -1e-6 && place < 1 + 1e-6);
            }
        }
}

static void a_range_takes_what_can_be_shown(void **state)
{
    (void)state;
    at_axis a = at_axis_empty, b = at_axis_empty;
    b.log = true;
    for (int i = -2; i < 5; i++) {
        at_axis_take(&a, i);
        at_axis_take(&b, i);
    }
    at_axis_take(&a, NAN);
    at_axis_take(&a, INFINITY);
    assert_true(a.low == -2 && a.high == 4 && b.low == 1 && b.high == 4);
    at_axis_widen(&a, 0.5);
    at_axis_widen(&b, 0.5);
    assert_true(a.low == -5 && a.high == 7 && fabs(b.low - 0.5) < 1e-12
                && fabs(b.high - 8) < 1e-12);
}

static void a_range_without_length_gets_some(void **state)
{
    (void)state;
    static const double at[] = {0, 5, -3e12, 1e-30};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        at_axis a = at_axis_empty;
        at_axis_take(&a, at[i]);
        at_axis_widen(&a, 0.1);
        assert_true(a.low < at[i] && at[i] < a.high);
    }
    at_axis nothing = at_axis_empty;
    at_axis_widen(&nothing, 0.1);
    assert_true(nothing.low < nothing.high);
}

static void places_run_from_0_to_1(void **state)
{
    (void)state;
    at_axis a = {.low = 2, .high = 6}, b = {.low = 1, .high = 100, .log = true};
    assert_true(at_axis_position(&a, 2) == 0 && at_axis_position(&a, 6) == 1
                && at_axis_position(&a, 3) == 0.25);
    assert_true(fabs(at_axis_position(&b, 10) - 0.5) < 1e-12);
    assert_false(isfinite(at_axis_position(&b, 0)));
    assert_false(isfinite(at_axis_position(&b, -1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_round_numbers),
        cmocka_unit_test(logarithmic_ticks_are_powers_of_ten),
        cmocka_unit_test(there_are_never_more_ticks_than_places),
        cmocka_unit_test(a_range_takes_what_can_be_shown),
        cmocka_unit_test(a_range_without_length_gets_some),
        cmocka_unit_test(places_run_from_0_to_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
