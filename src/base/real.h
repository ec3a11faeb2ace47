/* The scalar type of every tensor: float in the product, double in the
 * gradient-check build (ATTEND_REAL_DOUBLE), where a wrong derivative cannot
 * hide behind rounding. */
#ifndef ATTEND_BASE_REAL_H
#define ATTEND_BASE_REAL_H

#include <float.h>
#include <math.h>

#ifdef ATTEND_REAL_DOUBLE
typedef double real;
#define REAL_MAX DBL_MAX
#define REAL_EPSILON DBL_EPSILON
static inline real real_exp(real x) { return exp(x); }
static inline real real_log(real x) { return log(x); }
static inline real real_sqrt(real x) { return sqrt(x); }
static inline real real_tanh(real x) { return tanh(x); }
static inline real real_abs(real x) { return fabs(x); }
static inline real real_fma(real x, real y, real z) { return fma(x, y, z); }
#else
typedef float real;
#define REAL_MAX FLT_MAX
#define REAL_EPSILON FLT_EPSILON
static inline real real_exp(real x) { return expf(x); }
static inline real real_log(real x) { return logf(x); }
static inline real real_sqrt(real x) { return sqrtf(x); }
static inline real real_tanh(real x) { return tanhf(x); }
static inline real real_abs(real x) { return fabsf(x); }
static inline real real_fma(real x, real y, real z) { return fmaf(x, y, z); }
#endif

static inline real real_max(real a, real b) { return a > b ? a : b; }
static inline real real_min(real a, real b) { return a < b ? a : b; }

#endif
