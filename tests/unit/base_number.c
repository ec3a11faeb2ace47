#include "base/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <locale.h>
#include <stdlib.h>

static bool real(const char *text, double *value)
{
    return at_number_real(text, strlen(text), value);
}

static void reads_decimal_numbers(void **state)
{
    (void)state;
    double x;
    assert_true(real("0", &x) && x == 0);
    assert_true(real("-1.5e3", &x) && x == -1500);
    assert_true(real("+.5", &x) && x == 0.5);
    assert_true(real("3.", &x) && x == 3);
    assert_true(real("0.1", &x) && x == 0.1);
    assert_true(real("1e-400", &x) && x == 0); /* too small is zero */
    assert_true(at_number_real("12,5", 2, &x) && x == 12);
}

static void rejects_what_is_not_a_finite_decimal_number(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",      " 1", "1 ", "1,5", "0x10", "inf", "nan", "1e400",
                                        "1.2.3", "e5", "-",  ".",   "1e",   "--1", "1_0", "\t1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        double x = 7;
        assert_false(real(wrong[i], &x));
        assert_true(x == 7);
    }
    double x;
    assert_false(at_number_real("1\0"
                                "2",
                                3, &x));
    char digits[1000];
    memset(digits, '1', sizeof digits);
    assert_false(at_number_real(digits, sizeof digits, &x));
}

static void reads_whole_numbers_that_fit(void **state)
{
    (void)state;
    long long n;
    assert_true(at_number_whole("-12", 3, &n) && n == -12);
    assert_true(at_number_whole("9223372036854775807", 19, &n) && n == 0x7FFFFFFFFFFFFFFF);
    static const char *const wrong[] = {"", "9223372036854775808", " 1", "1 ", "1.0", "0x1", "-",
                                        "a"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(at_number_whole(wrong[i], strlen(wrong[i]), &n));
}

static void check_size(const char *text, size_t expected)
{
    size_t size = 7;
    assert_true(at_number_size(text, strlen(text), &size));
    assert_true(size == expected);
}

static void reads_sizes_with_units(void **state)
{
    (void)state;
    check_size("0", 0);
    check_size("4096", 4096);
    check_size("64k", 65536);
    check_size("64K", 65536);
    check_size("2M", 2u << 20);
    check_size("1.5G", 1610612736u);
    check_size("8GiB", (size_t)8 << 30);
    check_size("1TB", (size_t)1 << 40);
    check_size("9007199254740993", 9007199254740993u);
    static const char *const wrong[] = {"",    "k",    "-1",  "1.5",       "1x",
                                        "1kk", "1kiX", "1e3", "99999999T", "9223372036854775808",
                                        "1 k", "."};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        size_t size;
        assert_false(at_number_size(wrong[i], strlen(wrong[i]), &size));
    }
}

static void check_print(double value, const char *expected)
{
    char text[32];
    assert_string_equal(at_number_print(text, value), expected);
}

static void prints_the_fewest_digits_that_read_back(void **state)
{
    (void)state;
    check_print(0, "0");
    check_print(1e6, "1000000");
    check_print(-3, "-3");
    check_print(0.1, "0.1");
    check_print(1e-5, "1e-05");
    check_print(1.0 / 3, "0.3333333333333333");
    check_print(1e300, "1e+300");
    check_print(-1.7976931348623157e308, "-1.7976931348623157e+308");
}

static void reads_and_prints_a_point_in_every_locale(void **state)
{
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
        skip(); /* no locale with a comma on this machine */
    double x;
    assert_true(strtod("1,5", NULL) == 1.5);
    assert_true(real("1.5", &x) && x == 1.5);
    assert_false(real("1,5", &x));
    check_print(1.5, "1.5");
    assert_true(strtod("1,5", NULL) == 1.5);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_decimal_numbers),
        cmocka_unit_test(rejects_what_is_not_a_finite_decimal_number),
        cmocka_unit_test(reads_whole_numbers_that_fit),
        cmocka_unit_test(reads_sizes_with_units),
        cmocka_unit_test(prints_the_fewest_digits_that_read_back),
        cmocka_unit_test(reads_and_prints_a_point_in_every_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
