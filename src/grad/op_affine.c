/* y = x W^T + b (weight [out,in]) or y = x W + b (weight [in,out]); and f of it, element by
 * element. */
#include "grad/activation.h"
#include "grad/ops.h"
#include "grad/weight.h"
#include "tensor/vector.h"

typedef struct {
    at_layout layout;
    int rows, out;
    at_act f;       /* of affine_act */
    const real *at; /* where the slope of f is taken: pre-activation or y */
    real *apart;    /* the pre-activation where it is not y's memory, or NULL */
} product;

static bool fits(at_tape *t, const at_tensor *x, const at_tensor *weight, const at_tensor *bias,
                 at_layout layout)
{
    bool out_in = layout == ATTEND_OUT_IN;
    if (weight->shape.rank != 2 || weight->shape.dim[out_in ? 1 : 0] != at_shape_last(x->shape))
        at_fail(t, "affine: input %s does not fit weight %s", at_shape_print(x->shape).text,
                at_shape_print(weight->shape).text);
    else if (bias
             && (bias->shape.rank != 1 || bias->shape.dim[0] != weight->shape.dim[out_in ? 0 : 1]))
        at_fail(t, "affine: bias %s does not fit weight %s", at_shape_print(bias->shape).text,
                at_shape_print(weight->shape).text);
    return !at_failed(t);
}

static at_tensor *multiply(at_tape *t, at_tensor *x, at_tensor *weight, at_tensor *bias,
                           at_layout layout, const at_act *f)
{
    if (at_failed(t) || !fits(t, x, weight, bias, layout))
        return at_poison(t);
    bool out_in = layout == ATTEND_OUT_IN, recorded = at_recording(t, INPUTS(x, weight, bias));
    int out = weight->shape.dim[out_in ? 0 : 1];
    at_tensor *y = at_new(t, at_shape_with_last(x->shape, out));
    product *p = at_scratch(t, sizeof *p);
    bool apart = f && recorded && !at_slope_from_output(*f);
    real *z = apart ? at_scratch_reals(t, y->len) : y->value; /* the pre-activation */
    if (at_failed(t))
        return at_poison(t);
    *p = (product){layout, (int)at_shape_rows(x->shape), out, f ? *f : 0, z, apart ? z : NULL};
    at_weight_forward(t, weight, out_in, p->rows, x->value, bias ? bias->value : NULL, z);
    if (f)
        at_vector_act(*f, y->len, z, y->value);
    if (recorded)
        at_record(t, f ? &at_op_affine_act : &at_op_affine, INPUTS(x, weight, bias), OUTPUTS(y), p);
    return y;
}

at_tensor *at_affine(at_tape *t, at_tensor *x, at_tensor *weight, at_tensor *bias, at_layout layout)
{
    return multiply(t, x, weight, bias, layout, NULL);
}

at_tensor *at_affine_act(at_tape *t, at_tensor *x, at_tensor *weight, at_tensor *bias,
                         at_layout layout, at_activation *f)
{
    at_act kernel;
    if (at_activation_kernel(f, &kernel))
        return multiply(t, x, weight, bias, layout, &kernel);
    return f(t, at_affine(t, x, weight, bias, layout));
}

static void product_backward(const at_node *n, const real *dy)
{
    const product *p = n->saved;
    const real *x = n->in[0]->value;
    bool out_in = p->layout == ATTEND_OUT_IN;
    real beta, *dx = at_grad_in(n, 0, &beta);
    if (dx)
        at_weight_back(n->tape, n->in[1], !out_in, p->rows, dy, beta, dx);
    at_weight_gradient(n, 1, p->rows, out_in ? dy : x, out_in ? x : dy);
    real *db = at_grad_in(n, 2, &beta);
    if (db)
        at_columns_sum((size_t)p->rows, p->out, dy, beta, db);
}

static void backward(const at_node *n) { product_backward(n, at_grad_out(n, 0)); }

/* The gradient of the pre-activation takes the place of y's: no other op reads that any more. */
static void act_backward(const at_node *n)
{
    const product *p = n->saved;
    real *dy = (real *)at_grad_out(n, 0);
    at_vector_act_back(p->f, n->out[0]->len, p->at, dy, 0, dy);
    if (p->apart)
        at_tape_spare(n->tape, p->apart, n->out[0]->len);
    product_backward(n, dy);
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 3, 5), INIT_NORMAL(1));
    at_tensor *w = at_param(t, s, "weight", SHAPE(4, 5), INIT_NORMAL(1));
    at_tensor *b = at_param(t, s, "bias", SHAPE(4), INIT_NORMAL(1));
    at_tensor *v = at_param(t, s, "second", SHAPE(4, 3), INIT_NORMAL(1));
    return at_affine(t, at_affine(t, x, w, b, ATTEND_OUT_IN), v, NULL, ATTEND_IN_OUT);
}

static at_tensor *reference(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 3, 5), INIT_NORMAL(1));
    at_tensor *w = at_param(t, s, "weight", SHAPE(4, 5), INIT_NORMAL(1));
    at_tensor *b = at_param(t, s, "bias", SHAPE(4), INIT_NORMAL(1));
    at_tensor *v = at_param(t, s, "second", SHAPE(4, 3), INIT_NORMAL(1));
    return at_matmul(t, at_add(t, at_matmul(t, x, false, w, true, 1), b), false, v, false, 1);
}

const at_op at_op_affine = {
    .name = "affine",
    .formula = "y = x W^T + b",
    .backward = backward,
    .sample = sample,
    .reference = reference,
    .forgets_output = true,
};

static at_tensor *act_chain(at_tape *t, at_path s, bool fused)
{
    static at_activation *const f[] = {at_gelu, at_tanh, at_gelu_tanh, at_relu, at_mish};
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 3, 4), INIT_NORMAL(1));
    for (int i = 0; i < 5; i++) {
        at_layout layout = i % 2 ? ATTEND_IN_OUT : ATTEND_OUT_IN;
        at_tensor *w = at_param(t, at_in(s, "%d", i), "weight", SHAPE(4, 4), INIT_NORMAL(1));
        at_tensor *b = i == 4 ? NULL
                              : at_param(t, at_in(s, "%d", i), "bias", SHAPE(4), INIT_NORMAL(1));
        x = fused ? at_affine_act(t, x, w, b, layout, f[i])
                  : f[i](t, at_affine(t, x, w, b, layout));
    }
    return x;
}

static at_tensor *act_sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    return act_chain(t, s, true);
}

static at_tensor *act_reference(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    return act_chain(t, s, false);
}

const at_op at_op_affine_act = {
    .name = "affine_act",
    .formula = "y = f(x W^T + b)",
    .backward = act_backward,
    .sample = act_sample,
    .reference = act_reference,
};
