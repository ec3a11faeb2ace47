/* y = x[.., begin:end, ..]; a copy. */
#include <string.h>

#include "base/threads.h"
#include "grad/ops.h"
#include "tensor/vector.h"

/* a run of `size` numbers out of every `step`, `count` times */
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
    at_vector_runs((at_runs){c->count, c->size, c->step, c->size}, x->value + c->offset, 0,
                   y->value);
    if (at_recording(t, INPUTS(x)))
        at_record(t, &at_op_slice, INPUTS(x), OUTPUTS(y), c);
    return y;
}

typedef struct {
    const cut *c;
    const real *dy;
    real *dx;
} spread;

/* numbers begin .. end - 1 of dx: dy where it was cut, 0 elsewhere */
static void spread_part(void *arg, ptrdiff_t begin, ptrdiff_t end)
{
    const spread *s = arg;
    size_t first = s->c->offset, last = first + s->c->size, step = s->c->step;
    for (size_t i = (size_t)begin, n; i < (size_t)end; i += n) {
        size_t at = i % step, left = (size_t)end - i;
        bool inside = at >= first && at < last;
        n = (at < first ? first : inside ? last : step) - at;
        n = n < left ? n : left;
        if (inside)
            memcpy(s->dx + i, s->dy + i / step * s->c->size + (at - first), n * sizeof *s->dx);
        else
            memset(s->dx + i, 0, n * sizeof *s->dx);
    }
}

static void backward(const at_node *n)
{
    const cut *c = n->saved;
    real beta, *dx = at_grad_in(n, 0, &beta);
    spread s = {c, at_grad_out(n, 0), dx};
    if (dx && beta == 0)
        at_parallel_for((ptrdiff_t)n->in[0]->len, ATTEND_VECTOR_GRAIN, spread_part, &s);
    else if (dx)
        at_vector_runs((at_runs){c->count, c->size, c->size, c->step}, s.dy, 1, dx + c->offset);
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
