/* y_d = max_t x_td over the positions of a sentence: what is found somewhere, wherever it stands.
 * The gradient goes to the first position that has the maximum; a sentence without positions has
 * zeros. */
#include "grad/ops.h"

typedef struct {
    size_t B, T, D;
    int *where; /* [B][D]; -1: nowhere */
} maxima;

static maxima *take_sizes(at_tape *t, const at_tensor *x)
{
    maxima *m = at_scratch(t, sizeof *m);
    size_t B = (size_t)x->shape.dim[0], D = (size_t)x->shape.dim[2];
    int *where = at_scratch(t, (B * D + 1) * sizeof *where);
    if (!m || !where)
        return NULL;
    *m = (maxima){B, (size_t)x->shape.dim[1], D, where};
    return m;
}

static void find(const maxima *m, size_t b, int length, const real *x, real *y)
{
    int *where = m->where + b * m->D;
    for (size_t d = 0; d < m->D; d++) {
        y[d] = length > 0 ? x[d] : 0;
        where[d] = length > 0 ? 0 : -1;
    }
    for (int i = 1; i < length; i++)
        for (size_t d = 0; d < m->D; d++)
            if (x[(size_t)i * m->D + d] > y[d]) {
                y[d] = x[(size_t)i * m->D + d];
                where[d] = i;
            }
}

at_tensor *at_max_time(at_tape *t, at_tensor *x, const int *lengths, const int **where)
{
    if (at_failed(t))
        return at_poison(t);
    if (x->shape.rank != 3)
        return at_fail(t, "max_time: %s; it takes [B,T,D]", at_shape_print(x->shape).text);
    at_tensor *y = at_new(t, SHAPE(x->shape.dim[0], x->shape.dim[2]));
    maxima *m = at_failed(t) ? NULL : take_sizes(t, x);
    if (!m)
        return at_poison(t);
    for (size_t b = 0; b < m->B; b++) {
        int length = lengths && lengths[b] < (int)m->T ? lengths[b] : (int)m->T;
        find(m, b, length, x->value + b * m->T * m->D, y->value + b * m->D);
    }
    if (where)
        *where = m->where;
    if (at_recording(t, INPUTS(x)))
        at_record(t, &at_op_max_time, INPUTS(x), OUTPUTS(y), m);
    return y;
}

static void backward(const at_node *n)
{
    const maxima *m = n->saved;
    const real *dy = at_grad_out(n, 0);
    real *dx = at_grad_add(n, 0);
    for (size_t i = 0; dx && i < m->B * m->D; i++)
        if (m->where[i] >= 0)
            dx[(i / m->D * m->T + (size_t)m->where[i]) * m->D + i % m->D] += dy[i];
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    static const int lengths[] = {4, 2, 0};
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(3, 4, 3), INIT_NORMAL(1));
    at_tensor *y = at_max_time(t, at_multiply(t, x, x), lengths, NULL);
    return at_concat(t, 2, (at_tensor *[]){y, at_max_time(t, x, NULL, NULL)}, 1);
}

const at_op at_op_max_time = {
    .name = "max_time",
    .formula = "y_d = max_t x_td",
    .backward = backward,
    .sample = sample,
    .forgets_output = true,
};
