/* Mean squared error: y = 1/n sum_i (x_i - target_i)^2 */
#include "grad/ops.h"

typedef struct {
    const real *targets;
    real weight; /* 1/n */
} saved;

at_tensor *at_mse(at_tape *t, at_tensor *x, const real *targets, at_reduction how)
{
    if (at_failed(t))
        return at_poison(t);
    at_tensor *y = at_new(t, SCALAR);
    saved *s = at_scratch(t, sizeof *s);
    if (at_failed(t))
        return at_poison(t);
    *s = (saved){targets, at_reduction_weight(how, x->len)};
    double sum = 0;
    for (size_t i = 0; i < x->len; i++) {
        double d = (double)x->value[i] - (double)targets[i];
        sum += d * d;
    }
    y->value[0] = (real)(sum * (double)s->weight);
    if (at_recording(t, INPUTS(x)))
        at_record(t, &at_op_mse, INPUTS(x), OUTPUTS(y), s);
    return y;
}

static void backward(const at_node *n)
{
    const saved *s = n->saved;
    const at_tensor *x = n->in[0];
    real scale = 2 * s->weight * *at_grad_out(n, 0), *dx = at_grad_add(n, 0);
    for (size_t i = 0; dx && i < x->len; i++)
        dx[i] += scale * (x->value[i] - s->targets[i]);
}

static const real sample_targets[6] = {1, (real)-0.5, 0, 3, (real)0.25, -2};

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(3, 2), INIT_NORMAL(1));
    at_tensor *mean = at_mse(t, x, sample_targets, (at_reduction){.sum = false});
    return at_add(t, mean, at_mse(t, at_scale(t, x, 2), sample_targets, (at_reduction){true, 0}));
}

static at_tensor *reference(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(3, 2), INIT_NORMAL(1));
    at_tensor *minus = at_scale(t, at_input(t, x->shape, sample_targets), -1);
    at_tensor *d = at_add(t, x, minus), *e = at_add(t, at_scale(t, x, 2), minus);
    return at_add(t, at_mean(t, at_multiply(t, d, d)), at_sum(t, at_multiply(t, e, e)));
}

const at_op at_op_mse = {
    .name = "mse",
    .formula = "y = 1/n sum_i (x_i - target_i)^2",
    .backward = backward,
    .sample = sample,
    .reference = reference,
};
