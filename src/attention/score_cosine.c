/* e_j = beta cos(q, k_j), beta = exp(s) learned from s = 0, or given (Graves et al. 2014, eq. 5-6).
 * A vector of length 0 has cosine 0 with everything, and passes no gradient. */
#include "attention/attention.h"
#include "base/threads.h"
#include "tensor/vector.h"

/* ---- the op: rows divided by their length ------------------------------------------------- */

typedef struct {
    size_t n;
    const real *x, *y, *dy;
    real *out, *norm; /* norm: one per row */
} rows;

static void forward_rows(void *arg, ptrdiff_t i, ptrdiff_t end)
{
    const rows *r = arg;
    for (; i < end; i++) {
        const real *x = r->x + (size_t)i * r->n;
        real norm = real_sqrt(at_vector()->dot(r->n, x, x));
        r->norm[i] = norm;
        at_vector()->axpy(r->n, norm > 0 ? 1 / norm : 0, x, 0, r->out + (size_t)i * r->n);
    }
}

static at_tensor *unit_rows(at_tape *t, at_tensor *x)
{
    if (at_failed(t))
        return at_poison(t);
    size_t n = (size_t)at_shape_last(x->shape), count = at_shape_rows(x->shape);
    at_tensor *y = at_new(t, x->shape);
    real *norm = at_scratch_reals(t, count);
    if (at_failed(t))
        return at_poison(t);
    rows r = {.n = n, .x = x->value, .out = y->value, .norm = norm};
    at_parallel_for((ptrdiff_t)count, 64, forward_rows, &r);
    if (at_recording(t, INPUTS(x)))
        at_record(t, &at_op_unit_rows, INPUTS(x), OUTPUTS(y), norm);
    return y;
}

/* dx = (dy - y (y . dy)) / |x| */
static void unit_rows_backward(const at_node *n)
{
    size_t size = (size_t)at_shape_last(n->in[0]->shape), count = at_shape_rows(n->in[0]->shape);
    const real *norm = n->saved, *y = n->out[0]->value, *dy = at_grad_out(n, 0);
    real *dx = at_grad_add(n, 0);
    for (size_t i = 0; dx && i < count; i++, y += size, dy += size, dx += size) {
        if (norm[i] == 0)
            continue;
        at_vector()->axpy(size, 1 / norm[i], dy, 1, dx);
        at_vector()->axpy(size, -at_vector()->dot(size, y, dy) / norm[i], y, 1, dx);
    }
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    return unit_rows(t, at_param(t, s, "x", SHAPE(3, 4), INIT_NORMAL(1)));
}

const at_op at_op_unit_rows = {
    .name = "unit_rows",
    .formula = "y = x / |x|, 0 for 0",
    .backward = unit_rows_backward,
    .sample = sample,
};

/* ---- the score ---------------------------------------------------------------------------- */

static at_tensor *prepare(at_tape *t, at_path s, const at_how *how, const at_memory *m)
{
    (void)s, (void)how;
    return unit_rows(t, m->keys);
}

static at_tensor *score(at_tape *t, at_path s, const at_how *how, const at_query *q,
                        const at_memory *m)
{
    bool is_fixed = how->score_values.given > 0;
    real fixed = is_fixed ? (real)how->score_values.number[0] : 1;
    at_tensor *e = at_matmul(t, unit_rows(t, q->query), false, m->prepared, true, fixed);
    if (is_fixed)
        return e;
    at_tensor *log_beta = at_param(t, s, "log_beta", SHAPE(1), INIT_ZERO);
    return at_multiply(t, e, at_exp(t, log_beta));
}

const at_score at_score_cosine = {
    .about = {.name = "cosine",
              .values = "beta",
              .value = {{.kind = ATTEND_VALUE_REAL, .optional = true}},
              .formula = "e_j = beta cos(q, k_j)",
              .source = "Graves et al. 2014, eq. 5 and 6",
              .use = "memories addressed by content, where lengths should not count",
              .cost = "n^2 d time, n^2 memory",
              .parameters = "s with beta = exp(s), or none when beta is given"},
    .one_width = true,
    .prepare = prepare,
    .score = score,
};
