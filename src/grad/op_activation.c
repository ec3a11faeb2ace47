/* y = f(x), element by element. The functions and their slopes: tensor/scalar.h. */
#include <string.h>

#include "grad/activation.h"
#include "tensor/vector.h"

static at_tensor *apply(at_tape *t, const at_op *op, at_act f, at_tensor *x)
{
    if (at_failed(t))
        return at_poison(t);
    at_tensor *y = at_new(t, x->shape);
    if (at_failed(t))
        return y;
    at_vector_act(f, x->len, x->value, y->value);
    if (at_recording(t, INPUTS(x)))
        at_record(t, op, INPUTS(x), OUTPUTS(y), NULL);
    return y;
}

static void back(const at_node *n, at_act f)
{
    real beta, *dx = at_grad_in(n, 0, &beta);
    const real *from = at_slope_from_output(f) ? n->out[0]->value : n->in[0]->value;
    if (dx)
        at_vector_act_back(f, n->in[0]->len, from, at_grad_out(n, 0), beta, dx);
}

static at_tensor *input(at_tape *t, at_path s)
{
    return at_param(t, s, "x", SHAPE(3, 7), INIT_NORMAL(2));
}

#define ACTIVATION(f, which, text)                                                         \
    at_tensor *at_##f(at_tape *t, at_tensor *x) { return apply(t, &at_op_##f, which, x); } \
    static void f##_backward(const at_node *n) { back(n, which); }                         \
    static at_tensor *f##_sample(at_tape *t, at_path s, const void *arg)                   \
    {                                                                                      \
        (void)arg;                                                                         \
        return at_##f(t, input(t, s));                                                     \
    }                                                                                      \
    const at_op at_op_##f = {                                                              \
        .name = #f,                                                                        \
        .formula = text,                                                                   \
        .backward = f##_backward,                                                          \
        .sample = f##_sample,                                                              \
        .forgets_output = which > ATTEND_ACT_RELU,                                         \
    };

ACTIVATION(exp, ATTEND_ACT_EXP, "y = exp x")
ACTIVATION(tanh, ATTEND_ACT_TANH, "y = tanh x")
ACTIVATION(sigmoid, ATTEND_ACT_SIGMOID, "y = 1 / (1 + exp(-x))")
ACTIVATION(relu, ATTEND_ACT_RELU, "y = max(x, 0)")
ACTIVATION(gelu, ATTEND_ACT_GELU, "y = x (1 + erf(x / sqrt 2)) / 2")
ACTIVATION(gelu_tanh, ATTEND_ACT_GELU_TANH, "y = x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2")
ACTIVATION(quick_gelu, ATTEND_ACT_QUICK_GELU, "y = x sigmoid(1.702 x)")
ACTIVATION(silu, ATTEND_ACT_SILU, "y = x sigmoid(x)")
ACTIVATION(mish, ATTEND_ACT_MISH, "y = x tanh(log(1 + exp x))")
ACTIVATION(gelu_10, ATTEND_ACT_GELU_10, "y = min(max(gelu x, -10), 10)")

bool at_activation_kernel(at_activation *f, at_act *kernel)
{
    static at_activation *const list[ATTEND_ACT_COUNT] = {
        [ATTEND_ACT_EXP] = at_exp,
        [ATTEND_ACT_TANH] = at_tanh,
        [ATTEND_ACT_SIGMOID] = at_sigmoid,
        [ATTEND_ACT_RELU] = at_relu,
        [ATTEND_ACT_GELU] = at_gelu,
        [ATTEND_ACT_GELU_TANH] = at_gelu_tanh,
        [ATTEND_ACT_QUICK_GELU] = at_quick_gelu,
        [ATTEND_ACT_SILU] = at_silu,
        [ATTEND_ACT_MISH] = at_mish,
        [ATTEND_ACT_GELU_10] = at_gelu_10,
    };
    for (int i = 0; i < ATTEND_ACT_COUNT; i++)
        if (list[i] == f) {
            *kernel = (at_act)i;
            return true;
        }
    return false;
}

static at_tensor *identity(at_tape *t, at_tensor *x)
{
    (void)t;
    return x;
}

at_activation *at_activation_find(const char *name)
{
    static const struct {
        const char *name;
        at_activation *f;
    } list[] = {
        {"gelu", at_gelu},
        {"gelu_python", at_gelu},
        {"gelu_new", at_gelu_tanh},
        {"gelu_fast", at_gelu_tanh},
        {"gelu_pytorch_tanh", at_gelu_tanh},
        {"gelu_10", at_gelu_10},
        {"quick_gelu", at_quick_gelu},
        {"silu", at_silu},
        {"swish", at_silu},
        {"mish", at_mish},
        {"relu", at_relu},
        {"tanh", at_tanh},
        {"sigmoid", at_sigmoid},
        {"linear", identity},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strcmp(list[i].name, name) == 0)
            return list[i].f;
    return NULL;
}
