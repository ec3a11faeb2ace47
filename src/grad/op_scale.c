/* y = factor x */
#include "grad/ops.h"
#include "tensor/vector.h"

at_tensor *at_scale(at_tape *t, at_tensor *x, real factor)
{
    if (at_failed(t))
        return at_poison(t);
    at_tensor *y = at_new(t, x->shape);
    if (at_failed(t))
        return y;
    at_vector_axpy(x->len, factor, x->value, 0, y->value);
    if (at_recording(t, INPUTS(x))) {
        real *saved = at_scratch_reals(t, 1);
        if (!saved)
            return at_poison(t);
        *saved = factor;
        at_record(t, &at_op_scale, INPUTS(x), OUTPUTS(y), saved);
    }
    return y;
}

static void backward(const at_node *n)
{
    real beta, *dx = at_grad_in(n, 0, &beta);
    if (dx)
        at_vector_axpy(n->in[0]->len, *(const real *)n->saved, at_grad_out(n, 0), beta, dx);
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    return at_scale(t, at_param(t, s, "x", SHAPE(3, 4), INIT_NORMAL(1)), (real)-1.7);
}

const at_op at_op_scale = {
    .name = "scale",
    .formula = "y = c x",
    .backward = backward,
    .sample = sample,
    .forgets_output = true,
};
