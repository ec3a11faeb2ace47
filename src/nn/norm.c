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

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    return at_norm(t, s, at_param(t, s, "x", SHAPE(2, 3, 4), INIT_NORMAL(1)), (real)1e-5);
}

const at_layer at_nn_norm = {"norm", "y = (x - mean) / sqrt(var + eps) * w + b", sample};
