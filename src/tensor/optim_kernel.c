/* The loops of optim_kernel.h: plain C that the compiler turns into vectors.
 *
 * A loop with choices in it (AMSGrad or not, an L2 term or not) is written once, as an inline
 * function whose choices are constants in each call, so that no instance tests them per element
 * or touches memory it does not need. */
#include "tensor/optim_kernel.h"

#include <stdint.h>
#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define EACH for (size_t i = 0; i < n; i++)
#define INLINE static inline __attribute__((always_inline))

/* ---- sgd -------------------------------------------------------------------------------- */

static void sgd_plain(size_t n, real *restrict p, const real *restrict g, const at_sgd_step *s)
{
    real lr = s->lr, wd = s->weight_decay, scale = s->scale;
    EACH p[i] -= lr * (scale * g[i] + wd * p[i]);
}

INLINE void sgd_momentum(size_t n, real *restrict p, const real *restrict g, real *restrict buf,
                         const at_sgd_step *s, bool first, bool nesterov)
{
    at_sgd_step c = *s;
    EACH
    {
        real d = c.scale * g[i] + c.weight_decay * p[i];
        real b = first ? d : c.momentum * buf[i] + c.gain * d;
        buf[i] = b;
        p[i] -= c.lr * (nesterov ? d + c.momentum * b : b);
    }
}

static void sgd(size_t n, real *p, const real *g, real *buf, const at_sgd_step *s)
{
    if (!buf)
        sgd_plain(n, p, g, s);
    else if (s->nesterov && s->first)
        sgd_momentum(n, p, g, buf, s, true, true);
    else if (s->nesterov)
        sgd_momentum(n, p, g, buf, s, false, true);
    else if (s->first)
        sgd_momentum(n, p, g, buf, s, true, false);
    else
        sgd_momentum(n, p, g, buf, s, false, false);
}

/* ---- adam ------------------------------------------------------------------------------- */

INLINE void adam_pass(size_t n, real *restrict p, const real *restrict g, real *restrict m,
                      real *restrict v, real *restrict v_max, const at_adam_step *s, bool l2,
                      bool amsgrad, bool late)
{
    at_adam_step c = *s;
    EACH
    {
        real w = p[i] * c.shrink;
        real d = l2 ? c.scale * g[i] + c.weight_decay * w : c.scale * g[i];
        real mean = c.beta1 * m[i] + c.gain1 * d;
        real square = c.beta2 * v[i] + c.gain2 * d * d;
        real top = square;
        m[i] = mean;
        v[i] = square;
        if (amsgrad) {
            top = v_max[i] > square ? v_max[i] : square;
            v_max[i] = top;
        }
        w -= c.rate * mean / (real_sqrt(top) / c.root + c.eps);
        p[i] = late ? w + c.late * w : w;
    }
}

static void adam(size_t n, real *p, const real *g, real *m, real *v, real *v_max,
                 const at_adam_step *s)
{
    if (s->late != 0)
        adam_pass(n, p, g, m, v, v_max, s, false, false, true);
    else if (v_max && s->weight_decay != 0)
        adam_pass(n, p, g, m, v, v_max, s, true, true, false);
    else if (v_max)
        adam_pass(n, p, g, m, v, v_max, s, false, true, false);
    else if (s->weight_decay != 0)
        adam_pass(n, p, g, m, v, v_max, s, true, false, false);
    else
        adam_pass(n, p, g, m, v, v_max, s, false, false, false);
}

/* ---- adadelta, adagrad, rmsprop ---------------------------------------------------------- */

static void adadelta(size_t n, real *restrict p, const real *restrict g, real *restrict square,
                     real *restrict delta, const at_adadelta_step *s)
{
    at_adadelta_step c = *s;
    EACH
    {
        real d = c.scale * g[i] + c.weight_decay * p[i];
        real v = c.rho * square[i] + c.gain * d * d;
        real move = real_sqrt(delta[i] + c.eps) / real_sqrt(v + c.eps) * d;
        square[i] = v;
        delta[i] = c.rho * delta[i] + c.gain * move * move;
        p[i] -= c.lr * move;
    }
}

static void adagrad(size_t n, real *restrict p, const real *restrict g, real *restrict sum,
                    const at_adagrad_step *s)
{
    at_adagrad_step c = *s;
    EACH
    {
        real d = c.scale * g[i] + c.weight_decay * p[i];
        real v = sum[i] + d * d;
        sum[i] = v;
        p[i] -= c.rate * d / (real_sqrt(v) + c.eps);
    }
}

/* A variance is never negative, but its difference of two roundings can be: PyTorch gets a NaN
 * there, we take zero. */
