/* y_j = x_j - log sum_k exp x_k along the last axis. */
#include "base/threads.h"
#include "grad/ops.h"
#include "tensor/vector.h"

typedef struct {
    size_t n;
    const real *x, *dy;
    real *y;
    real beta;
} rows;

static void forward_rows(void *arg, ptrdiff_t row, ptrdiff_t end)
{
    const rows *r = arg;
    for (; row < end; row++)
        at_log_softmax_row(r->n, r->x + (size_t)row * r->n, r->y + (size_t)row * r->n);
}

at_tensor *at_log_softmax(at_tape *t, at_tensor *x)
{
    if (at_failed(t))
        return at_poison(t);
    at_tensor *y = at_new(t, x->shape);
    if (at_failed(t))
        return y;
    rows r = {.n = (size_t)at_shape_last(x->shape), .x = x->value, .y = y->value};
    if (r.n)
        at_parallel_for((ptrdiff_t)(x->len / r.n), 4096 / (ptrdiff_t)r.n + 1, forward_rows, &r);
    if (at_recording(t, INPUTS(x)))
        at_record(t, &at_op_log_softmax, INPUTS(x), OUTPUTS(y), NULL);
    return y;
}

/* dx = dy - exp(y) sum(dy) */
static void backward_rows(void *arg, ptrdiff_t row, ptrdiff_t end)
{
    const rows *r = arg;
    for (; row < end; row++) {
        size_t at = (size_t)row * r->n;
        const real *y = r->x + at, *dy = r->dy + at;
        real *dx = r->y + at, sum = at_vector()->sum(r->n, dy);
        for (size_t i = 0; i < r->n; i++)
            dx[i] = (r->beta == 0 ? 0 : dx[i]) + dy[i] - real_exp(y[i]) * sum;
    }
}

static void backward(const at_node *n)
{
    rows r = {.n = (size_t)at_shape_last(n->out[0]->shape),
              .x = n->out[0]->value,
              .dy = at_grad_out(n, 0)};
    r.y = at_grad_in(n, 0, &r.beta);
    if (r.y && r.n)
        at_parallel_for((ptrdiff_t)(n->out[0]->len / r.n), 4096 / (ptrdiff_t)r.n + 1, backward_rows,
                        &r);
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    return at_log_softmax(t, at_param(t, s, "x", SHAPE(3, 5), INIT_NORMAL(2)));
}

const at_op at_op_log_softmax = {
    .name = "log_softmax",
    .formula = "y_j = x_j - log sum_k exp x_k",
    .backward = backward,
    .sample = sample,
};
