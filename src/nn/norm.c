/* Layer norm with its weight and bias. */
#include "nn/layers.h"

at_tensor *at_norm(at_tape *t, at_path s, at_tensor *x, real eps)
{
    if (at_failed(t))
        return at_poison(t);
    at_shape shape = SHAPE(at_shape_last(x->shape));
    at_tensor *w = at_param(t, s, "weight", shape, INIT_ONE);
    return at_layer_norm(t, x, w, at_param(t, s, "bias", shape, INIT_ZERO), eps);
}

at_tensor *at_norm_residual(at_tape *t, at_path s, at_tensor *x, at_tensor *r, real eps,
                            at_tensor **sum)
{
    if (at_failed(t)) {
        *sum = at_poison(t);
        return at_poison(t);
    }
    at_shape shape = SHAPE(at_shape_last(x->shape));
    at_tensor *w = at_param(t, s, "weight", shape, INIT_ONE);
    return at_residual_norm(t, x, r, w, at_param(t, s, "bias", shape, INIT_ZERO), eps, sum);
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 3, 4), INIT_NORMAL(1)), *sum;
    at_tensor *y = at_norm_residual(t, s, x, at_norm(t, s, x, (real)1e-5), (real)1e-5, &sum);
    return at_add(t, y, sum);
}

const at_layer at_nn_norm = {"norm", "y = (x - mean) / sqrt(var + eps) * w + b", sample};
