/* y = c sum(x), of all elements or along one axis; c = 1, or 1/n for the mean. */
#include "grad/ops.h"
#include "tensor/vector.h"

/* x seen as [a, n, c], summed over the middle */
typedef struct {
    real factor;
    size_t a, n, c;
} sizes;

static at_tensor *sum_all(at_tape *t, at_tensor *x, bool mean)
{
    if (at_failed(t))
        return at_poison(t);
    at_tensor *y = at_new(t, SCALAR);
    sizes *s = at_scratch(t, sizeof *s);
    if (at_failed(t))
        return at_poison(t);
    *s = (sizes){.factor = mean ? 1 / (real)x->len : 1};
    double total = 0; /* in blocks, so that a long sum keeps its digits */
    enum { BLOCK = 4096 };
    for (size_t i = 0; i < x->len; i += BLOCK)
        total += at_vector()->sum(x->len - i < BLOCK ? x->len - i : BLOCK, x->value + i);
    y->value[0] = (real)(total * s->factor);
    if (at_recording(t, INPUTS(x)))
        at_record(t, &at_op_sum, INPUTS(x), OUTPUTS(y), s);
    return y;
}

at_tensor *at_sum(at_tape *t, at_tensor *x) { return sum_all(t, x, false); }
at_tensor *at_mean(at_tape *t, at_tensor *x) { return sum_all(t, x, true); }

static void backward(const at_node *n)
{
    real add = *at_grad_out(n, 0) * ((const sizes *)n->saved)->factor;
    real *dx = at_grad_add(n, 0);
    for (size_t i = 0; dx && i < n->in[0]->len; i++)
        dx[i] += add;
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(3, 4), INIT_NORMAL(1));
    at_tensor *square = at_multiply(t, x, x);
    return at_add(t, at_sum(t, square), at_mean(t, x));
}

const at_op at_op_sum = {
    .name = "sum",
    .formula = "y = c sum_i x_i",
    .backward = backward,
    .sample = sample,
    .forgets_output = true,
};

/* ---- along one axis --------------------------------------------------------------------- */

static at_tensor *sum_along(at_tape *t, at_tensor *x, int axis, bool mean)
{
    if (at_failed(t))
        return at_poison(t);
    if (axis < 0 || axis >= x->shape.rank)
        return at_fail(t, "sum: %s has no axis %d", at_shape_print(x->shape).text, axis);
    sizes s = {.a = 1, .n = (size_t)x->shape.dim[axis], .c = 1};
    at_shape shape = {.rank = x->shape.rank - 1};
    for (int i = 0; i < x->shape.rank; i++) {
        if (i != axis)
            shape.dim[i < axis ? i : i - 1] = x->shape.dim[i];
        if (i < axis)
            s.a *= (size_t)x->shape.dim[i];
        if (i > axis)
            s.c *= (size_t)x->shape.dim[i];
    }
    s.factor = mean ? 1 / (real)s.n : 1;
    at_tensor *y = at_zeros(t, shape);
    sizes *saved = at_scratch(t, sizeof *saved);
    if (at_failed(t))
        return at_poison(t);
    *saved = s;
    for (size_t a = 0; a < s.a; a++)
        for (size_t i = 0; i < s.n; i++)
            at_vector()->axpy(s.c, s.factor, x->value + (a * s.n + i) * s.c, 1, y->value + a * s.c);
    if (at_recording(t, INPUTS(x)))
        at_record(t, &at_op_sum_axis, INPUTS(x), OUTPUTS(y), saved);
    return y;
}

at_tensor *at_sum_axis(at_tape *t, at_tensor *x, int axis) { return sum_along(t, x, axis, false); }
at_tensor *at_mean_axis(at_tape *t, at_tensor *x, int axis) { return sum_along(t, x, axis, true); }

static void axis_backward(const at_node *n)
{
    const sizes *s = n->saved;
    const real *dy = at_grad_out(n, 0);
    real beta, *dx = at_grad_in(n, 0, &beta);
    for (size_t a = 0; dx && a < s->a; a++)
        for (size_t i = 0; i < s->n; i++)
            at_vector()->axpy(s->c, s->factor, dy + a * s->c, beta, dx + (a * s->n + i) * s->c);
}

static at_tensor *axis_sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 3, 4), INIT_NORMAL(1));
    at_tensor *y = at_sum_axis(t, at_multiply(t, x, x), 1); /* [2,4] */
    return at_add(t, at_mean_axis(t, y, 1), at_sum_axis(t, at_mean_axis(t, x, 2), 1));
}

const at_op at_op_sum_axis = {
    .name = "sum_axis",
    .formula = "y_j = c sum_i x_ij",
    .backward = axis_backward,
    .sample = axis_sample,
    .forgets_output = true,
};
