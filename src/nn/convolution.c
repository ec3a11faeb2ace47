/* y_t = f over a window of words: W [x_{t-l} .. x_{t-l+w-1}] + b (Kim 2014, eq. 2), with the names,
 * layout and start of torch.nn.Conv1d. */
#include "nn/layers.h"

at_tensor *at_convolution(at_tape *t, at_path s, at_tensor *x, int out, int width,
                          const int *lengths)
{
    if (at_failed(t))
        return at_poison(t);
    int in = at_shape_last(x->shape);
    at_init how = INIT_UNIFORM(1 / real_sqrt((real)(in * width)));
    at_tensor *w = at_param(t, s, "weight", SHAPE(out, in, width), how);
    at_tensor *b = at_param(t, s, "bias", SHAPE(out), how);
    at_tensor *flat = at_reshape(t, w, SHAPE(out, in * width));
    return at_affine(t, at_unfold(t, x, width, lengths), flat, b, ATTEND_OUT_IN);
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    static const int lengths[] = {4, 3};
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 4, 2), INIT_NORMAL(1));
    at_tensor *y = at_convolution(t, at_in(s, "first"), x, 3, 3, lengths);
    return at_convolution(t, at_in(s, "second"), y, 2, 2, lengths);
}

const at_layer at_nn_convolution = {"convolution", "y_t = W [x_{t-l}; ..; x_{t-l+w-1}] + b",
                                    sample};
