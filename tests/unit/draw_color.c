#include "draw/color.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static double linear(double c) { return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4); }

typedef struct {
    double L, a, b;
} lab;

/* sRGB to Oklab, as Ottosson gives it */
static lab to_lab(at_color c)
{
    double r = linear(c.r), g = linear(c.g), b = linear(c.b);
    double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    double m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    double s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return (lab){0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
                 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
                 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

static double distance(lab x, lab y)
{
    return sqrt(pow(x.L - y.L, 2) + pow(x.a - y.a, 2) + pow(x.b - y.b, 2));
}

static void equal_steps_of_a_weight_look_equally_large(void **state)
{
    (void)state;
    double least = INFINITY, most = 0;
    for (int i = 0; i < 16; i++) {
        lab from = to_lab(at_color_weight(i / 16.0)), to = to_lab(at_color_weight((i + 1) / 16.0));
        least = fmin(least, distance(from, to));
        most = fmax(most, distance(from, to));
        assert_true(to.L < from.L - 0.02);
    }
    assert_true(most < 1.15 * least); /* 256 shades make steps of 16 uneven by a sixteenth */
}

static void weights_start_white_and_end_dark(void **state)
{
    (void)state;
    assert_true(to_lab(at_color_weight(0)).L > 0.98);
    assert_true(to_lab(at_color_weight(1)).L < 0.35);
    at_color low = at_color_weight(-3), zero = at_color_weight(0), high = at_color_weight(7);
    at_color one = at_color_weight(1), grey = at_color_weight(NAN);
    assert_true(low.r == zero.r && high.r == one.r && high.b == one.b);
    assert_true(grey.r == grey.g && grey.g == grey.b);
}

static void numbers_are_legible_on_every_weight(void **state)
{
    (void)state;
    for (int i = 0; i <= 100; i++) {
        double below = to_lab(at_color_weight(i / 100.0)).L;
        double above = to_lab(at_color_on_weight(i / 100.0)).L;
        assert_true(fabs(above - below) > 0.35);
    }
}

static void lines_differ_from_each_other(void **state)
{
    (void)state;
    for (int i = -2; i <= ATTEND_COLOR_LINES; i++)
        for (int j = -2; j < i; j++)
            if (i && j)
                assert_true(distance(to_lab(at_color_line(i)), to_lab(at_color_line(j))) > 0.1);
    at_color first = at_color_line(1), again = at_color_line(ATTEND_COLOR_LINES + 1);
    assert_true(first.r == again.r && first.g == again.g);
}

static void terminals_get_their_nearest_colour(void **state)
{
    (void)state;
    assert_int_equal(at_color_terminal((at_color){0, 0, 0}), 16);
    assert_int_equal(at_color_terminal((at_color){1, 1, 1}), 231);
    assert_int_equal(at_color_terminal((at_color){1, 0, 0}), 196);
    assert_int_equal(at_color_terminal((at_color){0.36, 0.02, 0.97}), 16 + 36 + 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_steps_of_a_weight_look_equally_large),
        cmocka_unit_test(weights_start_white_and_end_dark),
        cmocka_unit_test(numbers_are_legible_on_every_weight),
        cmocka_unit_test(lines_differ_from_each_other),
        cmocka_unit_test(terminals_get_their_nearest_colour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
