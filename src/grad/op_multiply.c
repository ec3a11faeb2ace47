/* y = a b, element by element, sizes of 1 repeated. */
#include "grad/broadcast.h"
#include "grad/ops.h"
#include "tensor/vector.h"

static void multiply_row(const at_broadcast *p, const real *a, const real *b, real *y)
{
    ptrdiff_t sa = p->a_step[3], sb = p->b_step[3];
    if (sa && sb)
        at_vector()->multiply((size_t)p->n, a, b, y);
    else
        for (int i = 0; i < p->n; i++)
            y[i] = a[i * sa] * b[i * sb];
}

at_tensor *at_multiply(at_tape *t, at_tensor *a, at_tensor *b)
{
    at_broadcast p;
    if (at_failed(t))
        return at_poison(t);
    if (!at_broadcast_plan(a->shape, b->shape, &p))
        return at_fail(t, "multiply: shapes %s and %s do not fit", at_shape_print(a->shape).text,
                       at_shape_print(b->shape).text);
    at_tensor *y = at_new(t, p.shape);
    if (at_failed(t))
        return y;
    if (p.same)
        at_vector_multiply(y->len, a->value, b->value, y->value);
    else
        at_broadcast_run(&p, multiply_row, a->value, b->value, y->value);
    if (at_recording(t, INPUTS(a, b)))
        at_record(t, &at_op_multiply, INPUTS(a, b), OUTPUTS(y), NULL);
    return y;
}

/* dx += dy * other over one row; a step of 0 repeats or sums */
static void row_back(int n, const real *dy, const real *other, ptrdiff_t other_step, real *dx,
                     ptrdiff_t step)
{
    if (step && other_step)
        at_vector()->multiply_add((size_t)n, dy, other, 1, dx);
    else if (step)
        at_vector()->axpy((size_t)n, *other, dy, 1, dx);
    else if (other_step)
        *dx += at_vector()->dot((size_t)n, dy, other);
    else
        *dx += *other * at_vector()->sum((size_t)n, dy);
}

static void backward_same(const at_node *n, const real *dy)
{
    for (int k = 0; k < 2; k++) {
        real beta, *dx = at_grad_in(n, k, &beta);
        if (dx)
            at_vector_multiply_add(n->out[0]->len, dy, n->in[1 - k]->value, beta, dx);
    }
}

static void backward(const at_node *n)
{
    at_broadcast p;
    at_broadcast_plan(n->in[0]->shape, n->in[1]->shape, &p);
    const real *dy = at_grad_out(n, 0);
    if (p.same) {
        backward_same(n, dy);
        return;
    }
    real *da = at_grad_add(n, 0), *db = at_grad_add(n, 1);
    for (size_t row = 0; row < p.rows; row++, dy += p.n) {
        ptrdiff_t i, j;
        at_broadcast_row(&p, row, &i, &j);
        if (da)
            row_back(p.n, dy, n->in[1]->value + j, p.b_step[3], da + i, p.a_step[3]);
        if (db)
            row_back(p.n, dy, n->in[0]->value + i, p.a_step[3], db + j, p.b_step[3]);
    }
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *a = at_param(t, s, "a", SHAPE(2, 3, 4), INIT_NORMAL(1));
    at_tensor *row = at_param(t, s, "row", SHAPE(4), INIT_NORMAL(1));
    at_tensor *column = at_param(t, s, "column", SHAPE(2, 1, 1), INIT_NORMAL(1));
    return at_multiply(t, at_multiply(t, at_multiply(t, row, a), column), a);
}

const at_op at_op_multiply = {
    .name = "multiply",
    .formula = "y = a b",
    .backward = backward,
    .sample = sample,
    .forgets_output = true,
};
