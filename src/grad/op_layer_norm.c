/* y = (x - mean) / sqrt(var + eps) * w + b over the last axis (Ba et al. 2016). */
#include <string.h>

#include "base/threads.h"
#include "grad/ops.h"
#include "tensor/vector.h"

typedef struct {
    size_t n;
    real eps, beta;
    const real *x, *w, *b, *dy;
    real *y, *mean, *rstd; /* mean and rstd: one per row */
} rows;

static void forward_rows(void *arg, ptrdiff_t i, ptrdiff_t end)
{
    const rows *r = arg;
    for (; i < end; i++)
        at_vector()->layer_norm(r->n, r->x + (size_t)i * r->n, r->w, r->b, r->eps,
                                r->y + (size_t)i * r->n, r->mean + i, r->rstd + i);
}

static ptrdiff_t grain(size_t n) { return ATTEND_VECTOR_GRAIN / 2 / (ptrdiff_t)n + 1; }

at_tensor *at_layer_norm(at_tape *t, at_tensor *x, at_tensor *weight, at_tensor *bias, real eps)
{
    if (at_failed(t))
        return at_poison(t);
    at_shape want = SHAPE(at_shape_last(x->shape));
    if (x->shape.rank < 1 || want.dim[0] < 1 || !at_shape_equal(weight->shape, want)
        || !at_shape_equal(bias->shape, want))
        return at_fail(t, "layer norm: input %s does not fit weight %s and bias %s",
                       at_shape_print(x->shape).text, at_shape_print(weight->shape).text,
                       at_shape_print(bias->shape).text);
    size_t n = (size_t)want.dim[0], count = x->len / n;
    at_tensor *y = at_new(t, x->shape);
    real *moments = at_scratch_reals(t, 2 * count); /* mean and 1/std of each row */
    if (at_failed(t))
        return at_poison(t);
    rows r = {.n = n,
              .eps = eps,
              .x = x->value,
              .w = weight->value,
              .b = bias->value,
              .y = y->value,
              .mean = moments,
              .rstd = moments + count};
    at_parallel_for((ptrdiff_t)count, grain(n), forward_rows, &r);
    if (at_recording(t, INPUTS(x, weight, bias)))
        at_record(t, &at_op_layer_norm, INPUTS(x, weight, bias), OUTPUTS(y), moments);
    return y;
}

static void input_rows(void *arg, ptrdiff_t i, ptrdiff_t end)
{
    const rows *r = arg;
    for (; i < end; i++) {
        size_t at = (size_t)i * r->n;
        at_vector()->layer_norm_back(r->n, r->x + at, r->w, r->mean[i], r->rstd[i], r->dy + at,
                                     r->beta, r->y + at, NULL, NULL);
    }
}

/* The sums over rows for weight and bias run in a fixed number of blocks, added in order: the
 * same bits for any number of threads. */
enum { BLOCKS = 16 };

typedef struct {
    rows r;
    size_t count;
    real *partial; /* [BLOCKS][2][n] */
} sums;

static void sum_block(void *arg, int block)
{
    const sums *s = arg;
    size_t n = s->r.n;
    real *dw = s->partial + (size_t)block * 2 * n, *db = dw + n;
    memset(dw, 0, 2 * n * sizeof *dw);
    size_t begin = s->count * (size_t)block / BLOCKS, end = s->count * (size_t)(block + 1) / BLOCKS;
    for (size_t i = begin; i < end; i++)
        at_vector()->layer_norm_back(n, s->r.x + i * n, s->r.w, s->r.mean[i], s->r.rstd[i],
                                     s->r.dy + i * n, 0, NULL, dw, db);
}

static void parameter_sums(const at_node *n, const rows *r, size_t count)
{
    if (!n->in[1]->wants_grad && !n->in[2]->wants_grad)
        return;
    sums s = {*r, count, at_brief_reals(n->tape, BLOCKS * 2 * r->n)};
    if (!s.partial)
        return;
    at_parallel_each(BLOCKS, (double)(count * r->n) / BLOCKS, sum_block, &s);
    for (int k = 0; k < 2; k++) {
        real beta, *d = at_grad_in(n, 1 + k, &beta);
        for (int block = 0; d && block < BLOCKS; block++)
            at_vector()->axpy(r->n, 1, s.partial + (size_t)(2 * block + k) * r->n, block ? 1 : beta,
                              d);
    }
}

static void backward(const at_node *n)
{
    const at_tensor *x = n->in[0];
    size_t size = (size_t)at_shape_last(x->shape), count = x->len / size;
    real *moments = n->saved;
    rows r = {.n = size,
              .x = x->value,
              .w = n->in[1]->value,
              .dy = at_grad_out(n, 0),
              .mean = moments,
              .rstd = moments + count};
    parameter_sums(n, &r, count);
    r.y = at_grad_in(n, 0, &r.beta);
    if (r.y)
        at_parallel_for((ptrdiff_t)count, grain(size), input_rows, &r);
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 3, 5), INIT_NORMAL(1));
    at_tensor *w = at_param(t, s, "weight", SHAPE(5), INIT_NORMAL(1));
    at_tensor *b = at_param(t, s, "bias", SHAPE(5), INIT_NORMAL(1));
    return at_layer_norm(t, x, w, b, (real)1e-5);
}

const at_op at_op_layer_norm = {
    .name = "layer_norm",
    .formula = "y = (x - mean) / sqrt(var + eps) * w + b",
    .backward = backward,
    .sample = sample,
    .forgets_output = true,
};
