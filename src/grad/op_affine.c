/* y = x W^T + b (weight [out,in]) or y = x W + b (weight [in,out]). */
#include "grad/ops.h"
#include "grad/weight.h"
#include "tensor/vector.h"

typedef struct {
    at_layout layout;
    int rows, out;
} sizes;

at_tensor *at_affine(at_tape *t, at_tensor *x, at_tensor *weight, at_tensor *bias, at_layout layout)
{
    if (at_failed(t))
        return at_poison(t);
    int in = at_shape_last(x->shape);
    bool out_in = layout == ATTEND_OUT_IN;
    if (weight->shape.rank != 2 || weight->shape.dim[out_in ? 1 : 0] != in)
        return at_fail(t, "affine: input %s does not fit weight %s", at_shape_print(x->shape).text,
                       at_shape_print(weight->shape).text);
    int out = weight->shape.dim[out_in ? 0 : 1];
    if (bias && (bias->shape.rank != 1 || bias->shape.dim[0] != out))
        return at_fail(t, "affine: bias %s does not fit weight %s",
                       at_shape_print(bias->shape).text, at_shape_print(weight->shape).text);
    at_tensor *y = at_new(t, at_shape_with_last(x->shape, out));
    sizes *s = at_scratch(t, sizeof *s);
    if (at_failed(t))
        return at_poison(t);
    *s = (sizes){layout, (int)at_shape_rows(x->shape), out};
    at_weight_forward(t, weight, out_in, s->rows, x->value, bias ? bias->value : NULL, y->value);
    if (at_recording(t, INPUTS(x, weight, bias)))
        at_record(t, &at_op_affine, INPUTS(x, weight, bias), OUTPUTS(y), s);
    return y;
}

static void backward(const at_node *n)
{
    const sizes *s = n->saved;
    const real *x = n->in[0]->value, *dy = at_grad_out(n, 0);
    bool out_in = s->layout == ATTEND_OUT_IN;
    real beta, *dx = at_grad_in(n, 0, &beta);
    if (dx)
        at_weight_back(n->tape, n->in[1], !out_in, s->rows, dy, beta, dx);
    at_weight_gradient(n, 1, s->rows, out_in ? dy : x, out_in ? x : dy);
    real *db = at_grad_in(n, 2, &beta);
    if (db)
        at_columns_sum((size_t)s->rows, s->out, dy, beta, db);
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
