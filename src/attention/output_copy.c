/* p(w) = g p_vocabulary(w) + (1 - g) sum_{j: x_j = w} w_j, g = sigmoid of context, state and input
 * (See et al. 2017, eq. 8 and 9). Words of the source that the vocabulary lacks get numbers after
 * its last and can be copied.
 *
 * This is the equation in one op; what translators learn and search with, copying.c, needs less
 * memory and is tested against it. */
#include <string.h>

#include "attention/output.h"
#include "grad/softmax_row.h"
#include "tensor/vector.h"

typedef struct {
    int rows, V, K, all; /* all: V and the extra words */
    const int *source;   /* [rows,K] */
    real *vocabulary;    /* softmax of the logits, [rows,V] */
    real *gate;          /* [rows] */
} kept;

static bool fits(at_tape *t, at_tensor *logits, at_tensor *weights, at_tensor *gate,
                 const int *source, int extra)
{
    if (at_failed(t))
        return false;
    at_shape a = logits->shape, b = weights->shape;
    if (a.rank != 2 || b.rank != 2 || a.dim[0] != b.dim[0] || gate->len != (size_t)a.dim[0]
        || extra < 0) {
        at_fail(t, "copy: logits %s, weights %s and gates %s do not fit", at_shape_print(a).text,
                at_shape_print(b).text, at_shape_print(gate->shape).text);
        return false;
    }
    for (size_t i = 0; i < weights->len; i++)
        if (source[i] < 0 || source[i] >= a.dim[1] + extra) {
            at_fail(t, "copy: source word %d at place %zu is outside 0..%d", source[i], i,
                    a.dim[1] + extra - 1);
            return false;
        }
    return true;
}

static void mix_row(const kept *k, int r, const real *logits, const real *weights, real gate,
                    real *p)
{
    real *vocabulary = k->vocabulary + (size_t)r * (size_t)k->V;
    at_softmax_row(k->V, k->V, NULL, logits, vocabulary);
    real g = k->gate[r] = 1 / (1 + real_exp(-gate));
    memset(p, 0, (size_t)k->all * sizeof *p);
    at_vector()->axpy((size_t)k->V, g, vocabulary, 0, p);
    for (int j = 0; j < k->K; j++)
        p[k->source[r * k->K + j]] += (1 - g) * weights[j];
}

at_tensor *at_output_copied(at_tape *t, at_tensor *logits, at_tensor *weights, at_tensor *gate,
                            const int *source, int extra)
{
    if (!fits(t, logits, weights, gate, source, extra))
        return at_poison(t);
    kept k = {.rows = logits->shape.dim[0], .V = logits->shape.dim[1], .K = weights->shape.dim[1]};
    k.all = k.V + extra;
    at_tensor *p = at_new(t, SHAPE(k.rows, k.all));
    int *copy = at_scratch(t, weights->len * sizeof *copy);
    kept *saved = at_scratch(t, sizeof *saved);
    k.vocabulary = at_scratch_reals(t, logits->len);
    k.gate = at_scratch_reals(t, (size_t)k.rows);
    if (at_failed(t))
        return at_poison(t);
    if (weights->len)
        memcpy(copy, source, weights->len * sizeof *copy);
    k.source = copy;
    for (int r = 0; r < k.rows; r++)
        mix_row(&k, r, logits->value + (size_t)r * (size_t)k.V,
                weights->value + (size_t)r * (size_t)k.K, gate->value[r],
                p->value + (size_t)r * (size_t)k.all);
    *saved = k;
    if (at_recording(t, INPUTS(logits, weights, gate)))
        at_record(t, &at_op_copy, INPUTS(logits, weights, gate), OUTPUTS(p), saved);
    return p;
}

/* dlogits = g softmax'(dp); dw_j = (1 - g) dp[x_j]; dgate = g (1 - g) (dp . (p_vocabulary -
 * copied)) */
static void backward(const at_node *n)
{
    const kept *k = n->saved;
    const real *dp = at_grad_out(n, 0), *weights = n->in[1]->value;
    real *dx = at_grad_add(n, 0), *dw = at_grad_add(n, 1), *dg = at_grad_add(n, 2);
    real *scaled = at_brief_reals(n->tape, (size_t)k->V);
    for (int r = 0; scaled && r < k->rows; r++, dp += k->all) {
        const real *vocabulary = k->vocabulary + (size_t)r * (size_t)k->V;
        real g = k->gate[r], difference = at_vector()->dot((size_t)k->V, dp, vocabulary);
        for (int j = r * k->K; j < (r + 1) * k->K; j++) {
            difference -= dp[k->source[j]] * weights[j];
            if (dw)
                dw[j] += (1 - g) * dp[k->source[j]];
        }
        if (dg)
            dg[r] += g * (1 - g) * difference;
        at_vector()->axpy((size_t)k->V, g, dp, 0, scaled);
        if (dx)
            at_vector()->softmax_back((size_t)k->V, vocabulary, scaled, 1,
                                      dx + (size_t)r * (size_t)k->V);
    }
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    static const int source[] = {1, 5, 1, 0, 4, 2};
    (void)arg;
    at_tensor *logits = at_param(t, s, "logits", SHAPE(2, 4), INIT_NORMAL(1));
    at_tensor *weights = at_param(t, s, "weights", SHAPE(2, 3), INIT_NORMAL(1));
    at_tensor *gate = at_param(t, s, "gate", SHAPE(2, 1), INIT_NORMAL(1));
    return at_output_copied(t, logits, weights, gate, source, 2);
}

const at_op at_op_copy = {
    .name = "copy",
    .formula = "p(w) = g p_vocabulary(w) + (1 - g) sum_{j: x_j = w} w_j",
    .backward = backward,
    .sample = sample,
    .forgets_output = true,
};

at_tensor *at_output_gate(at_tape *t, at_path s, at_tensor *context, at_tensor *state,
                          at_tensor *input)
{
    if (at_failed(t))
        return at_poison(t);
    at_tensor *all = at_concat(t, 3, (at_tensor *[]){context, state, input},
                               context->shape.rank - 1);
    if (at_failed(t))
        return all;
    at_tensor *w = at_param(t, s, "weight", SHAPE(1, at_shape_last(all->shape)), INIT_GLOROT);
    return at_affine(t, all, w, at_param(t, s, "bias", SHAPE(1), INIT_ZERO), ATTEND_OUT_IN);
}

static const char *refuses(const at_how *how)
{
    if (at_how_local(how)->loses_mass)
        return "its weights do not sum to one, so probability would be lost";
    return at_how_local(how)->has_blocks
               ? "a block's weight is shared by all its words, none of which it means"
               : NULL;
}

const at_output at_output_copy = {
    .about = {.name = "copy",
              .formula = "p(w) = g p_vocabulary(w) + (1 - g) sum_{j: x_j = w} w_j",
              .source = "See et al. 2017, eq. 8 and 9",
              .use = "names and numbers that no vocabulary has",
              .cost = "n (V + n)",
              .parameters = "w_g [dv + d + de], b_g"},
    .refuses = refuses,
};
