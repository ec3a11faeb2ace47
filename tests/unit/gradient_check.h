/* The gradient check: analytic gradients against central differences, for anything that builds a
 * tensor from parameters: an op, a layer, an attention, a whole model.
 *
 * Meant for the double build, where a correct derivative agrees to about 1e-9 and a derivative
 * that is 1 % off fails by four orders of magnitude. */
#ifndef ATTEND_TESTS_GRADIENT_CHECK_H
#define ATTEND_TESTS_GRADIENT_CHECK_H

#include <stdio.h>
#include <string.h>

#include "grad/ops.h"
#include "grad/tape.h"

typedef struct {
    bool ok;
    double worst;                                   /* largest relative error found */
    char where[sizeof((attend_error *)0)->message]; /* the parameter and element, or the error
                                                       message */
} at_gradcheck;

static inline at_gradcheck gradcheck_failure(const char *message)
{
    at_gradcheck c = {.ok = false, .worst = INFINITY};
    snprintf(c.where, sizeof c.where, "%s", message);
    return c;
}

/* sum of build's result under fixed random weights, so that every element matters */
static inline at_tensor *gradcheck_weighted_loss(at_tape *t, at_build *build, const void *arg)
{
    at_tape_seed(t, 7, 1, 0);
    at_tensor *y = build(t, at_root(), arg);
    at_tensor *c = at_failed(t) ? y : at_new(t, y->shape);
    at_random key = {.seed = 99, .use = at_random_name("cotangent")};
    for (size_t i = 0; !at_failed(t) && i < c->len; i++)
        c->value[i] = (real)at_random_normal(key, (uint32_t)i);
    return at_sum(t, at_multiply(t, y, c));
}

/* loss at the parameters' present values */
static inline double gradcheck_loss_now(at_tape *t, at_build *build, const void *arg)
{
    at_tape_reset(t);
    at_tensor *loss = gradcheck_weighted_loss(t, build, arg);
    return at_failed(t) ? (double)NAN : (double)loss->value[0];
}

static inline double gradcheck_largest(const real *x, size_t n)
{
    double max = 0;
    for (size_t i = 0; x && i < n; i++)
        max = fmax(max, fabs((double)x[i]));
    return max;
}

/* two numbers that should be one, and where each comes from */
typedef struct {
    const char *here, *there;
} gradcheck_sides;

static inline void gradcheck_compare(at_gradcheck *c, gradcheck_sides who, const char *name,
                                     size_t i, double a, double b, double scale, double tolerance)
{
    /* differences of float losses say nothing about gradients much below 1 */
    double min = sizeof(real) == sizeof(double) ? 1e-3 : 1;
    double error = fabs(a - b) / fmax(scale, min);
    if (!(error <= c->worst)) {
        c->worst = error;
        snprintf(c->where, sizeof c->where, "%s[%zu]: %s %.9g, %s %.9g", name, i, who.here, a,
                 who.there, b);
    }
    if (!(error <= tolerance))
        c->ok = false;
}

/* analytic gradient of one parameter against differences of the loss */
static inline void gradcheck_parameter(at_gradcheck *c, at_tape *probe, at_build *build,
                                       const void *arg, at_parameter *p, const real *grad,
                                       double tolerance)
{
    static const gradcheck_sides who = {"analytic", "numeric"};
    double scale = gradcheck_largest(grad, p->len);
    real step = (real)cbrt((double)REAL_EPSILON); /* rounding and curvature in balance */
    for (size_t i = 0; i < p->len; i++) {
        real kept = p->value[i], h = step * real_max(1, real_abs(kept));
        p->value[i] = kept + h;
        double up = gradcheck_loss_now(probe, build, arg);
        p->value[i] = kept - h;
        double down = gradcheck_loss_now(probe, build, arg);
        p->value[i] = kept;
        gradcheck_compare(c, who, p->name, i, grad ? (double)grad[i] : 0,
                          (up - down) / (2 * (double)h), scale, tolerance);
    }
}

/* runs build forward and backward on a fresh tape of params; NULL and *c filled on failure */
static inline at_tape *gradcheck_run(at_params *params, at_build *build, const void *arg,
                                     at_watch *watch, void *user, double *loss, at_gradcheck *c)
{
    at_tape *t = params ? at_tape_new(params, ATTEND_TRAIN) : NULL;
    if (!t) {
        *c = gradcheck_failure("out of memory");
        return NULL;
    }
    at_tape_watch(t, watch, user);
    at_tensor *y = gradcheck_weighted_loss(t, build, arg);
    *loss = at_failed(t) ? 0 : (double)y->value[0];
    if (!at_backward(t, y)) {
        *c = gradcheck_failure(at_tape_error(t)->message);
        at_tape_free(t);
        return NULL;
    }
    return t;
}

/* The loss is a fixed random weighting of build's result. Every element of every parameter that
 * build uses is checked: |analytic - numeric| <= tolerance * (1 + largest gradient of that
 * parameter). watch (or NULL) is set on the tape that computes the analytic gradients. */
static inline at_gradcheck at_gradient_check(at_build *build, const void *arg, double tolerance,
                                             at_watch *watch, void *user)
{
    at_gradcheck c = {.ok = true};
    double loss;
    at_params *params = at_params_new(1);
    at_tape *t = gradcheck_run(params, build, arg, watch, user, &loss, &c);
    at_tape *probe = t ? at_tape_new(params, ATTEND_TRAIN) : NULL;
    for (int i = 0; probe && i < at_params_count(params); i++)
        gradcheck_parameter(&c, probe, build, arg, at_params_at(params, i), at_param_grad(t, i),
                            tolerance);
    at_tape_free(probe);
    at_tape_free(t);
    at_params_free(params);
    return c;
}

/* Two ways to build the same: values and gradients of all parameters agree. */
static inline at_gradcheck at_builds_agree(at_build *one, at_build *other, const void *arg,
                                           double tolerance)
{
    static const gradcheck_sides who = {"first", "second"};
    at_gradcheck c = {.ok = true};
    double loss[2];
    at_params *params = at_params_new(1);
    at_tape *a = gradcheck_run(params, one, arg, NULL, NULL, &loss[0], &c);
    at_tape *b = a ? gradcheck_run(params, other, arg, NULL, NULL, &loss[1], &c) : NULL;
    if (b)
        gradcheck_compare(&c, who, "loss", 0, loss[0], loss[1], fabs(loss[0]), tolerance);
    for (int i = 0; b && i < at_params_count(params); i++) {
        at_parameter *p = at_params_at(params, i);
        const real *x = at_param_grad(a, i), *y = at_param_grad(b, i);
        double scale = gradcheck_largest(x, p->len);
        for (size_t j = 0; j < p->len; j++)
            gradcheck_compare(&c, who, p->name, j, x ? (double)x[j] : 0, y ? (double)y[j] : 0,
                              scale, tolerance);
    }
    at_tape_free(b);
    at_tape_free(a);
    at_params_free(params);
    return c;
}

#endif
