/* y = x[.., begin:end, ..]; a copy. */
#include <string.h>

#include "grad/ops.h"
#include "tensor/vector.h"

/* a piece of `size` numbers out of every `step`, `count` times */
typedef struct {
    size_t count, step, offset, size;
} cut;

at_tensor *at_slice(at_tape *t, at_tensor *x, int axis, int begin, int end)
{
    if (at_failed(t))
        return at_poison(t);
    if (axis < 0 || axis >= x->shape.rank || begin < 0 || begin > end || end > x->shape.dim[axis])
        return at_fail(t, "slice: %s has no part %d:%d along axis %d",
                       at_shape_print(x->shape).text, begin, end, axis);
    at_shape shape = x->shape;
    shape.dim[axis] = end - begin;
    at_tensor *y = at_new(t, shape);
    cut *c = at_scratch(t, sizeof *c);
    if (at_failed(t))
        return at_poison(t);
    size_t inner = 1;
    for (int i = axis + 1; i < shape.rank; i++)
        inner *= (size_t)shape.dim[i];
    *c = (cut){.step = (size_t)x->shape.dim[axis] * inner,
               .offset = (size_t)begin * inner,
               .size = (size_t)(end - begin) * inner};
    c->count = c->size ? y->len / c->size : 0;
    for (size_t i = 0; i < c->count; i++)
        memcpy(y->value + i * c->size, x->value + i * c->step + c->offset, c->size * sizeof(real));
    if (at_recording(t, INPUTS(x)))
        at_record(t, &at_op_slice, INPUTS(x), OUTPUTS(y), c);
    return y;
}

static void backward(const at_node *n)
{
    const cut *c = n->saved;
    const real *dy = at_grad_out(n, 0);
    real *dx = at_grad_add(n, 0);
    for (size_t i = 0; dx && i < c->count; i++)
        at_vector()->axpy(c->size, 1, dy + i * c->size, 1, dx + i * c->step + c->offset);
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(3, 5, 2), INIT_NORMAL(1));
    at_tensor *both[] = {at_slice(t, x, 1, 1, 4), at_slice(t, x, 1, 0, 2)};
    return at_concat(t, 2, both, 1);
}

const at_op at_op_slice = {
    .name = "slice",
    .formula = "y = x[begin:end]",
    .backward = backward,
    .sample = sample,
    .forgets_output = true,
};
