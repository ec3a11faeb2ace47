/* y = x W^T + b */
#include "nn/layers.h"

static at_tensor *linear(at_tape *t, at_path s, at_tensor *x, int out, bool bias, at_activation *f)
{
    if (at_failed(t))
        return at_poison(t);
    int in = at_shape_last(x->shape);
    at_init how = INIT_UNIFORM(1 / real_sqrt((real)(in ? in : 1)));
    at_tensor *w = at_param_matrix(t, s, "weight", SHAPE(out, in), how);
    at_tensor *b = bias ? at_param(t, s, "bias", SHAPE(out), how) : NULL;
    return f ? at_affine_act(t, x, w, b, ATTEND_OUT_IN, f) : at_affine(t, x, w, b, ATTEND_OUT_IN);
}

at_tensor *at_linear(at_tape *t, at_path s, at_tensor *x, int out)
{
    return linear(t, s, x, out, true, NULL);
}

at_tensor *at_linear_no_bias(at_tape *t, at_path s, at_tensor *x, int out)
{
    return linear(t, s, x, out, false, NULL);
}

at_tensor *at_linear_act(at_tape *t, at_path s, at_tensor *x, int out, at_activation *f)
{
    return linear(t, s, x, out, true, f);
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 3, 4), INIT_NORMAL(1));
    x = at_linear(t, at_in(s, "first"), x, 5);
    return at_linear_no_bias(t, at_in(s, "second"), x, 2);
}

const at_layer at_nn_linear = {"linear", "y = x W^T + b", sample};
