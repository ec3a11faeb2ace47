#include "base/half.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/threads.h"

/* one of the two formats; values by the definition, in double, where all of them are exact */
typedef struct {
    int exponent_bits, fraction_bits;
    float (*to_float)(uint16_t);
    uint16_t (*from_float)(float);
    uint16_t (*from_double)(double);
} format;

static const format formats[] = {
    {5, 10, at_half_to_float, at_half_from_float, at_half_from_double},
    {8, 7, at_bfloat_to_float, at_bfloat_from_float, at_bfloat_from_double},
};

#define EACH_FORMAT(f) \
    for (const format *f = formats; f < formats + sizeof formats / sizeof *formats; f++)

static uint32_t infinity_of(const format *f)
{
    return ((1u << f->exponent_bits) - 1) << f->fraction_bits;
}

static double value_of(const format *f, uint32_t pattern)
{
    int bias = (1 << (f->exponent_bits - 1)) - 1;
    int exponent = (int)(pattern >> f->fraction_bits & ((1u << f->exponent_bits) - 1));
    int fraction = (int)(pattern & ((1u << f->fraction_bits) - 1));
    double sign = pattern & 0x8000 ? -1 : 1;
    if (exponent == 0)
        return sign * ldexp(fraction, 1 - bias - f->fraction_bits);
    return sign * ldexp(fraction + (1 << f->fraction_bits), exponent - bias - f->fraction_bits);
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void widens_every_finite_pattern_exactly(void **state)
{
    (void)state;
    EACH_FORMAT(f)
    for (uint32_t p = 0; p < 65536; p++)
        if ((p & 0x7fff) < infinity_of(f)) {
            float x = f->to_float((uint16_t)p);
            assert_true((double)x == value_of(f, p));
            assert_int_equal(!!signbit(x), p >> 15);
        }
}

static void widens_infinities_and_keeps_nan_payloads(void **state)
{
    (void)state;
    EACH_FORMAT(f)
    for (uint32_t p = 0; p < 65536; p++)
        if ((p & 0x7fff) >= infinity_of(f)) {
            uint32_t fraction = p & ((1u << f->fraction_bits) - 1);
            uint32_t expected = (p & 0x8000) << 16 | 0x7f800000u
                                | fraction << (23 - f->fraction_bits);
            assert_int_equal(bits_of(f->to_float((uint16_t)p)), expected);
        }
}

static void narrowing_undoes_widening_for_every_pattern(void **state)
{
    (void)state;
    EACH_FORMAT(f)
    for (uint32_t p = 0; p < 65536; p++)
        assert_int_equal(f->from_float(f->to_float((uint16_t)p)), p);
}

static void check_both_signs(const format *f, double x, uint32_t expected)
{
    assert_int_equal(f->from_double(x), expected);
    assert_int_equal(f->from_double(-x), expected | 0x8000);
    if ((double)(float)x == x) {
        assert_int_equal(f->from_float((float)x), expected);
        assert_int_equal(f->from_float((float)-x), expected | 0x8000);
    }
}

/* Every place where rounding changes its mind: the middle between two neighbours, and the floats
 * and doubles next to it. Above the largest finite number the next one would be 2^(emax+1). */
static void rounds_to_nearest_even_at_every_boundary(void **state)
{
    (void)state;
    EACH_FORMAT(f)
    for (uint32_t p = 0; p < infinity_of(f); p++) {
        double low = value_of(f, p), high = value_of(f, p + 1), middle = (low + high) / 2;
        uint32_t even = p & 1 ? p + 1 : p;
        check_both_signs(f, low, p);
        check_both_signs(f, middle, even);
        check_both_signs(f, nextafter(middle, 0), p);
        check_both_signs(f, nextafter(middle, INFINITY), p + 1);
        check_both_signs(f, (double)nextafterf((float)middle, 0), p);
        check_both_signs(f, (double)nextafterf((float)middle, INFINITY), p + 1);
    }
}

static void overflows_to_infinity_and_underflows_to_zero(void **state)
{
    (void)state;
    EACH_FORMAT(f)
    {
        check_both_signs(f, INFINITY, infinity_of(f));
        check_both_signs(f, 3e38 * 10, infinity_of(f));
        check_both_signs(f, 1.7e308, infinity_of(f));
        check_both_signs(f, 1e-300, 0);
        check_both_signs(f, 0x1p-149 / 4, 0);
    }
    assert_int_equal(at_half_from_float(65519.996f), 0x7bff);
    assert_int_equal(at_half_from_float(65520), 0x7c00);
    assert_int_equal(at_half_from_float(3e38f), 0x7c00);
    assert_int_equal(at_bfloat_from_float(0x1p-133f), 1);
}

static void nan_stays_nan_when_its_payload_is_cut(void **state)
{
    (void)state;
    const uint32_t patterns[] = {0x7f800001, 0xff800001, 0x7fc00000, 0x7fffffff, 0xff80ffff};
    for (int i = 0; i < 5; i++) {
        float nan;
        memcpy(&nan, &patterns[i], sizeof nan);
        EACH_FORMAT(f)
        {
            uint32_t p = f->from_float(nan);
            assert_true((p & 0x7fff) > infinity_of(f));
            assert_int_equal(p >> 15, patterns[i] >> 31);
        }
    }
    EACH_FORMAT(f)
    assert_true((f->from_double(NAN) & 0x7fff) > infinity_of(f));
}

static void a_double_is_rounded_once(void **state)
{
    (void)state;
    double x = 1 + 0x1p-11 + 0x1p-40; /* above the tie, but its nearest float is the tie */
    assert_int_equal(at_half_from_double(x), 0x3c01);
    assert_int_equal(at_half_from_float((float)x), 0x3c00);
    x = 1 + 0x1p-8 + 0x1p-40;
    assert_int_equal(at_bfloat_from_double(x), 0x3f81);
    assert_int_equal(at_bfloat_from_float((float)x), 0x3f80);
}

static void flushing_denormals_changes_nothing(void **state)
{
    (void)state;
    unsigned token = at_floats_flush();
    bool same = true;
    EACH_FORMAT(f)
    for (uint32_t p = 0; p < 65536; p++)
        same &= f->from_float(f->to_float((uint16_t)p)) == p;
    at_floats_restore(token);
    assert_true(same);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widens_every_finite_pattern_exactly),
        cmocka_unit_test(widens_infinities_and_keeps_nan_payloads),
        cmocka_unit_test(narrowing_undoes_widening_for_every_pattern),
        cmocka_unit_test(rounds_to_nearest_even_at_every_boundary),
        cmocka_unit_test(overflows_to_infinity_and_underflows_to_zero),
        cmocka_unit_test(nan_stays_nan_when_its_payload_is_cut),
        cmocka_unit_test(a_double_is_rounded_once),
        cmocka_unit_test(flushing_denormals_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