INLINE void rmsprop_pass(size_t n, real *restrict p, const real *restrict g, real *restrict square,
                         real *restrict buf, real *restrict mean, const at_rmsprop_step *s,
                         bool momentum, bool centered)
{
    at_rmsprop_step c = *s;
    EACH
    {
        real d = c.scale * g[i] + c.weight_decay * p[i];
        real v = c.alpha * square[i] + c.gain * d * d;
        square[i] = v;
        if (centered) {
            real e = c.alpha * mean[i] + c.gain * d;
            mean[i] = e;
            v -= e * e;
            v = v > 0 ? v : 0;
        }
        real root = real_sqrt(v) + c.eps;
        if (momentum) {
            real b = c.momentum * buf[i] + d / root;
            buf[i] = b;
            p[i] -= c.lr * b;
        } else {
            p[i] -= c.lr * d / root;
        }
    }
}

static void rmsprop(size_t n, real *p, const real *g, real *square, real *buf, real *mean,
                    const at_rmsprop_step *s)
{
    if (buf && mean)
        rmsprop_pass(n, p, g, square, buf, mean, s, true, true);
    else if (buf)
        rmsprop_pass(n, p, g, square, buf, mean, s, true, false);
    else if (mean)
        rmsprop_pass(n, p, g, square, buf, mean, s, false, true);
    else
        rmsprop_pass(n, p, g, square, buf, mean, s, false, false);
}

/* ---- sums ------------------------------------------------------------------------------- */

/* Sixteen sums side by side, in as many vectors as the machine needs for them: the order of
 * summation, and in float the result, is the same on all machines. */
#if defined(__AVX512F__)
enum { SUMS = 16, LANES = 8 };
#elif defined(__AVX2__)
enum { SUMS = 16, LANES = 4 };
#else
enum { SUMS = 16, LANES = 2 };
#endif
enum { VECTORS = SUMS / LANES };
typedef real narrow __attribute__((vector_size(LANES * sizeof(real)), aligned(sizeof(real))));
typedef double wide __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t wide_bits __attribute__((vector_size(LANES * sizeof(int64_t))));

/* gcc 12 would make it of halves */
INLINE wide widen(const real *x)
{
#if defined(__AVX512F__) && !defined(ATTEND_REAL_DOUBLE)
    return (wide)_mm512_cvtps_pd(_mm256_loadu_ps(x));
#elif defined(__AVX2__) && !defined(ATTEND_REAL_DOUBLE)
    return (wide)_mm256_cvtps_pd(_mm_loadu_ps(x));
#else
    return __builtin_convertvector(*(const narrow *)x, wide);
#endif
}

/* of x^2, or of |x| */
INLINE double sum_each(size_t n, const real *x, bool squares)
{
    wide acc[VECTORS] = {{0}};
    double sum = 0;
    size_t i = 0;
    for (; i + SUMS <= n; i += SUMS)
#pragma GCC unroll 8
        for (int k = 0; k < VECTORS; k++) {
            wide u = widen(x + i + k * LANES);
            acc[k] += squares ? u * u : (wide)((wide_bits)u & INT64_MAX);
        }
#pragma GCC unroll 8
    for (int k = 0; k < VECTORS; k++)
        for (int j = 0; j < LANES; j++)
            sum += acc[k][j];
    for (; i < n; i++)
        sum += squares ? (double)x[i] * (double)x[i] : (double)real_abs(x[i]);
    return sum;
}

static double sum_squares(size_t n, const real *x) { return sum_each(n, x, true); }
static double sum_abs(size_t n, const real *x) { return sum_each(n, x, false); }

static double sum_powers(size_t n, const real *x, double power)
{
    double sum = 0;
    EACH sum += pow((double)real_abs(x[i]), power);
    return sum;
}

/* The bits of numbers without a sign are ordered as the numbers are, infinity and NaN above all:
 * the largest bits are the largest magnitude, or say that there is none. */
static double max_abs(size_t n, const real *x)
{
#ifdef ATTEND_REAL_DOUBLE
    typedef int64_t bits;
    const bits magnitude = INT64_MAX;
#else
    typedef int32_t bits;
    const bits magnitude = INT32_MAX;
#endif
    bits max = 0;
    EACH
    {
        bits b;
        memcpy(&b, x + i, sizeof b);
        b &= magnitude;
        max = b > max ? b : max;
    }
    real value;
    memcpy(&value, &max, sizeof value);
    return (double)value;
}

/* ---- table ------------------------------------------------------------------------------ */

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define STRING2(a) #a
#define STRING(a) STRING2(a)

const at_optim_kernel JOIN(at_optim_kernel_, ATTEND_ISA) = {
    .isa = STRING(ATTEND_ISA),
    .sgd = sgd,
    .adam = adam,
    .adadelta = adadelta,
    .adagrad = adagrad,
    .rmsprop = rmsprop,
    .sum_squares = sum_squares,
    .sum_abs = sum_abs,
    .sum_powers = sum_powers,
    .max_abs = max_abs,
};
