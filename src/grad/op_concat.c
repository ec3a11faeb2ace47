/* Tensors one after the other along an axis. */
#include "grad/ops.h"
#include "tensor/vector.h"

/* how many pieces a tensor has before the axis, and how long each is from the axis on */
static size_t pieces(at_shape s, int axis)
{
    size_t n = 1;
    for (int i = 0; i < axis; i++)
        n *= (size_t)s.dim[i];
    return n;
}

static bool fits(at_shape a, at_shape b, int axis)
{
    b.dim[axis] = a.dim[axis];
    return at_shape_equal(a, b);
}

at_tensor *at_concat(at_tape *t, int n, at_tensor *const *parts, int axis)
{
    if (at_failed(t))
        return at_poison(t);
    at_shape shape = n > 0 ? parts[0]->shape : SCALAR;
    if (axis < 0 || axis >= shape.rank)
        return at_fail(t, "concat: %d tensors %s have no axis %d", n, at_shape_print(shape).text,
                       axis);
    for (int i = 1; i < n; i++) {
        if (parts[i]->shape.rank != shape.rank || !fits(parts[i]->shape, shape, axis))
            return at_fail(t, "concat: %s and %s do not fit along axis %d",
                           at_shape_print(shape).text, at_shape_print(parts[i]->shape).text, axis);
        shape.dim[axis] += parts[i]->shape.dim[axis];
    }
    at_tensor *y = at_new(t, shape);
    int *saved = at_scratch(t, sizeof *saved);
    if (at_failed(t))
        return at_poison(t);
    *saved = axis;
    size_t outer = pieces(shape, axis), step = outer ? y->len / outer : 0, offset = 0;
    for (int i = 0; i < n && outer; i++) {
        size_t size = parts[i]->len / outer;
        at_vector_runs((at_runs){outer, size, size, step}, parts[i]->value, 0, y->value + offset);
        offset += size;
    }
    if (at_recording(t, n, parts))
        at_record(t, &at_op_concat, n, parts, OUTPUTS(y), saved);
    return y;
}

at_tensor *at_concat_members(at_tape *t, int n, at_tensor *const *first, size_t stride, int axis)
{
    at_tensor **part = at_scratch(t, (size_t)n * sizeof *part);
    for (int i = 0; part && i < n; i++)
        part[i] = *(at_tensor *const *)((const char *)first + (size_t)i * stride);
    if (at_failed(t))
        return at_poison(t);
    return !part[0] ? NULL : n == 1 ? part[0] : at_concat(t, n, part, axis);
}

static void backward(const at_node *n)
{
    const at_tensor *y = n->out[0];
    const real *dy = at_grad_out(n, 0);
    size_t outer = pieces(y->shape, *(const int *)n->saved), step = outer ? y->len / outer : 0;
    size_t offset = 0;
    for (int i = 0; i < n->n_in && outer; i++) {
        size_t size = n->in[i]->len / outer;
        real beta, *dx = at_grad_in(n, i, &beta);
        if (dx)
            at_vector_runs((at_runs){outer, size, step, size}, dy + offset, beta, dx);
        offset += size;
    }
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *a = at_param(t, s, "a", SHAPE(2, 3, 2), INIT_NORMAL(1));
    at_tensor *b = at_param(t, s, "b", SHAPE(2, 1, 2), INIT_NORMAL(1));
    at_tensor *y = at_concat(t, 3, (at_tensor *[]){a, b, a}, 1);
    return at_concat(t, 2, (at_tensor *[]){y, y}, 2);
}

const at_op at_op_concat = {
    .name = "concat",
    .formula = "y = [x_1; x_2; ..]",
    .backward = backward,
    .sample = sample,
    .forgets_output = true,
};
