/* y = (s - mean) / sqrt(var + eps) * w + b over the last axis (Ba et al. 2016), where s is x, or
 * the residual sum x + r: then a row is normalised while it is in the cache, and backward hands
 * the gradient of s to x and r row by row. */
#include <string.h>

#include "base/threads.h"
#include "grad/ops.h"
#include "tensor/vector.h"

typedef struct {
    real *s, *mean, *rstd; /* mean and rstd: one per row */
} norm;

typedef struct {
    size_t n;
    real eps;
    const real *x, *r, *w, *b; /* r: NULL where s is x */
    real *y;
    norm saved;
} rows;

static void forward_rows(void *arg, ptrdiff_t i, ptrdiff_t end)
{
    const rows *r = arg;
    const at_vector_kernel *v = at_vector();
    for (; i < end; i++) {
        size_t at = (size_t)i * r->n;
        if (r->r)
            v->add(r->n, r->x + at, r->r + at, r->saved.s + at);
        v->layer_norm(r->n, r->saved.s + at, r->w, r->b, r->eps, r->y + at, r->saved.mean + i,
                      r->saved.rstd + i);
    }
}

static bool fits(at_tape *t, const at_tensor *x, const at_tensor *r, const at_tensor *weight,
                 const at_tensor *bias)
{
    at_shape want = SHAPE(at_shape_last(x->shape));
    if (x->shape.rank < 1 || want.dim[0] < 1 || !at_shape_equal(weight->shape, want)
        || !at_shape_equal(bias->shape, want))
        at_fail(t, "layer norm: input %s does not fit weight %s and bias %s",
                at_shape_print(x->shape).text, at_shape_print(weight->shape).text,
                at_shape_print(bias->shape).text);
    else if (r && !at_shape_equal(x->shape, r->shape))
        at_fail(t, "residual norm: shapes %s and %s differ", at_shape_print(x->shape).text,
                at_shape_print(r->shape).text);
    return !at_failed(t);
}

static at_tensor *normalise(at_tape *t, at_tensor *x, at_tensor *r, at_tensor *weight,
                            at_tensor *bias, real eps, at_tensor **sum)
{
    if (at_failed(t) || !fits(t, x, r, weight, bias))
        return at_poison(t);
    size_t n = (size_t)at_shape_last(x->shape), count = x->len / n;
    at_tensor *y = at_new(t, x->shape), *s = sum ? at_new(t, x->shape) : NULL;
    norm *saved = at_scratch(t, sizeof *saved);
    real *moments = at_scratch_reals(t, 2 * count);
    real *mine = r && !s ? at_scratch_reals(t, x->len) : NULL;
    if (at_failed(t))
        return at_poison(t);
    *saved = (norm){!r ? x->value : s ? s->value : mine, moments, moments + count};
    rows work = {n,           eps,      x->value, r ? r->value : NULL, weight->value,
                 bias->value, y->value, *saved};
    at_parallel_for((ptrdiff_t)count, ATTEND_VECTOR_GRAIN / 2 / (ptrdiff_t)n + 1, forward_rows,
                    &work);
    if (!at_recording(t, INPUTS(x, weight, bias, r)))
        ;
    else if (r)
        at_record(t, &at_op_residual_norm, INPUTS(x, weight, bias, r), OUTPUTS(y, s), saved);
    else
        at_record(t, &at_op_layer_norm, INPUTS(x, weight, bias), OUTPUTS(y), saved);
    if (sum)
        *sum = s;
    return y;
}

at_tensor *at_layer_norm(at_tape *t, at_tensor *x, at_tensor *weight, at_tensor *bias, real eps)
{
    return normalise(t, x, NULL, weight, bias, eps, NULL);
}

at_tensor *at_residual_norm(at_tape *t, at_tensor *x, at_tensor *r, at_tensor *weight,
                            at_tensor *bias, real eps, at_tensor **sum)
{
    if (sum)
        *sum = at_poison(t);
    return normalise(t, x, r, weight, bias, eps, sum);
}

/* ---- backward ---------------------------------------------------------------------------- */

/* The sums over rows for weight and bias run in a fixed number of blocks, added in order: the
 * same bits for any number of threads. */
enum { BLOCKS = 16 };

typedef struct {
    size_t n, count;
    const norm *saved;
    const real *w, *dy, *dsum; /* dsum: of the output s, or NULL */
    real *dx, *dr;             /* or NULL where no gradient is wanted */
    real beta, beta_r;
    real *partial; /* [BLOCKS][2][n]: dw and db; or NULL */
    real *row;     /* [BLOCKS][n]: ds of one row; NULL where it is dx */
} back;

/* ds of a row that both x and r receive */
static void residual_row(const back *b, size_t at, const real *s, real mean, real rstd, real *ds,
                         real *dw, real *db)
{
    const at_vector_kernel *v = at_vector();
    if (b->dsum)
        memcpy(ds, b->dsum + at, b->n * sizeof *ds);
    v->layer_norm_back(b->n, s, b->w, mean, rstd, b->dy + at, b->dsum ? 1 : 0, ds, dw, db);
    if (b->dx)
        v->axpy(b->n, 1, ds, b->beta, b->dx + at);
    if (b->dr)
        v->axpy(b->n, 1, ds, b->beta_r, b->dr + at);
}

