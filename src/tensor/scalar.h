/* Elementary functions of one number, written without branches or calls so that a loop over them
 * becomes vector code on every instruction set, with the same operations on each.
 *
 * Why not libm or its vector twins: the scalar ones do not vectorise, glibc's vector ones exist
 * for x86-64 only, and a library call per vector cannot be fused into the loops of a kernel.
 * Errors are held to a few units in the last place by tests/unit/tensor_vector.c. In the double
 * build these are libm's. */
#ifndef ATTEND_TENSOR_SCALAR_H
#define ATTEND_TENSOR_SCALAR_H

#include <stdint.h>

#include "base/real.h"

#define INLINE static inline __attribute__((always_inline))

/* e^x in double to about a unit in the last place, and e^0 = 1; 0 below -708. As exp_reduced below,
 * with Taylor's polynomial of degree 13. */
INLINE double wide_exp(double x)
{
    union {
        double d;
        int64_t i;
    } shifted, power, half = {.d = 0x1.8p52};
    double held = x < -708 ? -708 : x > 709 ? 709 : x;
    shifted.d = held * 1.44269504088896338700 + half.d;
    double whole = shifted.d - half.d;
    double r = held - whole * 6.93147180369123816490e-01;
    r = r - whole * 1.90821492927058770002e-10;
    double p = 1.0 / 6227020800;
    p = p * r + 1.0 / 479001600;
    p = p * r + 1.0 / 39916800;
    p = p * r + 1.0 / 3628800;
    p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    p = p * (r * r) + r + 1.0;
    power.i = (int64_t)((uint64_t)(shifted.i - half.i + 1023) << 52);
    return x < -708 ? 0 : p * power.d;
}

#ifdef ATTEND_REAL_DOUBLE

INLINE real fast_exp(real x) { return exp(x); }
INLINE real fast_tanh(real x) { return tanh(x); }
INLINE real fast_erf(real x) { return erf(x); }

#else

INLINE float float_of_bits(int32_t bits)
{
    union {
        int32_t i;
        float f;
    } u = {.i = bits};
    return u.f;
}

INLINE int32_t bits_of_float(float f)
{
    union {
        float f;
        int32_t i;
    } u = {.f = f};
    return u.i;
}

/* 2^n for -126 <= n <= 127; something for any other, as NaN asks for */
INLINE float power_of_two(int32_t n) { return float_of_bits((int32_t)((uint32_t)(n + 127) << 23)); }

/* e^x = 2^n e^r with n = round(x / ln 2) and |r| <= ln 2 / 2; ln 2 in two parts (Cody and Waite).
 * Returns e^r; for |x| <= 89. */
INLINE float exp_reduced(float x, int32_t *n)
{
    float shifted = x * 1.44269504f + 12582912.0f; /* adding 1.5 * 2^23 rounds to an integer */
    float whole = shifted - 12582912.0f;
    float r = x - whole * 0.693359375f;
    r = r + whole * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    *n = bits_of_float(shifted) - bits_of_float(12582912.0f);
    return p * (r * r) + r + 1.0f;
}

/* Below -87.33 the result would be denormal: 0. Above 88.72: infinity. */
INLINE float fast_exp(float x)
{
    float held = x < -87.4f ? -87.4f : x;
    held = held > 89.0f ? 89.0f : held;
    int32_t n;
    float p = exp_reduced(held, &n);
    int32_t half = n >> 1; /* two factors, so that 2^128 does not overflow too early */
    float y = p * power_of_two(half) * power_of_two(n - half);
    return x < -87.33654f ? 0.0f : y;
}

/* odd polynomial near 0, where 1 - 2/(e^2x + 1) would cancel; 1 from 9.1 on */
INLINE float fast_tanh(float x)
{
    float a = x < 0 ? -x : x, z = x * x;
    float p = -5.70498872745e-3f;
    p = p * z + 2.06390887954e-2f;
    p = p * z - 5.37397155531e-2f;
    p = p * z + 1.33314422036e-1f;
    p = p * z - 3.33332819422e-1f;
    float near = p * z * x + x;
    int32_t n;
    float e = exp_reduced(2.0f * (a > 9.1f ? 9.1f : a), &n) * power_of_two(n);
    float far = 1.0f - 2.0f / (e + 1.0f);
    far = x < 0 ? -far : far;
    return a < 0.625f ? near : far;
}

