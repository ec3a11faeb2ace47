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

float at_half_to_float(uint16_t half);
uint16_t at_half_from_float(float x);
uint16_t at_half_from_double(double x);

float at_bfloat_to_float(uint16_t bfloat);
uint16_t at_bfloat_from_float(float x);
uint16_t at_bfloat_from_double(double x);

#endif
