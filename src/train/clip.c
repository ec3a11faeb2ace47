#include "train/clip.h"

#include <math.h>

#include "tensor/optim_kernel.h"

typedef struct {
    const at_gradients *g;
    const at_optim_kernel *kernel;
    double type;
    double *partial; /* by chunk */
} measure;

static double measure_block(const measure *m, size_t n, const real *x)
{
    if (m->type == 2)
        return m->kernel->sum_squares(n, x);
    if (m->type == 1)
        return m->kernel->sum_abs(n, x);
    if (isinf(m->type))
        return m->kernel->max_abs(n, x);
    return m->kernel->sum_powers(n, x, m->type);
}

/* sum of two results, or the larger; NaN if either is */
static double join(const measure *m, double a, double b)
{
    if (!isinf(m->type))
        return a + b;
    return isnan(a) || a > b ? a : b;
}

static void measure_chunk(void *arg, const at_gradient_chunk *c)
{
    const measure *m = arg;
    real buffer[ATTEND_GRADIENT_BLOCK];
    double sum = 0;
    for (size_t at = 0; at < c->len; at += ATTEND_GRADIENT_BLOCK) {
        size_t left = c->len - at, n = left < ATTEND_GRADIENT_BLOCK ? left : ATTEND_GRADIENT_BLOCK;
        const real *x = at_gradients_block(m->g, c->index, c->offset + at, n, buffer);
        sum = join(m, sum, measure_block(m, n, x));
    }
    double factor = fabs(at_gradients_factor(m->g, c->index));
    m->partial[c->number] = sum * (isinf(m->type) ? factor : pow(factor, m->type));
}

static void blame_chunk(void *arg, const at_gradient_chunk *c)
{
    const measure *m = arg;
    m->partial[c->number] = isfinite(m->partial[c->number]) ? -1 : c->index;
}

/* names the first parameter whose part of the sum is not finite; there may be none */
static attend_status not_finite(measure *m, double norm, attend_error *err)
{
    const char *name = NULL;
    at_gradients_each(m->g, blame_chunk, m);
    for (ptrdiff_t i = 0; i < at_gradients_chunks(m->g) && !name; i++)
        if (m->partial[i] >= 0)
            name = at_params_at(at_gradients_params(m->g), (int)m->partial[i])->name;
    return at_error(err, ATTEND_NUMBER,
                    "the gradient norm is %s%s%s; lower the learning rate, warm up longer, or "
                    "look for infinite values in the data",
                    isnan(norm) ? "not a number" : "infinite", name ? ", first in " : "",
                    name ? name : "");
}

attend_status at_clip_norm(at_gradients *g, double max_norm, double type, double *norm,
                           attend_error *err)
{
    measure m = {g, at_optim_kernels(), type, at_gradients_partial(g)};
    double total = 0;
    if (!(max_norm > 0))
        return at_error(err, ATTEND_OPTION,
                        "gradients cannot be clipped to a norm of %g; it must be above 0",
                        max_norm);
    if (!(type > 0))
        return at_error(err, ATTEND_OPTION, "there is no norm of order %g; it must be above 0",
                        type);
    at_gradients_each(g, measure_chunk, &m);
    for (ptrdiff_t i = 0; i < at_gradients_chunks(g); i++)
        total = join(&m, total, m.partial[i]);
    if (!isinf(type) && type != 1)
        total = type == 2 ? sqrt(total) : pow(total, 1 / type);
    if (norm)
        *norm = total;
    if (!isfinite(total))
        return not_finite(&m, total, err);
    double coefficient = max_norm / (total + 1e-6);
    if (coefficient < 1)
        at_gradients_scale(g, coefficient);
    return ATTEND_OK;
}
