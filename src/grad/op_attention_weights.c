/* Scaled dot-product attention that keeps its weights (Vaswani et al. 2017, eq. 1):
 *     A_h = softmax(scale Q_h K_h^T + mask),  C_h = A_h V_h
 * Heads are slices of the last axis; nothing is transposed or copied. */
#include <string.h>

#include "base/threads.h"
#include "grad/attention.h"
#include "grad/softmax_row.h"
#include "tensor/gemm.h"
#include "tensor/vector.h"

bool at_attention_fit(at_tape *t, at_attention_sizes *s, at_tensor *q, at_tensor *k, at_tensor *v,
                      int heads, real scale, const at_mask *mask)
{
    at_shape a = q->shape, b = k->shape, c = v->shape;
    bool fits = a.rank == 3 && b.rank == 3 && c.rank == 3 && heads > 0 && a.dim[0] == b.dim[0]
                && a.dim[0] == c.dim[0] && a.dim[2] == b.dim[2] && b.dim[1] == c.dim[1]
                && a.dim[2] % heads == 0 && c.dim[2] % heads == 0;
    if (!fits) {
        at_fail(t, "attention: queries %s, keys %s, values %s do not fit together in %d heads",
                at_shape_print(a).text, at_shape_print(b).text, at_shape_print(c).text, heads);
        return false;
    }
    *s = (at_attention_sizes){.batch = a.dim[0],
                              .heads = heads,
                              .queries = a.dim[1],
                              .keys = b.dim[1],
                              .d = a.dim[2] / heads,
                              .e = c.dim[2] / heads,
                              .scale = scale};
    return at_mask_fit(t, "attention", mask, SHAPE(s->batch, heads, s->queries, s->keys), &s->mask);
}

typedef struct {
    const at_attention_sizes *s;
    const real *q, *k, *v;
    real *weights, *context;
    /* backward */
    const real *d_context, *d_weights;
    real *dq, *dk, *dv, *scores; /* scores: [batch*heads, Q, K], the gradient of the scores */
    real q_beta, k_beta, v_beta;
} work;

static at_matrix head(const real *base, const at_attention_sizes *s, int b, int h, int rows,
                      int width, bool transposed)
{
    return (at_matrix){at_head((real *)base, s, b, h, rows, width), (ptrdiff_t)s->heads * width,
                       transposed};
}

static void forward_head(void *arg, int item)
{
    const work *w = arg;
    const at_attention_sizes *s = w->s;
    int b = item / s->heads, h = item % s->heads;
    real *A = w->weights + (size_t)item * (size_t)s->queries * (size_t)s->keys;
    at_gemm(s->queries, s->keys, s->d, s->scale, head(w->q, s, b, h, s->queries, s->d, false),
            head(w->k, s, b, h, s->keys, s->d, true), 0, A, s->keys);
    for (int i = 0; i < s->queries; i++)
        at_softmax_row(s->keys, at_mask_end(&s->mask, b, i), at_mask_row(&s->mask, b, h, i),
                       A + (size_t)i * (size_t)s->keys, A + (size_t)i * (size_t)s->keys);
    at_gemm(s->queries, s->e, s->keys, 1, (at_matrix){A, s->keys, false},
            head(w->v, s, b, h, s->keys, s->e, false), 0,
            at_head(w->context, s, b, h, s->queries, s->e), (ptrdiff_t)s->heads * s->e);
}

at_attention_result at_attention_weights(at_tape *t, at_tensor *q, at_tensor *k, at_tensor *v,
                                         int heads, real scale, const at_mask *mask)
{
    at_attention_result poison = {at_poison(t), at_poison(t)};
    at_attention_sizes *s = at_failed(t) ? NULL : at_scratch(t, sizeof *s);
    if (!s || !at_attention_fit(t, s, q, k, v, heads, scale, mask))
        return poison;
    at_tensor *context = at_new(t, SHAPE(s->batch, s->queries, heads * s->e));
    at_tensor *weights = at_new(t, SHAPE(s->batch, heads, s->queries, s->keys));
    if (at_failed(t))
        return poison;
    work w = {.s = s,
              .q = q->value,
              .k = k->value,
              .v = v->value,
              .weights = weights->value,
              .context = context->value};
    at_parallel_each(s->batch * heads, at_head_work(s), forward_head, &w);
    if (at_recording(t, INPUTS(q, k, v)))
        at_record(t, &at_op_attention_weights, INPUTS(q, k, v), OUTPUTS(context, weights), s);
    return (at_attention_result){context, weights};
}

