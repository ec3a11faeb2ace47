/* w_j = K_j / sum K over the visible keys. With S the sum and g the gradient that reaches w,
 *
 *     dK_j = (g_j - sum_k g_k w_k) / S,   de_j = -2 K'(s_j) dK_j,   s = -2 e
 *
 * Where all K are 0 the weights are equal, whatever the scores: no gradient. */
#include "attention/pool.h"

#include <string.h>

#include "attention/gaussian.h"
#include "attention/parts.h"
#include "base/threads.h"
#include "grad/mask.h"

enum { GRAIN = 4096 }; /* weights that are worth a thread */

typedef struct {
    const at_kernel *kernel;
    real *sum; /* of K in each row; 0 where the weights do not depend on the scores */
} saved;

typedef struct {
    const at_mask_view *view;
    saved s;
    const real *e, *w, *dw;
    real *out;
    size_t keys;
} rows;

static bool visible(const unsigned char *hidden, int j) { return !hidden || !hidden[j]; }

static real forward_row(const at_kernel *kernel, int n, int end, const unsigned char *hidden,
                        const real *e, real *w)
{
    real sum = 0, slope;
    int seen = 0;
    memset(w, 0, (size_t)n * sizeof *w);
    for (int j = 0; j < end; j++)
        if (visible(hidden, j)) {
            sum += w[j] = kernel->value(-2 * e[j], &slope);
            seen++;
        }
    for (int j = 0; j < end; j++)
        if (visible(hidden, j))
            w[j] = sum > 0 ? w[j] / sum : 1 / (real)seen;
    return sum;
}

static void forward_rows(void *arg, ptrdiff_t row, ptrdiff_t end)
{
    const rows *r = arg;
    const at_mask_view *v = r->view;
    for (; row < end; row++) {
        int i = (int)(row % v->queries), h = (int)(row / v->queries % v->heads);
        int b = (int)(row / v->queries / v->heads);
        size_t at = (size_t)row * r->keys;
        r->s.sum[row] = forward_row(r->s.kernel, v->keys, at_mask_end(v, b, i),
                                    at_mask_row(v, b, h, i), r->e + at, r->out + at);
    }
}

static ptrdiff_t grain(size_t keys) { return (ptrdiff_t)(GRAIN / (keys ? keys : 1) + 1); }

at_tensor *at_kernel_weights(at_tape *t, const at_kernel *kernel, at_tensor *scores,
                             const at_mask *mask)
{
    at_mask_view v;
    if (!kernel->value)
        return at_softmax(t, scores, mask);
    if (at_failed(t) || !at_mask_fit(t, kernel->about.name, mask, scores->shape, &v))
        return at_poison(t);
    at_tensor *w = at_new(t, scores->shape);
    saved *s = at_scratch(t, sizeof *s);
    real *sum = at_scratch_reals(t, at_shape_rows(scores->shape));
    if (at_failed(t))
        return at_poison(t);
    *s = (saved){kernel, sum};
    rows r = {.view = &v, .s = *s, .e = scores->value, .out = w->value, .keys = (size_t)v.keys};
    at_parallel_for((ptrdiff_t)at_shape_rows(w->shape), grain(r.keys), forward_rows, &r);
    if (at_recording(t, INPUTS(scores)))
        at_record(t, &at_op_kernel_weights, INPUTS(scores), OUTPUTS(w), s);
    return w;
}

static void backward_rows(void *arg, ptrdiff_t row, ptrdiff_t end)
{
    const rows *r = arg;
    for (; row < end; row++) {
        const real *w = r->w + (size_t)row * r->keys, *dw = r->dw + (size_t)row * r->keys;
        const real *e = r->e + (size_t)row * r->keys, sum = r->s.sum[row];
        real *de = r->out + (size_t)row * r->keys, mean = 0, slope;
        for (size_t j = 0; j < r->keys; j++)
            mean += w[j] * dw[j];
        for (size_t j = 0; j < r->keys && sum > 0; j++)
            if (w[j] > 0) { /* visible, and inside the kernel */
                r->s.kernel->value(-2 * e[j], &slope);
                de[j] -= 2 * slope * (dw[j] - mean) / sum;
            }
    }
}

static void backward(const at_node *n)
{
    rows r = {.s = *(const saved *)n->saved,
              .e = n->in[0]->value,
              .w = n->out[0]->value,
              .dw = at_grad_out(n, 0),
              .out = at_grad_add(n, 0),
              .keys = (size_t)at_shape_last(n->in[0]->shape)};
    if (r.out)
        at_parallel_for((ptrdiff_t)at_shape_rows(n->in[0]->shape), grain(r.keys), backward_rows,
                        &r);
}

/* every kernel on the same scores, with a row that sees nothing and one where all K are 0 */
static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    static const int lengths[] = {4, 0};
    static const unsigned char hidden[] = {0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0};
    static const real far[] = {0, 5, 0, 0, 0, 0};
    (void)arg;
    at_mask mask = {.lengths = lengths, .hidden = hidden, .hidden_shape = SHAPE(3, 4)};
    at_tensor *q = at_param(t, s, "q", SHAPE(2, 3, 1), INIT_NORMAL((real)0.4));
    at_tensor *k = at_param(t, s, "k", SHAPE(2, 4, 1), INIT_NORMAL((real)0.4));
    q = at_add(t, q, at_input(t, SHAPE(2, 3, 1), far));
    at_tensor *e = at_gaussian_score(t, q, k, NULL), *all = NULL;
    for (int i = 0; i < at_kernel_count; i++) {
        at_tensor *w = at_kernel_weights(t, at_kernels[i], e, &mask);
        all = all ? at_concat(t, 2, (at_tensor *[]){all, w}, 0) : w;
    }
    return all;
}

const at_op at_op_kernel_weights = {
    .name = "kernel_weights",
    .formula = "w_j = K(u_j) / sum_k K(u_k), e = -u^2 / 2",
    .backward = backward,
    .sample = sample,
};

at_reading at_pool(at_tape *t, const at_kernel *kernel, at_tensor *inverse, at_tensor *query,
                   at_tensor *keys, at_tensor *values, const at_mask *mask)
{
    at_memory m = {.keys = keys, .values = values};
    at_tensor *scores = at_gaussian_score(t, query, keys, inverse);
    at_tensor *weights = at_kernel_weights(t, kernel, scores, mask);
    return (at_reading){.context = at_context(t, weights, 0, &m),
                        .weights = at_one_head(t, weights),
                        .scores = scores};
}
