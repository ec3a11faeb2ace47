/* y = a + b, sizes of 1 repeated. Backward sums over what was repeated. */
#include "grad/broadcast.h"
#include "grad/ops.h"
#include "tensor/vector.h"

static void add_row(const at_broadcast *p, const real *a, const real *b, real *y)
{
    ptrdiff_t sa = p->a_step[3], sb = p->b_step[3];
    if (sa && sb)
        at_vector()->add((size_t)p->n, a, b, y);
    else
        for (int i = 0; i < p->n; i++)
            y[i] = a[i * sa] + b[i * sb];
}

at_tensor *at_add(at_tape *t, at_tensor *a, at_tensor *b)
{
    at_broadcast p;
    if (at_failed(t))
        return at_poison(t);
    if (!at_broadcast_plan(a->shape, b->shape, &p))
        return at_fail(t, "add: shapes %s and %s do not fit", at_shape_print(a->shape).text,
                       at_shape_print(b->shape).text);
    at_tensor *y = at_new(t, p.shape);
    if (at_failed(t))
        return y;
    if (p.same)
        at_vector_add(y->len, a->value, b->value, y->value);
    else
        at_broadcast_run(&p, add_row, a->value, b->value, y->value);
    if (at_recording(t, INPUTS(a, b)))
        at_record(t, &at_op_add, INPUTS(a, b), OUTPUTS(y), NULL);
    return y;
}

/* dx += dy, summed over the repeated axes */
static void reduce(const at_broadcast *p, bool first, const real *dy, real *dx)
{
    ptrdiff_t step = first ? p->a_step[3] : p->b_step[3];
    for (size_t row = 0; row < p->rows; row++, dy += p->n) {
        ptrdiff_t i, j;
        at_broadcast_row(p, row, &i, &j);
        real *to = dx + (first ? i : j);
        if (step)
            at_vector()->axpy((size_t)p->n, 1, dy, 1, to);
        else
            *to += at_vector()->sum((size_t)p->n, dy);
    }
}

/* is the operand with these steps one row, repeated for all? */
static bool is_row(const ptrdiff_t step[4]) { return !step[0] && !step[1] && !step[2] && step[3]; }

static void backward(const at_node *n)
{
    at_broadcast p;
    at_broadcast_plan(n->in[0]->shape, n->in[1]->shape, &p);
    const real *dy = at_grad_out(n, 0);
    size_t len = n->out[0]->len;
    for (int k = 0; k < 2; k++) {
        real beta, *dx = at_grad_in(n, k, &beta);
        if (!dx)
            continue;
        if (p.same || n->in[k]->len == len) {
            at_vector_axpy(len, 1, dy, beta, dx);
        } else if (is_row(k == 0 ? p.a_step : p.b_step)) {
            at_columns_sum(p.rows, p.n, dy, beta, dx);
        } else {
            if (beta == 0)
                at_vector_zero(n->in[k]->len, dx);
            reduce(&p, k == 0, dy, dx);
        }
    }
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *a = at_param(t, s, "a", SHAPE(2, 3, 4), INIT_NORMAL(1));
    at_tensor *row = at_param(t, s, "row", SHAPE(4), INIT_NORMAL(1));
    at_tensor *column = at_param(t, s, "column", SHAPE(2, 1, 1), INIT_NORMAL(1));
    return at_add(t, at_add(t, at_add(t, a, row), column), a);
}

const at_op at_op_add = {
    .name = "add",
    .formula = "y = a + b",
    .backward = backward,
    .sample = sample,
    .forgets_output = true,
};
