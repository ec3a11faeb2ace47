/* Activations as kernels, for ops that apply one inside. */
#ifndef ATTEND_GRAD_ACTIVATION_H
#define ATTEND_GRAD_ACTIVATION_H

#include "grad/ops.h"
#include "tensor/vector_kernel.h"

/* The kernel of at_exp .. at_gelu_10; false where f is another function. */
bool at_activation_kernel(at_activation *f, at_act *kernel);

/* exp, tanh, sigmoid and relu take their slope from y, the others from x */
static inline bool at_slope_from_output(at_act f) { return f <= ATTEND_ACT_RELU; }

#endif
