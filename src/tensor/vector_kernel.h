/* Loops over vectors and rows, one instance per instruction set (vector_kernel.c is compiled once
 * for each; vector.c chooses). Each works on the calling thread; n may be 0. Arrays either are
 * the same or do not overlap.
 *
 * `beta` follows the tape's convention: 0 writes, 1 adds to what is there. */
#ifndef ATTEND_TENSOR_VECTOR_KERNEL_H
#define ATTEND_TENSOR_VECTOR_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "base/real.h"

/* which elements of a sentence dropout zeroes, and how it scales the others */
typedef struct {
    at_random random;   /* element i draws at_random_u32(random, i) */
    uint32_t threshold; /* a word below it drops */
    real scale;
} at_dropping;

typedef enum {
    ATTEND_ACT_EXP,
    ATTEND_ACT_TANH,
    ATTEND_ACT_SIGMOID,
    ATTEND_ACT_RELU,
    ATTEND_ACT_GELU,
    ATTEND_ACT_GELU_TANH,
    ATTEND_ACT_QUICK_GELU,
    ATTEND_ACT_SILU,
    ATTEND_ACT_MISH,
    ATTEND_ACT_GELU_10,
    ATTEND_ACT_COUNT
} at_act;

typedef struct at_vector_kernel {
    const char *isa;

    void (*exp)(size_t n, const real *x, real *y);
    real (*sum)(size_t n, const real *x);
    real (*dot)(size_t n, const real *x, const real *y);
    real (*max)(size_t n, const real *x); /* -infinity for n = 0 */

    void (*add)(size_t n, const real *a, const real *b, real *y);      /* y = a + b */
    void (*multiply)(size_t n, const real *a, const real *b, real *y); /* y = a b */
    void (*axpy)(size_t n, real a, const real *x, real beta, real *y); /* y = a x + beta y */
    void (*multiply_add)(size_t n, const real *a, const real *b, real beta, real *y);

    /* y = f(x); dx = dy f'(x) + beta dx. For exp, tanh, sigmoid and relu the slope is taken from y
     * (pass y as x), for the others from x. */
    void (*act[ATTEND_ACT_COUNT])(size_t n, const real *x, real *y);
    void (*act_back[ATTEND_ACT_COUNT])(size_t n, const real *x_or_y, const real *dy, real beta,
                                       real *dx);

    /* y = e^(x - max) and returns the sum of y */
    real (*exp_sum)(size_t n, const real *x, real max, real *y);

    /* sum of e^(x - max), and y = scale e^(x - max) + shift: cross-entropy and its gradient */
    real (*sum_exp)(size_t n, const real *x, real max);
    void (*exp_scale)(size_t n, const real *x, real max, real scale, real shift, real *y);
    void (*scale_shift)(size_t n, real scale, real shift, real *y); /* y = scale y + shift */

    /* in double, e = e^(scale (x - max)): the sum of e, and y = factor e; y may be x */
    double (*wide_sum_exp)(size_t n, const real *x, double max, double scale);
    void (*wide_exp)(size_t n, const real *x, double max, double scale, double factor, real *y);

    /* one row of softmax's backward: dx = y (dy - sum y dy) + beta dx */
    void (*softmax_back)(size_t n, const real *y, const real *dy, real beta, real *dx);

    /* additive attention: sum v tanh(q + k); and for a gradient de of it, dq += de v (1 - y^2),
     * dk likewise, dv += de y, with y = tanh(q + k) */
    real (*tanh_dot)(size_t n, const real *q, const real *k, const real *v);
    void (*tanh_dot_back)(size_t n, const real *q, const real *k, const real *v, real de, real *dq,
                          real *dk, real *dv);

    /* one row: y = (x - mean) * rstd * w + b, keeps mean and 1/sqrt(var + eps) */
    void (*layer_norm)(size_t n, const real *x, const real *w, const real *b, real eps, real *y,
                       real *mean, real *rstd);
    /* dx (with beta), dw += , db += ; any of the three may be NULL */
    void (*layer_norm_back)(size_t n, const real *x, const real *w, real mean, real rstd,
                            const real *dy, real beta, real *dx, real *dw, real *db);

    /* y = m x + beta y, m = scale or 0 by the words first .. first + n - 1 of d->random */
    void (*dropout)(const at_dropping *d, size_t first, size_t n, const real *x, real beta,
                    real *y);

    /* One step of one sentence of a recurrent layer.
     * GRU (Cho et al. 2014, PyTorch's form): gx, gh [3H] hold W_i x + b_i and W_h h + b_h;
     *   r = s(gx_r + gh_r), z = s(gx_z + gh_z), n = tanh(gx_n + r gh_n), h' = (1 - z) n + z h.
     * gates [3H] (may be gx) receives r, z, n; hn [H] receives gh_n. */
    void (*gru)(size_t H, const real *gx, const real *gh, const real *h, real *gates, real *hn,
                real *h_new);
    /* from dh' (of h'): dgx [3H] and dgh [3H] of gx and gh, and dh = dh' z */
    void (*gru_back)(size_t H, const real *gates, const real *hn, const real *h, const real *dh_new,
                     real *dgx, real *dgh, real *dh);

    /* LSTM: g [4H] holds the sum of both products and biases; i, f, o = s(.), g = tanh(.),
     * c' = f c + i g, h' = o tanh(c'). gates [4H] (may be g) receives i, f, g, o. */
    void (*lstm)(size_t H, const real *g, const real *c, real *gates, real *c_new, real *h_new);
    /* dc [H]: in, of c' from later; out, of c. dg [4H] of g. */
    void (*lstm_back)(size_t H, const real *gates, const real *c, const real *c_new,
                      const real *dh_new, real *dc, real *dg);
} at_vector_kernel;

extern const at_vector_kernel at_vector_kernel_base;
extern const at_vector_kernel at_vector_kernel_avx2;
extern const at_vector_kernel at_vector_kernel_avx512;

#endif
