/* e_j = -|q - k_j|^2 / 2: the softmax of it is the kernel estimate of Nadaraya and Watson 1964.
 * One op computes squared distances, with or without a width for all dimensions or for each:
 * e_j = -|w o (q - k_j)|^2 / 2. */
#include <string.h>

#include "attention/gaussian.h"
#include "base/threads.h"

typedef struct {
    int Q, K, D;
    bool scalar; /* one width for all dimensions */
    const real *q, *k, *w, *de;
    real *e, *dq, *dk, *dw; /* dw: one row of D for each sentence */
} work;

static real width(const work *g, int d) { return !g->w ? 1 : g->w[g->scalar ? 0 : d]; }

static void forward_sentence(void *arg, int b)
{
    const work *g = arg;
    for (int i = 0; i < g->Q; i++)
        for (int j = 0; j < g->K; j++) {
            const real *q = g->q + ((size_t)b * (size_t)g->Q + (size_t)i) * (size_t)g->D;
            const real *k = g->k + ((size_t)b * (size_t)g->K + (size_t)j) * (size_t)g->D;
            real sum = 0;
            for (int d = 0; d < g->D; d++) {
                real x = width(g, d) * (q[d] - k[d]);
                sum += x * x;
            }
            g->e[((size_t)b * (size_t)g->Q + (size_t)i) * (size_t)g->K + (size_t)j] = -sum / 2;
        }
}

at_tensor *at_gaussian_score(at_tape *t, at_tensor *q, at_tensor *k, at_tensor *w)
{
    if (at_failed(t))
        return at_poison(t);
    int D = at_shape_last(q->shape);
    if (D != at_shape_last(k->shape) || (w && w->len != 1 && w->len != (size_t)D))
        return at_fail(t, "gaussian: queries %s and keys %s must have one width",
                       at_shape_print(q->shape).text, at_shape_print(k->shape).text);
    at_tensor *e = at_new(t, SHAPE(q->shape.dim[0], q->shape.dim[1], k->shape.dim[1]));
    if (at_failed(t))
        return e;
    work g = {.Q = q->shape.dim[1],
              .K = k->shape.dim[1],
              .D = D,
              .scalar = w && w->len == 1,
              .q = q->value,
              .k = k->value,
              .w = w ? w->value : NULL,
              .e = e->value};
    at_parallel_each(q->shape.dim[0], (double)g.Q * g.K * D, forward_sentence, &g);
    if (at_recording(t, INPUTS(q, k, w)))
        at_record(t, &at_op_gaussian_score, INPUTS(q, k, w), OUTPUTS(e), NULL);
    return e;
}

/* x = q - k: de_ij sends -de w^2 x to q_i, its opposite to k_j, and -de w x^2 to w */
static void backward_sentence(void *arg, int b)
{
    const work *g = arg;
    size_t Q = (size_t)g->Q, K = (size_t)g->K, D = (size_t)g->D, s = (size_t)b;
    if (g->dw)
        memset(g->dw + s * D, 0, D * sizeof(real));
    for (size_t i = 0; i < Q; i++)
        for (size_t j = 0; j < K; j++) {
            real de = g->de[(s * Q + i) * K + j];
            for (size_t d = 0; d < D && de != 0; d++) {
                size_t at = (s * Q + i) * D + d, to = (s * K + j) * D + d;
                real w = width(g, (int)d), x = g->q[at] - g->k[to];
                if (g->dq)
                    g->dq[at] -= de * w * w * x;
                if (g->dk)
                    g->dk[to] += de * w * w * x;
                if (g->dw)
                    g->dw[s * D + d] -= de * w * x * x;
            }
        }
}

static void backward(const at_node *n)
{
    const at_tensor *q = n->in[0], *k = n->in[1], *w = n->in[2];
    int B = q->shape.dim[0];
    work g = {.Q = q->shape.dim[1],
              .K = k->shape.dim[1],
              .D = at_shape_last(q->shape),
              .scalar = w && w->len == 1,
              .q = q->value,
              .k = k->value,
              .w = w ? w->value : NULL,
              .de = at_grad_out(n, 0),
              .dq = at_grad_add(n, 0),
              .dk = at_grad_add(n, 1)};
    real *dw = w ? at_grad_add(n, 2) : NULL;
    if (dw)
        g.dw = at_scratch_reals(n->tape, (size_t)B * (size_t)g.D);
    if (at_failed(n->tape))
        return;
    at_parallel_each(B, 3.0 * g.Q * g.K * g.D, backward_sentence, &g);
    for (int i = 0; dw && i < B * g.D; i++)
        dw[g.scalar ? 0 : i % g.D] += g.dw[i];
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *q = at_param(t, s, "q", SHAPE(2, 3, 2), INIT_NORMAL(1));
    at_tensor *k = at_param(t, s, "k", SHAPE(2, 4, 2), INIT_NORMAL(1));
    at_tensor *one = at_param(t, s, "one", SHAPE(1), INIT_NORMAL(1));
    at_tensor *each = at_param(t, s, "each", SHAPE(2), INIT_NORMAL(1));
    return at_add(
        t, at_gaussian_score(t, q, k, NULL),
        at_multiply(t, at_gaussian_score(t, q, k, one), at_gaussian_score(t, q, k, each)));
}

const at_op at_op_gaussian_score = {
    .name = "gaussian_score",
    .formula = "e_ij = -|w o (q_i - k_j)|^2 / 2",
    .backward = backward,
    .sample = sample,
    .forgets_output = true,
};

static at_tensor *score(at_tape *t, at_path s, const at_how *how, const at_query *q,
                        const at_memory *m)
{
    (void)s, (void)how;
    return at_gaussian_score(t, q->query, m->keys, NULL);
}

const at_score at_score_gaussian = {
    .about = {.name = "gaussian",
              .formula = "e_j = -|q - k_j|^2 / 2",
              .source = "Nadaraya 1964; Watson 1964",
              .use = "regression: near points count, and nothing is learned",
              .cost = "n^2 d time, n^2 memory",
              .parameters = "none"},
    .one_width = true,
    .score = score,
};
