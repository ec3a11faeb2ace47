/* Position-wise feed-forward network: W_2 f(W_1 x + b_1) + b_2 */
#include "nn/layers.h"

at_tensor *at_feed_forward(at_tape *t, at_path s, at_tensor *x, int inner, at_activation *f,
                           real dropout)
{
    if (at_failed(t))
        return at_poison(t);
    int width = at_shape_last(x->shape);
    at_tensor *y = at_linear_act(t, at_in(s, "linear1"), x, inner, f);
    return at_linear(t, at_in(s, "linear2"), at_dropout(t, y, dropout), width);
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 3, 4), INIT_NORMAL(1));
    return at_feed_forward(t, s, x, 6, at_gelu, (real)0.2);
}

const at_layer at_nn_feed_forward = {"feed_forward", "y = W_2 f(W_1 x + b_1) + b_2", sample};
