/* The gradient check: analytic gradients against central differences, for anything that builds a
 * tensor from parameters: an op, a layer, an attention, a whole model.
 *
 * Meant for the double build, where a correct derivative agrees to about 1e-9 and a derivative
 * that is 1 % off fails by four orders of magnitude. */
#ifndef ATTEND_GRAD_CHECK_H
#define ATTEND_GRAD_CHECK_H

#include "grad/tape.h"

typedef struct {
    bool ok;
    double worst;                                   /* largest relative error found */
    char where[sizeof((attend_error *)0)->message]; /* the parameter and element, or the error
                                                       message */
} at_check;

/* The loss is a fixed random weighting of build's result. Every element of every parameter that
 * build uses is checked: |analytic - numeric| <= tolerance * (1 + largest gradient of that
 * parameter). watch (or NULL) is set on the tape that computes the analytic gradients. */
at_check at_gradient_check(at_build *build, const void *arg, double tolerance, at_watch *watch,
                           void *user);

/* Two ways to build the same: values and gradients of all parameters agree. */
at_check at_builds_agree(at_build *one, at_build *other, const void *arg, double tolerance);

#endif
