/* y = x with two axes exchanged; a copy. */
#include "base/threads.h"
#include "grad/ops.h"
#include "tensor/vector.h"

/* x seen as [a, p, b, q, c], p and q the exchanged axes */
typedef struct {
    size_t a, p, b, q, c;
} split;

static split split_at(at_shape s, int first, int second)
{
    split r = {1, (size_t)s.dim[first], 1, (size_t)s.dim[second], 1};
    for (int i = 0; i < s.rank; i++) {
        if (i < first)
            r.a *= (size_t)s.dim[i];
        else if (i > first && i < second)
            r.b *= (size_t)s.dim[i];
        else if (i > second)
            r.c *= (size_t)s.dim[i];
    }
    return r;
}

typedef struct {
    split s;
    const real *from;
    real beta, *to;
} work;

/* to[a,q,b,p,c] = from[a,p,b,q,c] + beta to, for a range of (a,q) */
static void exchange_part(void *arg, ptrdiff_t begin, ptrdiff_t end)
{
    const work *w = arg;
    split s = w->s;
    real *to = w->to + (size_t)begin * s.b * s.p * s.c;
    for (size_t i = (size_t)begin; i < (size_t)end; i++)
        for (size_t a = i / s.q, q = i % s.q, b = 0; b < s.b; b++)
            for (size_t p = 0; p < s.p; p++, to += s.c) {
                const real *x = w->from + (((a * s.p + p) * s.b + b) * s.q + q) * s.c;
                for (size_t c = 0; c < s.c; c++)
                    to[c] = w->beta == 0 ? x[c] : to[c] + x[c];
            }
}

static void exchange(split s, const real *from, real beta, real *to)
{
    work w = {s, from, beta, to};
    at_parallel_for((ptrdiff_t)(s.a * s.q), at_rows_grain(s.b * s.p * s.c), exchange_part, &w);
}

at_tensor *at_transpose(at_tape *t, at_tensor *x, int axis, int other)
{
    if (at_failed(t))
        return at_poison(t);
    int first = axis < other ? axis : other, second = axis < other ? other : axis;
    if (first < 0 || second >= x->shape.rank || first == second)
        return at_fail(t, "transpose: %s has no two axes %d and %d", at_shape_print(x->shape).text,
                       axis, other);
    at_shape shape = x->shape;
    shape.dim[first] = x->shape.dim[second];
    shape.dim[second] = x->shape.dim[first];
    at_tensor *y = at_new(t, shape);
    split *saved = at_scratch(t, sizeof *saved);
    if (at_failed(t))
        return at_poison(t);
    exchange(split_at(x->shape, first, second), x->value, 0, y->value);
    *saved = split_at(shape, first, second);
    if (at_recording(t, INPUTS(x)))
        at_record(t, &at_op_transpose, INPUTS(x), OUTPUTS(y), saved);
    return y;
}

static void backward(const at_node *n)
{
    real beta, *dx = at_grad_in(n, 0, &beta);
    if (dx)
        exchange(*(const split *)n->saved, at_grad_out(n, 0), beta, dx);
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 3, 4, 2), INIT_NORMAL(1));
    return at_transpose(t, at_transpose(t, at_transpose(t, x, 0, 3), 1, 2), 2, 3);
}

const at_op at_op_transpose = {
    .name = "transpose",
    .formula = "y[.., j, .., i, ..] = x[.., i, .., j, ..]",
    .backward = backward,
    .sample = sample,
    .forgets_output = true,
};