static void back_block(void *arg, int block)
{
    const back *b = arg;
    size_t n = b->n, k = (size_t)block;
    size_t begin = b->count * k / BLOCKS, end = b->count * (k + 1) / BLOCKS;
    real *dw = b->partial ? b->partial + k * 2 * n : NULL, *db = dw ? dw + n : NULL;
    if (dw)
        memset(dw, 0, 2 * n * sizeof *dw);
    for (size_t i = begin; i < end; i++) {
        const real *s = b->saved->s + i * n;
        real mean = b->saved->mean[i], rstd = b->saved->rstd[i];
        if (b->row)
            residual_row(b, i * n, s, mean, rstd, b->row + k * n, dw, db);
        else
            at_vector()->layer_norm_back(n, s, b->w, mean, rstd, b->dy + i * n, b->beta,
                                         b->dx ? b->dx + i * n : NULL, dw, db);
    }
}

static void parameter_sums(const at_node *n, const back *b)
{
    for (int k = 0; k < 2; k++) {
        real beta, *d = at_grad_in(n, 1 + k, &beta);
        for (int block = 0; d && block < BLOCKS; block++)
            at_vector()->axpy(b->n, 1, b->partial + (size_t)(2 * block + k) * b->n,
                              block ? 1 : beta, d);
    }
}

/* Only s was used: its gradient is that of x and of r. */
static void hand_on(const at_node *n, const real *dsum)
{
    for (int k = 0; k < 4; k += 3) {
        real beta, *dx = at_grad_in(n, k, &beta);
        if (dx)
            at_vector_axpy(n->in[k]->len, 1, dsum, beta, dx);
    }
}

static void backward(const at_node *n)
{
    const at_tensor *x = n->in[0];
    bool residual = n->n_in == 4, sums = n->in[1]->wants_grad || n->in[2]->wants_grad;
    back b = {.n = (size_t)at_shape_last(x->shape), .saved = n->saved, .w = n->in[1]->value};
    b.count = x->len / b.n;
    b.dy = at_grad_out(n, 0);
    b.dsum = residual ? at_grad_out(n, 1) : NULL;
    if (!b.dy) {
        hand_on(n, b.dsum);
        return;
    }
    if (sums)
        b.partial = at_brief_reals(n->tape, BLOCKS * 2 * b.n);
    if (residual)
        b.row = at_brief_reals(n->tape, BLOCKS * b.n);
    b.dx = at_grad_in(n, 0, &b.beta);
    b.dr = residual ? at_grad_in(n, 3, &b.beta_r) : NULL;
    if (at_failed(n->tape))
        return;
    at_parallel_each(BLOCKS, 4.0 * (double)x->len / BLOCKS, back_block, &b);
    if (sums)
        parameter_sums(n, &b);
}

/* ---- the list ---------------------------------------------------------------------------- */

static at_tensor *parameter(at_tape *t, at_path s, const char *name)
{
    return at_param(t, s, name, SHAPE(5), INIT_NORMAL(1));
}

static at_tensor *input(at_tape *t, at_path s, const char *name)
{
    return at_param(t, s, name, SHAPE(2, 3, 5), INIT_NORMAL(1));
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    return at_layer_norm(t, input(t, s, "x"), parameter(t, s, "weight"), parameter(t, s, "bias"),
                         (real)1e-5);
}

const at_op at_op_layer_norm = {
    .name = "layer_norm",
    .formula = "y = (x - mean) / sqrt(var + eps) * w + b",
    .backward = backward,
    .sample = sample,
    .forgets_output = true,
};

/* three in a row: both outputs used, y alone, s alone */
static at_tensor *residual_sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *x = input(t, s, "x"), *r = input(t, s, "r"), *w = parameter(t, s, "weight");
    at_tensor *b = parameter(t, s, "bias"), *sum, *last;
    at_tensor *y = at_residual_norm(t, x, r, w, b, (real)1e-5, &sum);
    y = at_residual_norm(t, sum, y, w, b, (real)1e-5, NULL);
    at_residual_norm(t, y, x, w, b, (real)1e-5, &last);
    return last;
}

static at_tensor *residual_reference(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *x = input(t, s, "x"), *r = input(t, s, "r"), *w = parameter(t, s, "weight");
    at_tensor *b = parameter(t, s, "bias"), *sum = at_add(t, x, r);
    at_tensor *y = at_add(t, sum, at_layer_norm(t, sum, w, b, (real)1e-5));
    return at_add(t, at_layer_norm(t, y, w, b, (real)1e-5), x);
}

const at_op at_op_residual_norm = {
    .name = "residual_norm",
    .formula = "s = x + r, y = (s - mean) / sqrt(var + eps) * w + b",
    .backward = backward,
    .sample = residual_sample,
    .reference = residual_reference,
};
