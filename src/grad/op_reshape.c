/* The same numbers under another shape. Value and gradient are shared: nothing is copied. */
#include "grad/ops.h"

at_tensor *at_reshape(at_tape *t, at_tensor *x, at_shape shape)
{
    size_t len;
    if (at_failed(t))
        return at_poison(t);
    if (!at_shape_len(shape, &len) || len != x->len)
        return at_fail(t, "reshape: %s cannot become %s", at_shape_print(x->shape).text,
                       at_shape_print(shape).text);
    at_tensor *y = at_scratch(t, sizeof *y);
    if (!y)
        return at_poison(t);
    *y = (at_tensor){.shape = shape, .len = len, .value = x->value, .base = x->base ? x->base : x};
    if (at_recording(t, INPUTS(x)))
        at_record(t, &at_op_reshape, INPUTS(x), OUTPUTS(y), NULL);
    return y;
}

/* the gradient is already where it belongs */
static void backward(const at_node *n) { (void)n; }

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(3, 4), INIT_NORMAL(1));
    at_tensor *y = at_reshape(t, at_tanh(t, x), SHAPE(2, 6));
    return at_multiply(t, y, at_reshape(t, at_reshape(t, x, SHAPE(12)), SHAPE(2, 6)));
}

const at_op at_op_reshape = {
    .name = "reshape",
    .formula = "y = x, in another shape",
    .backward = backward,
    .sample = sample,
    .forgets_output = true,
};
