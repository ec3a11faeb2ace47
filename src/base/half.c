#include "base/half.h"

#include <string.h>

enum { FLOAT_INFINITY = 0x7f800000, HALF_INFINITY = 0x7c00 };

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* bits >> shift, to the nearest, ties to even; shift in 1..31 */
static uint32_t shift_rounded(uint32_t bits, int shift)
{
    uint32_t half = UINT32_C(1) << (shift - 1);
    return (bits + half - 1 + (bits >> shift & 1)) >> shift;
}

uint16_t at_half_from_float(float x)
{
    uint32_t bits = bits_of(x), magnitude = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
    if (magnitude > FLOAT_INFINITY) { /* NaN stays one, even when its payload is cut off */
        uint32_t payload = magnitude >> 13 & 0x3ff;
        return (uint16_t)(sign | HALF_INFINITY | (payload ? payload : 0x200));
    }
    if (magnitude >= 0x47800000) /* 2^16 and above */
        return (uint16_t)(sign | HALF_INFINITY);
    if (magnitude >= 0x38800000) /* 2^-14: normal; a carry out of the fraction is right, too */
        return (uint16_t)(sign | shift_rounded(magnitude - ((127 - 15) << 23), 13));
    if (magnitude < 0x33000000) /* below 2^-25, half of the smallest */
        return (uint16_t)sign;
    uint32_t fraction = (magnitude & 0x7fffff) | 0x800000;
    return (uint16_t)(sign | shift_rounded(fraction, 126 - (int)(magnitude >> 23)));
}

uint16_t at_bfloat_from_float(float x)
{
    uint32_t bits = bits_of(x), magnitude = bits & 0x7fffffff;
    if (magnitude > FLOAT_INFINITY)
        return (uint16_t)(bits >> 16 | (bits & 0x7f0000 ? 0 : 0x40));
    return (uint16_t)shift_rounded(bits, 16);
}

/* The nearest float would be rounded a second time, and ties would go wrong. Rounded to odd
 * (toward zero, with the last bit set where something was cut off), it stays on its side of every
 * tie of the shorter formats: Boldo and Melquiond 2008. */
static float float_to_odd(double x)
{
    float near = (float)x;
    if ((double)near == x || x != x)
        return near;
    uint32_t bits = bits_of(near);
    double size = x < 0 ? -x : x, near_size = near < 0 ? -(double)near : (double)near;
    return float_of((near_size > size ? bits - 1 : bits) | 1);
}

uint16_t at_half_from_double(double x) { return at_half_from_float(float_to_odd(x)); }
uint16_t at_bfloat_from_double(double x) { return at_bfloat_from_float(float_to_odd(x)); }
