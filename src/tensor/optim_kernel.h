/* The inner loops of the optimisers and of gradient clipping, one instance per instruction set
 * (optim_kernel.c is compiled once for each).
 *
 * Each is one pass over the parameter p, its gradient g and its state: the work is bound by
 * memory, so nothing is read or written twice. Each works on the calling thread; n may be 0; no
 * two arrays overlap. What depends on the step alone (bias corrections, powers) is computed in
 * double by the caller and arrives rounded once. */
#ifndef ATTEND_TENSOR_OPTIM_KERNEL_H
#define ATTEND_TENSOR_OPTIM_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cpu.h"
#include "base/real.h"

/* What one step of each needs. The gradient is scale g (clipping, the mean over batches);
 * weight_decay is the L2 kind, which adds weight_decay p to it. */

typedef struct {
    real scale, lr, weight_decay, momentum;
    real gain;     /* 1 - dampening */
    bool first;    /* buf holds nothing yet: it becomes g */
    bool nesterov; /* step along g + momentum buf, not along buf */
} at_sgd_step;

typedef struct {
    real scale;
    real shrink;       /* p *= shrink first: decoupled weight decay, or 1 */
    real weight_decay; /* g += weight_decay p: the L2 kind, or 0 */
    real beta1, gain1; /* m = beta1 m + gain1 g */
    real beta2, gain2; /* v = beta2 v + gain2 g^2 */
    real root;         /* denominator: sqrt(v) / root + eps */
    real eps, rate;    /* p -= rate m / denominator */
    real late;         /* p += late p last: BERT's decoupled weight decay, or 0 */
} at_adam_step;

typedef struct {
    real scale, lr, weight_decay, rho, gain, eps; /* gain = 1 - rho */
} at_adadelta_step;

typedef struct {
    real scale, rate, weight_decay, eps; /* rate = lr / (1 + (step - 1) lr_decay) */
} at_adagrad_step;

typedef struct {
    real scale, lr, weight_decay, alpha, gain, eps, momentum; /* gain = 1 - alpha */
} at_rmsprop_step;

typedef struct at_optim_kernel {
    const char *isa;

    /* buf is NULL without momentum */
    void (*sgd)(size_t n, real *p, const real *g, real *buf, const at_sgd_step *s);
    /* v_max (AMSGrad) may be NULL */
    void (*adam)(size_t n, real *p, const real *g, real *m, real *v, real *v_max,
                 const at_adam_step *s);
    void (*adadelta)(size_t n, real *p, const real *g, real *square, real *delta,
                     const at_adadelta_step *s);
    void (*adagrad)(size_t n, real *p, const real *g, real *sum, const at_adagrad_step *s);
    /* buf (momentum) and mean (centered) may be NULL */
    void (*rmsprop)(size_t n, real *p, const real *g, real *square, real *buf, real *mean,
                    const at_rmsprop_step *s);

    /* sums for norms, in double and in an order that depends on n alone; NaN in, NaN out */
    double (*sum_squares)(size_t n, const real *x);
    double (*sum_abs)(size_t n, const real *x);
    double (*sum_powers)(size_t n, const real *x, double power); /* of |x| */
    double (*max_abs)(size_t n, const real *x);                  /* 0 for n = 0 */
} at_optim_kernel;

extern const at_optim_kernel at_optim_kernel_base;
extern const at_optim_kernel at_optim_kernel_avx2;
extern const at_optim_kernel at_optim_kernel_avx512;

/* the table for the instruction set in use */
static inline const at_optim_kernel *at_optim_kernels(void)
{
#if defined(__x86_64__)
    switch (at_cpu_isa()) {
    case ATTEND_ISA_AMX:
    case ATTEND_ISA_AVX512: return &at_optim_kernel_avx512;
    case ATTEND_ISA_AVX2: return &at_optim_kernel_avx2;
    default: break;
    }
#endif
    return &at_optim_kernel_base;
}

#endif
