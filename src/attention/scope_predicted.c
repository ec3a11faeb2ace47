/* A window around a position that the query predicts (Luong et al. 2015, 3.2, local-p):
 *     p = n sigmoid(v_p^T tanh(W_p q)),   window [c-D, c+D] around c = floor(p + 1/2)
 *     n: length of the source, under causal the positions that the query can see
 *     w_j = pick(e)_j exp(-(j - p)^2 / 2 sigma^2),   sigma = D/2, not renormalised
 * The gradient reaches W_p and v_p through the Gaussian, not through the window's edges. */
#include "attention/attention.h"
#include "attention/parts.h"
#include "grad/mask.h"

/* ---- the op: x [B,Q,K], p [B,Q,1] -> x_j exp(-(j - p)^2 / 2 sigma^2) ----------------------- */

static real fade_of(real j, real p, real sigma)
{
    real z = (j - p) / sigma;
    return real_exp(-z * z / 2);
}

static at_tensor *gaussian_fade(at_tape *t, at_tensor *x, at_tensor *p, real sigma)
{
    at_tensor *y = at_failed(t) ? at_poison(t) : at_new(t, x->shape);
    real *kept = at_scratch_reals(t, 1);
    if (at_failed(t))
        return at_poison(t);
    *kept = sigma;
    size_t K = (size_t)at_shape_last(x->shape);
    for (size_t i = 0; i < x->len; i++)
        y->value[i] = x->value[i] == 0
                          ? 0
                          : x->value[i] * fade_of((real)(i % K), p->value[i / K], sigma);
    if (at_recording(t, INPUTS(x, p)))
        at_record(t, &at_op_gaussian_fade, INPUTS(x, p), OUTPUTS(y), kept);
    return y;
}

static void fade_backward(const at_node *n)
{
    const at_tensor *x = n->in[0], *p = n->in[1];
    size_t K = (size_t)at_shape_last(x->shape);
    real sigma = *(const real *)n->saved;
    const real *dy = at_grad_out(n, 0);
    real *dx = at_grad_add(n, 0), *dp = at_grad_add(n, 1);
    for (size_t i = 0; i < x->len; i++) {
        real j = (real)(i % K), centre = p->value[i / K], g = dy[i] * fade_of(j, centre, sigma);
        if (dx)
            dx[i] += g;
        if (dp)
            dp[i / K] += g * x->value[i] * (j - centre) / (sigma * sigma);
    }
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 3, 4), INIT_NORMAL(1));
    return gaussian_fade(t, x, at_param(t, s, "p", SHAPE(2, 3, 1), INIT_NORMAL(2)), (real)1.5);
}

const at_op at_op_gaussian_fade = {
    .name = "gaussian_fade",
    .formula = "y_j = x_j exp(-(j - p)^2 / 2 s^2)",
    .backward = fade_backward,
    .sample = sample,
    .forgets_output = true,
};

/* ---- the scope ---------------------------------------------------------------------------- */

static int reach_of(const at_how *how) { return (int)how->scope_values.number[0]; }

/* n [B,Q,1]: the length of the source, under causal what the query can see of it */
static at_tensor *lengths_of(at_tape *t, const at_mask_view *v)
{
    at_tensor *n = at_new(t, SHAPE(v->batch, v->queries, 1));
    for (int row = 0; !at_failed(t) && row < v->batch * v->queries; row++)
        n->value[row] = (real)at_mask_end(v, row / v->queries, row % v->queries);
    return n;
}

/* p [B,Q,1] */
static at_tensor *predict(at_tape *t, at_path s, const at_how *how, const at_query *q,
                          const at_memory *m, const at_mask_view *visible)
{
    int size = how->size ? how->size : m->width;
    at_tensor *w = at_param(t, s, "weight", SHAPE(size, m->width), INIT_GLOROT);
    at_tensor *v = at_param(t, s, "energy", SHAPE(size), INIT_GLOROT);
    at_tensor *h = at_tanh(t, at_affine(t, q->query, w, NULL, ATTEND_OUT_IN));
    at_tensor *z = at_affine(t, h, at_reshape(t, v, SHAPE(1, size)), NULL, ATTEND_OUT_IN);
    return at_multiply(t, at_sigmoid(t, z), lengths_of(t, visible));
}

/* hidden [B,Q,K]: outside the window around round(p), or hidden by the mask */
static unsigned char *hide(at_tape *t, const at_how *how, const at_mask_view *v, const at_tensor *p)
{
    int B = v->batch, Q = v->queries, K = v->keys, reach = reach_of(how);
    unsigned char *hidden = at_scratch(t, (size_t)B * (size_t)Q * (size_t)K), *to = hidden;
    for (int b = 0; hidden && b < B; b++)
        for (int i = 0; i < Q; i++) {
            double c = floor((double)p->value[b * Q + i] + 0.5);
            int end = at_mask_end(v, b, i);
            const unsigned char *row = at_mask_row(v, b, 0, i);
            for (int j = 0; j < K; j++)
                *to++ = j < c - reach || j > c + reach || j >= end || (row && row[j]);
        }
    return hidden;
}

static at_reading read(at_tape *t, at_path s, const at_how *how, const at_query *q,
                       const at_memory *m)
{
    at_mask_view v;
    at_mask visible = at_read_mask(q, m);
    if (at_failed(t)
        || !at_mask_fit_added(
            t, "predicted", &visible,
            SHAPE(q->query->shape.dim[0], q->query->shape.dim[1], m->keys->shape.dim[1]), &v))
        return at_reading_poison(t);
    at_tensor *p = predict(t, at_in(s, "position"), how, q, m, &v);
    unsigned char *hidden = at_failed(t) ? NULL : hide(t, how, &v, p);
    if (at_failed(t))
        return at_reading_poison(t);
    at_tensor *scores = how->score->score(t, at_in(s, "score"), how, q, m);
    at_mask mask = {.hidden = hidden,
                    .hidden_shape = SHAPE(v.batch, v.queries, v.keys),
                    .added = q->mask.added,
                    .added_shape = q->mask.added_shape};
    scores = at_scores_added(t, scores, &mask);
    at_picked k = how->pick->pick(t, how, scores, &mask);
    at_tensor *w = gaussian_fade(t, k.weights, p, (real)reach_of(how) / 2);
    return (at_reading){.context = at_context(t, w, q->dropout, m),
                        .weights = at_one_head(t, w),
                        .scores = at_scores_seen(t, q, scores, &mask),
                        .centre = at_one_head(t, at_reshape(t, p, SHAPE(v.batch, v.queries))),
                        .log_p = at_one_head(t, k.log_p),
                        .entropy = at_one_head(t, k.entropy)};
}

const at_scope at_scope_predicted = {
    .about = {.name = "predicted",
              .aliases = "local-p",
              .values = "D",
              .value = {{.kind = ATTEND_VALUE_WHOLE,
                         .min = 1,
                         .max = 1 << 28,
                         .what = "the reach to each side"}},
              .example = "predicted:4",
              .formula =
                  "p = n sigmoid(v_p^T tanh(W_p q)); w_j exp(-(j-p)^2 / 2(D/2)^2) in [p-D, p+D]",
              .source = "Luong et al. 2015, eq. 9 and 10 (local-p)",
              .use = "translators whose order differs; Luong's best",
              .cost = "n^2 d",
              .parameters = "W_p [A,dq], v_p [A]"},
    .is_local = true,
    .has_hidden = true,
    .loses_mass = true,
    .read = read,
};
