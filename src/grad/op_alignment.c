/* How far attention weights w are from links a that are given, each row of which sums to 1, or to 0
 * where nothing is known (Chen et al. 2016, cross-entropy):
 *
 *     y = - 1/n sum_i a_i log(w_i + epsilon)
 *
 * epsilon bounds the loss where a weight is 0: outside of a window, or of a sparse choice. */
#include "grad/ops.h"

#define EPSILON ((real)1e-6)

typedef struct {
    const real *links;
    real factor; /* -1/n */
} saved;

at_tensor *at_alignment(at_tape *t, at_tensor *weights, const real *links, real divisor)
{
    if (at_failed(t))
        return at_poison(t);
    at_tensor *y = at_new(t, SCALAR);
    saved *s = at_scratch(t, sizeof *s);
    if (at_failed(t))
        return at_poison(t);
    *s = (saved){links, -1 / divisor};
    double sum = 0;
    for (size_t i = 0; i < weights->len; i++)
        if (links[i] != 0)
            sum += (double)(links[i] * real_log(weights->value[i] + EPSILON));
    y->value[0] = (real)(sum * (double)s->factor);
    if (at_recording(t, INPUTS(weights)))
        at_record(t, &at_op_alignment, INPUTS(weights), OUTPUTS(y), s);
    return y;
}

static void backward(const at_node *n)
{
    const saved *s = n->saved;
    const at_tensor *w = n->in[0];
    real dy = *at_grad_out(n, 0) * s->factor, *dw = at_grad_add(n, 0);
    for (size_t i = 0; dw && i < w->len; i++)
        if (s->links[i] != 0)
            dw[i] += dy * s->links[i] / (w->value[i] + EPSILON);
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    static const real links[12] = {1, 0, 0, 0, 0, (real)0.5, (real)0.5, 0, 0, 0, 0, 0};
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(1, 3, 4), INIT_NORMAL(1));
    return at_alignment(t, at_softmax(t, x, NULL), links, 2);
}

const at_op at_op_alignment = {
    .name = "alignment",
    .formula = "y = - 1/n sum_i a_i log(w_i + epsilon)",
    .backward = backward,
    .sample = sample,
    .forgets_output = true,
};