/* dA = dC V^T (+ what reached A), dV = A^T dC, dS = softmax'(dA), dQ = c dS K, dK = c dS^T Q */
static void backward_head(void *arg, int item)
{
    const work *w = arg;
    const at_attention_sizes *s = w->s;
    int b = item / s->heads, h = item % s->heads;
    ptrdiff_t wide = (ptrdiff_t)s->heads * s->d, tall = (ptrdiff_t)s->heads * s->e;
    size_t size = (size_t)s->queries * (size_t)s->keys;
    const real *A = w->weights + (size_t)item * size;
    real *dA = w->scores + (size_t)item * size;
    if (w->d_weights)
        memcpy(dA, w->d_weights + (size_t)item * size, size * sizeof *dA);
    if (w->d_context)
        at_gemm(s->queries, s->keys, s->e, 1, head(w->d_context, s, b, h, s->queries, s->e, false),
                head(w->v, s, b, h, s->keys, s->e, true), w->d_weights ? 1 : 0, dA, s->keys);
    if (w->dv && w->d_context)
        at_gemm(s->keys, s->e, s->queries, 1, (at_matrix){A, s->keys, true},
                head(w->d_context, s, b, h, s->queries, s->e, false), w->v_beta,
                at_head(w->dv, s, b, h, s->keys, s->e), tall);
    for (int i = 0; i < s->queries; i++)
        at_vector()->softmax_back((size_t)s->keys, A + (size_t)i * (size_t)s->keys,
                                  dA + (size_t)i * (size_t)s->keys, 0,
                                  dA + (size_t)i * (size_t)s->keys);
    if (w->dq)
        at_gemm(s->queries, s->d, s->keys, s->scale, (at_matrix){dA, s->keys, false},
                head(w->k, s, b, h, s->keys, s->d, false), w->q_beta,
                at_head(w->dq, s, b, h, s->queries, s->d), wide);
    if (w->dk)
        at_gemm(s->keys, s->d, s->queries, s->scale, (at_matrix){dA, s->keys, true},
                head(w->q, s, b, h, s->queries, s->d, false), w->k_beta,
                at_head(w->dk, s, b, h, s->keys, s->d), wide);
}

static void backward(const at_node *n)
{
    const at_attention_sizes *s = n->saved;
    work w = {.s = s,
              .q = n->in[0]->value,
              .k = n->in[1]->value,
              .v = n->in[2]->value,
              .weights = n->out[1]->value,
              .d_context = at_grad_out(n, 0),
              .d_weights = at_grad_out(n, 1),
              .scores = at_brief_reals(n->tape, n->out[1]->len)};
    if (!w.scores)
        return;
    if (w.d_context) /* as they are written: two of them may be one tensor */
        w.dv = at_grad_in(n, 2, &w.v_beta);
    w.dq = at_grad_in(n, 0, &w.q_beta);
    w.dk = at_grad_in(n, 1, &w.k_beta);
    if (!at_failed(n->tape))
        at_parallel_each(s->batch * s->heads, 2 * at_head_work(s), backward_head, &w);
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_attention_sample in = at_attention_sample_new(t, s);
    at_attention_result r = at_attention_weights(t, in.q, in.k, in.v, 2, (real)0.7, &in.mask);
    return at_concat(
        t, 2,
        (at_tensor *[]){at_reshape(t, r.context, SHAPE(36)), at_reshape(t, r.weights, SHAPE(60))},
        0);
}

/* each head by itself from slices, products and the masked softmax */
static at_tensor *reference(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_attention_sample in = at_attention_sample_new(t, s);
    in.mask.hidden_shape = SHAPE(2, 3, 5); /* the scores below have no head axis */
    at_tensor *context[2], *weights[2];
    for (int h = 0; h < 2; h++) {
        at_tensor *q = at_slice(t, in.q, 2, 2 * h, 2 * h + 2);
        at_tensor *k = at_slice(t, in.k, 2, 2 * h, 2 * h + 2);
        at_tensor *v = at_slice(t, in.v, 2, 3 * h, 3 * h + 3);
        weights[h] = at_softmax(t, at_matmul(t, q, false, k, true, (real)0.7), &in.mask);
        context[h] = at_matmul(t, weights[h], false, v, false, 1);
        weights[h] = at_reshape(t, weights[h], SHAPE(2, 1, 3, 5));
    }
    return at_concat(t, 2,
                     (at_tensor *[]){at_reshape(t, at_concat(t, 2, context, 2), SHAPE(36)),
                                     at_reshape(t, at_concat(t, 2, weights, 1), SHAPE(60))},
                     0);
}

const at_op at_op_attention_weights = {
    .name = "attention_weights",
    .formula = "A = softmax(c Q K^T), C = A V",
    .backward = backward,
    .sample = sample,
    .reference = reference,
};
