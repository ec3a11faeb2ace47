/* Binary cross-entropy from logits x, for targets p in [0, 1], one decision per element:
 *
 *     y = - 1/n sum_i p_i log s(x_i) + (1 - p_i) log(1 - s(x_i))
 *       = 1/n sum_i max(x_i, 0) - p_i x_i + log(1 + e^-|x_i|),   s(x) = 1 / (1 + e^-x)
 *
 * Gradient: (s(x_i) - p_i) / n. */
#include "grad/ops.h"

typedef struct {
    const real *targets;
    real weight; /* 1/n */
} saved;

static bool are_probabilities(at_tape *t, size_t n, const real *targets)
{
    for (size_t i = 0; i < n; i++)
        if (!(targets[i] >= 0 && targets[i] <= 1)) {
            at_fail(t, "bce: target %g at position %zu is outside 0..1", (double)targets[i], i);
            return false;
        }
    return true;
}

at_tensor *at_bce(at_tape *t, at_tensor *logits, const real *targets, at_reduction how)
{
    if (at_failed(t) || !are_probabilities(t, logits->len, targets))
        return at_poison(t);
    at_tensor *y = at_new(t, SCALAR);
    saved *s = at_scratch(t, sizeof *s);
    if (at_failed(t))
        return at_poison(t);
    *s = (saved){targets, at_reduction_weight(how, logits->len)};
    double sum = 0;
    for (size_t i = 0; i < logits->len; i++) {
        double x = (double)logits->value[i];
        sum += (x > 0 ? x : 0) - (double)targets[i] * x + log1p(exp(-fabs(x)));
    }
    y->value[0] = (real)(sum * (double)s->weight);
    if (at_recording(t, INPUTS(logits)))
        at_record(t, &at_op_bce, INPUTS(logits), OUTPUTS(y), s);
    return y;
}

static void backward(const at_node *n)
{
    const saved *s = n->saved;
    const at_tensor *x = n->in[0];
    real scale = s->weight * *at_grad_out(n, 0), *dx = at_grad_add(n, 0);
    for (size_t i = 0; dx && i < x->len; i++)
        dx[i] += scale * (1 / (1 + real_exp(-x->value[i])) - s->targets[i]);
}

static const real sample_targets[6] = {1, 0, (real)0.3, 1, 0, (real)0.9};

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 3), INIT_NORMAL(2));
    at_tensor *mean = at_bce(t, x, sample_targets, (at_reduction){.sum = false});
    return at_add(t, mean, at_bce(t, at_scale(t, x, 2), sample_targets, (at_reduction){true, 0}));
}

/* a softmax over x and 0 */
static at_tensor *by_softmax(at_tape *t, at_tensor *x)
{
    real weights[12];
    for (int i = 0; i < 6; i++) {
        weights[2 * i] = -sample_targets[i];
        weights[2 * i + 1] = sample_targets[i] - 1;
    }
    at_tensor *both[2] = {at_reshape(t, x, SHAPE(6, 1)), at_zeros(t, SHAPE(6, 1))};
    at_tensor *p = at_log_softmax(t, at_concat(t, 2, both, 1));
    return at_sum(t, at_multiply(t, p, at_input(t, SHAPE(6, 2), weights)));
}

static at_tensor *reference(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 3), INIT_NORMAL(2));
    return at_add(t, at_scale(t, by_softmax(t, x), (real)1 / 6), by_softmax(t, at_scale(t, x, 2)));
}

const at_op at_op_bce = {
    .name = "bce",
    .formula = "y = 1/n sum_i max(x_i, 0) - p_i x_i + log(1 + exp(-|x_i|))",
    .backward = backward,
    .sample = sample,
    .reference = reference,
};