/* x P(x^2) near 0; beyond, 1 - e^Q(|x|) with Q fitted to log erfc; 1 from 3.92 on */
INLINE float fast_erf(float x)
{
    float a = x < 0 ? -x : x, z = x * x;
    float p = 8.20979694e-05f;
    p = p * z - 8.10444180e-04f;
    p = p * z + 5.19764237e-03f;
    p = p * z - 2.68580317e-02f;
    p = p * z + 1.12836711e-01f;
    p = p * z - 3.76126319e-01f;
    p = p * z + 1.12837923e+00f;
    float b = a < 3.95f ? a : 3.95f;
    float q = -2.11849276e-08f;
    q = q * b + 2.08659594e-06f;
    q = q * b - 5.01489812e-05f;
    q = q * b + 6.17675192e-04f;
    q = q * b - 4.82496480e-03f;
    q = q * b + 2.65505016e-02f;
    q = q * b - 1.10240102e-01f;
    q = q * b - 6.31708741e-01f;
    q = q * b - 1.13027835e+00f;
    q = q * b + 3.26503447e-04f;
    float far = 1.0f - fast_exp(q);
    far = x < 0 ? -far : far;
    float y = a < 0.92f ? p * x : far;
    return x == x ? y : x;
}

#endif

INLINE real fast_sigmoid(real x) { return 1 / (1 + fast_exp(-x)); }

/* ---- activations and their derivatives -------------------------------------------------- */

INLINE real act_exp(real x) { return fast_exp(x); }
INLINE real act_tanh(real x) { return fast_tanh(x); }
INLINE real act_sigmoid(real x) { return fast_sigmoid(x); }
INLINE real act_relu(real x) { return x < 0 ? 0 : x; } /* not a number stays one */

/* of y = f(x), where that is simpler */
INLINE real slope_exp(real y) { return y; }
INLINE real slope_tanh(real y) { return 1 - y * y; }
INLINE real slope_sigmoid(real y) { return y * (1 - y); }
INLINE real slope_relu(real y) { return y > 0 ? 1 : 0; }

#define SQRT_HALF ((real)0.70710678118654752440)
#define GAUSS_SCALE ((real)0.39894228040143267794) /* 1 / sqrt(2 pi) */

INLINE real act_gelu(real x) { return x * (real)0.5 * (1 + fast_erf(x * SQRT_HALF)); }
INLINE real slope_gelu(real x)
{
    real density = GAUSS_SCALE * fast_exp((real)-0.5 * x * x);
    return (real)0.5 * (1 + fast_erf(x * SQRT_HALF)) + x * density;
}

#define GELU_SCALE ((real)0.79788456080286535588) /* sqrt(2 / pi) */
#define GELU_CUBE ((real)0.044715)

INLINE real act_gelu_tanh(real x)
{
    return (real)0.5 * x * (1 + fast_tanh(GELU_SCALE * (x + GELU_CUBE * x * x * x)));
}
INLINE real slope_gelu_tanh(real x)
{
    real y = fast_tanh(GELU_SCALE * (x + GELU_CUBE * x * x * x));
    real inner = GELU_SCALE * (1 + 3 * GELU_CUBE * x * x);
    return (real)0.5 * (1 + y) + (real)0.5 * x * (1 - y * y) * inner;
}

#define QUICK_SCALE ((real)1.702)

INLINE real act_quick_gelu(real x) { return x * fast_sigmoid(QUICK_SCALE * x); }
INLINE real slope_quick_gelu(real x)
{
    real s = fast_sigmoid(QUICK_SCALE * x);
    return s + QUICK_SCALE * x * s * (1 - s);
}

INLINE real act_silu(real x) { return x * fast_sigmoid(x); }
INLINE real slope_silu(real x)
{
    real s = fast_sigmoid(x);
    return s + x * s * (1 - s);
}

/* With e = e^x and n = e (e + 2), tanh(log(1 + e)) = n / (n + 2). It is 1 from 20 on. */
#define MISH_ONE ((real)20)

INLINE real act_mish(real x)
{
    real e = fast_exp(x > MISH_ONE ? MISH_ONE : x), n = e * (e + 2);
    return x * (n / (n + 2));
}
INLINE real slope_mish(real x)
{
    real e = fast_exp(x > MISH_ONE ? MISH_ONE : x), n = e * (e + 2), d = n + 2;
    real slope = n / d + x * (4 * e / d * ((1 + e) / d));
    return x > MISH_ONE ? 1 : slope;
}

/* The least value of gelu is -0.17: only the upper bound of [-10, 10] cuts. */
INLINE real act_gelu_10(real x)
{
    real y = act_gelu(x);
    return y > 10 ? 10 : y;
}
INLINE real slope_gelu_10(real x)
{
    real slope = slope_gelu(x);
    return act_gelu(x) > 10 ? 0 : slope;
}

#endif
