/* e_j = w_v^T tanh(W_q q + W_k k_j [+ b]) (Bahdanau et al. 2014, A.1.2). Luong's concat is the same
 * function with W = [W_q W_k]. W_k k_j + b depends on the source alone.
 *
 * The [Q,K,A] numbers under the tanh never exist: one op adds, bends and sums a row at a time, and
 * computes them again in backward. */
#include <string.h>

#include "attention/attention.h"
#include "base/threads.h"
#include "tensor/vector.h"

/* ---- the op: q [B,Q,A], k [B,K,A], v [A] -> [B,Q,K] --------------------------------------- */

typedef struct {
    int Q, K, A;
    const real *q, *k, *v, *de;
    real *e;
    real *dq, *dk, *dv; /* dv: one row of A for each sentence */
} work;

static void forward_sentence(void *arg, int b)
{
    const work *w = arg;
    size_t A = (size_t)w->A;
    for (int i = 0; i < w->Q; i++)
        for (int j = 0; j < w->K; j++)
            w->e[((size_t)b * (size_t)w->Q + (size_t)i) * (size_t)w->K + (size_t)j] =
                at_vector()->tanh_dot(A, w->q + ((size_t)b * (size_t)w->Q + (size_t)i) * A,
                                      w->k + ((size_t)b * (size_t)w->K + (size_t)j) * A, w->v);
}

static at_tensor *additive(at_tape *t, at_tensor *q, at_tensor *k, at_tensor *v)
{
    if (at_failed(t))
        return at_poison(t);
    work w = {q->shape.dim[1],
              k->shape.dim[1],
              at_shape_last(q->shape),
              q->value,
              k->value,
              v->value,
              NULL,
              NULL,
              NULL,
              NULL,
              NULL};
    at_tensor *e = at_new(t, SHAPE(q->shape.dim[0], w.Q, w.K));
    if (at_failed(t))
        return e;
    w.e = e->value;
    at_parallel_each(q->shape.dim[0], 10.0 * w.Q * w.K * w.A, forward_sentence, &w);
    if (at_recording(t, INPUTS(q, k, v)))
        at_record(t, &at_op_additive_score, INPUTS(q, k, v), OUTPUTS(e), NULL);
    return e;
}

/* y = tanh(q + k): de_ij sends de v (1 - y^2) to q_i and k_j, and de y to v */
static void backward_sentence(void *arg, int b)
{
    const work *w = arg;
    size_t A = (size_t)w->A, Q = (size_t)w->Q, K = (size_t)w->K, s = (size_t)b;
    if (w->dv)
        memset(w->dv + s * A, 0, A * sizeof(real));
    for (size_t i = 0; i < Q; i++)
        for (size_t j = 0; j < K; j++) {
            real de = w->de[(s * Q + i) * K + j];
            if (de != 0) /* hidden positions pass nothing */
                at_vector()->tanh_dot_back(A, w->q + (s * Q + i) * A, w->k + (s * K + j) * A, w->v,
                                           de, w->dq + (s * Q + i) * A, w->dk + (s * K + j) * A,
                                           w->dv + s * A);
        }
}

static void additive_backward(const at_node *n)
{
    const at_tensor *q = n->in[0], *k = n->in[1], *v = n->in[2];
    size_t B = (size_t)q->shape.dim[0], A = v->len;
    work w = {q->shape.dim[1],
              k->shape.dim[1],
              (int)A,
              q->value,
              k->value,
              v->value,
              at_grad_out(n, 0),
              NULL,
              at_grad_add(n, 0),
              at_grad_add(n, 1),
              at_scratch_reals(n->tape, B * A)};
    if (!w.dq) /* not wanted: computed all the same, and forgotten */
        w.dq = at_scratch_reals(n->tape, q->len);
    if (!w.dk)
        w.dk = at_scratch_reals(n->tape, k->len);
    if (at_failed(n->tape))
        return;
    if (!q->wants_grad)
        memset(w.dq, 0, q->len * sizeof(real));
    if (!k->wants_grad)
        memset(w.dk, 0, k->len * sizeof(real));
    at_parallel_each((int)B, 12.0 * w.Q * w.K * w.A, backward_sentence, &w);
    real beta, *dv = at_grad_in(n, 2, &beta);
    if (dv)
        at_columns_sum(B, (int)A, w.dv, beta, dv);
}

static at_tensor *sample_of(at_tape *t, at_path s, bool fused)
{
    at_tensor *q = at_param(t, s, "q", SHAPE(2, 3, 5), INIT_NORMAL(1));
    at_tensor *k = at_param(t, s, "k", SHAPE(2, 4, 5), INIT_NORMAL(1));
    at_tensor *v = at_param(t, s, "v", SHAPE(5), INIT_NORMAL(1));
    if (fused)
        return additive(t, q, k, v);
    at_tensor *sum = at_add(t, at_reshape(t, q, SHAPE(2, 3, 1, 5)),
                            at_reshape(t, k, SHAPE(2, 1, 4, 5))); /* [2,3,4,5] */
    return at_sum_axis(t, at_multiply(t, at_tanh(t, sum), v), 3);
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    return sample_of(t, s, true);
}

static at_tensor *reference(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    return sample_of(t, s, false);
}

const at_op at_op_additive_score = {
    .name = "additive_score",
    .formula = "e_ij = v . tanh(q_i + k_j)",
    .backward = additive_backward,
    .sample = sample,
    .reference = reference,
    .forgets_output = true,
};

/* ---- the score ---------------------------------------------------------------------------- */

static int size_of(const at_how *how, const at_memory *m)
{
    return how->size ? how->size : m->width;
}

static at_tensor *prepare(at_tape *t, at_path s, const at_how *how, const at_memory *m)
{
    int A = size_of(how, m);
    bool has_bias = how->score_values.given > 0;
    at_tensor *w = at_param(t, s, "key", SHAPE(A, at_shape_last(m->keys->shape)), INIT_GLOROT);
    at_tensor *b = has_bias ? at_param(t, s, "bias", SHAPE(A), INIT_ZERO) : NULL;
    return at_affine(t, m->keys, w, b, ATTEND_OUT_IN); /* [B,K,A] */
}

static at_tensor *score(at_tape *t, at_path s, const at_how *how, const at_query *q,
                        const at_memory *m)
{
    int A = size_of(how, m);
    at_tensor *w = at_param(t, s, "query", SHAPE(A, m->width), INIT_GLOROT);
    at_tensor *v = at_param(t, s, "energy", SHAPE(A), INIT_GLOROT);
    return additive(t, at_affine(t, q->query, w, NULL, ATTEND_OUT_IN), m->prepared, v);
}

const at_score at_score_additive = {
    .about = {.name = "additive",
              .aliases = "mlp bahdanau concat",
              .values = "bias",
              .value = {{.kind = ATTEND_VALUE_WORD}},
              .formula = "e_j = w_v^T tanh(W_q q + W_k k_j [+ b])",
              .source = "Bahdanau et al. 2014, A.1.2; Luong et al. 2015, 3.1 (concat)",
              .use = "recurrent translators; query and keys of any size",
              .cost = "n d^2 once per source, then n^2 d time with a tanh each, n^2 memory",
              .parameters = "W_q [A,dq], W_k [A,dk], w_v [A], b [A] on request"},
    .has_hidden = true,
    .linear = true,
    .prepare = prepare,
    .score = score,
};
