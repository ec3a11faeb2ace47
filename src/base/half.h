/* Two-byte floats: IEEE half (F16) and brain float (BF16), as bit patterns.
 *
 *     F16   s eeeee ffffffffff      BF16   s eeeeeeee fffffff
 *
 * Widening is exact and keeps the payload of a NaN; narrowing rounds to the nearest, ties to
 * even, once, also from double. Done on the bits, so that a thread that flushes denormal numbers
 * reads and writes the same files as one that does not. */
#ifndef ATTEND_BASE_HALF_H
#define ATTEND_BASE_HALF_H

#include <stdint.h>
#include <string.h>

uint16_t at_half_from_float(float x);
uint16_t at_half_from_double(double x);
uint16_t at_bfloat_from_float(float x);
uint16_t at_bfloat_from_double(double x);

static inline float at_bfloat_to_float(uint16_t bfloat)
{
    uint32_t bits = (uint32_t)bfloat << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float at_half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, magnitude = half & 0x7fff, bits;
    float x = (float)magnitude * 0x1p-24f; /* right for zero and denormals */
    memcpy(&bits, &x, sizeof bits);
    if (magnitude >= 0x400)
        bits = (magnitude + ((127 - 15) << 10)) << 13;
    if (magnitude >= 0x7c00) /* infinity or NaN */
        bits = 0x7f800000 | (magnitude & 0x3ff) << 13;
    bits |= sign;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
