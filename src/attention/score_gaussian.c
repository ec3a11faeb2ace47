/* e_j = -|q - k_j|^2 / 2: the softmax of it is the kernel estimate of Nadaraya and Watson 1964.
 * One op computes squared distances, with or without a width for all dimensions or for each:
 * e_j = -|w o (q - k_j)|^2 / 2.
 *
 * Points have few dimensions and there are many of them, so the loops run over keys, which are
 * turned to [D,K] for that, and jobs are blocks of queries. */
#include <string.h>

#include "attention/gaussian.h"
#include "base/threads.h"
#include "tensor/vector.h"

enum { ROWS = 32 }; /* queries in a job */

typedef struct {
    int B, Q, K, D, rows; /* rows: queries in a job */
    bool scalar;          /* one width for all dimensions */
    const real *q, *w, *de;
    real *e, *dq;
    real *turned, *dturned; /* keys and their gradient, [B,D,K] */
    real *dw, *scratch;     /* of each job: [D], and two rows of keys */
} work;

static real width(const work *g, int d) { return !g->w ? 1 : g->w[g->scalar ? 0 : d]; }

static int blocks(const work *g) { return (g->Q + g->rows - 1) / g->rows; }

/* the queries of a job: rows of q from *begin on, and how many; *b is their sentence */
static int job_rows(const work *g, int job, int *b, size_t *begin)
{
    int first = job % blocks(g) * g->rows;
    *b = job / blocks(g);
    *begin = (size_t)*b * (size_t)g->Q + (size_t)first;
    return g->Q - first < g->rows ? g->Q - first : g->rows;
}

/* keys [B,K,D] to [B,D,K], or added back */
static void turn(const work *g, const real *k, real *turned)
{
    size_t K = (size_t)g->K, D = (size_t)g->D;
    for (size_t b = 0; b < (size_t)g->B; b++)
        for (size_t j = 0; j < K; j++)
            for (size_t d = 0; d < D; d++)
                turned[(b * D + d) * K + j] = k[(b * K + j) * D + d];
}

static void turn_back(const work *g, const real *turned, real *dk)
{
    size_t K = (size_t)g->K, D = (size_t)g->D;
    for (size_t b = 0; b < (size_t)g->B; b++)
        for (size_t j = 0; j < K; j++)
            for (size_t d = 0; d < D; d++)
                dk[(b * K + j) * D + d] += turned[(b * D + d) * K + j];
}

static void forward_job(void *arg, int job)
{
    const work *g = arg;
    int b, n, K = g->K;
    size_t begin;
    n = job_rows(g, job, &b, &begin);
    for (size_t i = begin; i < begin + (size_t)n; i++) {
        real *e = g->e + i * (size_t)K;
        memset(e, 0, (size_t)K * sizeof *e);
        for (int d = 0; d < g->D; d++) {
            real q = g->q[i * (size_t)g->D + (size_t)d], w = width(g, d);
            const real *k = g->turned + (size_t)(b * g->D + d) * (size_t)K;
            for (int j = 0; j < K; j++) {
                real x = w * (q - k[j]);
                e[j] += x * x;
            }
        }
        for (int j = 0; j < K; j++)
            e[j] = -e[j] / 2;
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
    at_mark mark = at_tape_mark(t);
    work g = {.B = q->shape.dim[0],
              .Q = q->shape.dim[1],
              .K = k->shape.dim[1],
              .D = D,
              .rows = ROWS,
              .scalar = w && w->len == 1,
              .q = q->value,
              .w = w ? w->value : NULL,
              .turned = at_scratch_reals(t, k->len)};
    if (at_failed(t))
        return at_poison(t);
    g.e = e->value;
    turn(&g, k->value, g.turned);
    at_parallel_each(g.B * blocks(&g), (double)ROWS * g.K * D, forward_job, &g);
    at_scratch_release(t, mark);
    if (at_recording(t, INPUTS(q, k, w)))
        at_record(t, &at_op_gaussian_score, INPUTS(q, k, w), OUTPUTS(e), NULL);
    return e;
}

/* x = q - k: de_ij sends -de w^2 x to q_i, its opposite to k_j, and -de w x^2 to w */
static void backward_row(const work *g, int job, int b, size_t i, int d)
{
    size_t K = (size_t)g->K;
    const real *k = g->turned + (size_t)(b * g->D + d) * K, *de = g->de + i * K;
    real *x = g->scratch + (size_t)job * 2 * K, *dex = x + K;
    real q = g->q[i * (size_t)g->D + (size_t)d], w = width(g, d);
    for (size_t j = 0; j < K; j++) {
        x[j] = q - k[j];
        dex[j] = de[j] * x[j];
    }
    if (g->dq)
        g->dq[i * (size_t)g->D + (size_t)d] -= w * w * at_vector()->sum(K, dex);
    if (g->dturned)
        at_vector()->axpy(K, w * w, dex, 1, g->dturned + (size_t)(b * g->D + d) * K);
    if (g->dw)
        g->dw[job * g->D + d] -= w * at_vector()->dot(K, dex, x);
}

static void backward_job(void *arg, int job)
{
    const work *g = arg;
    int b, n;
    size_t begin;
    n = job_rows(g, job, &b, &begin);
    if (g->dw)
        memset(g->dw + job * g->D, 0, (size_t)g->D * sizeof *g->dw);
    for (size_t i = begin; i < begin + (size_t)n; i++)
        for (int d = 0; d < g->D; d++)
            backward_row(g, job, b, i, d);
}

/* Where keys want a gradient, a job is a sentence: its queries add into the same numbers. */
static void backward(const at_node *n)
{
    const at_tensor *q = n->in[0], *k = n->in[1], *w = n->in[2];
    at_tape *t = n->tape;
    real *dk = at_grad_add(n, 1), *dw = w ? at_grad_add(n, 2) : NULL;
    work g = {.B = q->shape.dim[0],
              .Q = q->shape.dim[1],
              .K = k->shape.dim[1],
              .D = at_shape_last(q->shape),
              .scalar = w && w->len == 1,
              .q = q->value,
              .w = w ? w->value : NULL,
              .de = at_grad_out(n, 0),
              .dq = at_grad_add(n, 0)};
    g.rows = dk && g.Q ? g.Q : ROWS;
    int jobs = g.B * blocks(&g);
    g.turned = at_scratch_reals(t, k->len);
    g.dturned = dk ? at_scratch_reals(t, k->len) : NULL;
    g.dw = dw ? at_scratch_reals(t, (size_t)jobs * (size_t)g.D) : NULL;
    g.scratch = at_scratch_reals(t, 2 * (size_t)jobs * (size_t)g.K);
    if (at_failed(t))
        return;
    turn(&g, k->value, g.turned);
    if (dk)
        memset(g.dturned, 0, k->len * sizeof *dk);
    at_parallel_each(jobs, 3.0 * g.rows * g.K * g.D, backward_job, &g);
    if (dk)
        turn_back(&g, g.dturned, dk);
    for (int i = 0; dw && i < jobs * g.D; i++)
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
    .of_distance = true,
    .score = score,
};
