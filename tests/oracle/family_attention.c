/* Attention: every score, the local scopes, picks, pooling, and the copy output, through the same
 * reads that the models use. q [B,Q,dq], k [B,K,dk], v [B,K,dv]. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attention/output.h"
#include "oracle.h"

/* ---- one read ----------------------------------------------------------------------------- */

/* which attention a case is, and what its weights are called there and here */
typedef struct {
    const char *family, *attention;
    struct {
        const char *theirs, *ours;
    } weight[4];
} kind;

static const kind kinds[] = {
    {"attention.dot", "dot", {{0}}},
    {"attention.scaled_dot", "scaled-dot", {{0}}},
    {"attention.general", "bilinear", {{"W", "score.weight"}}},
    {"attention.additive",
     "additive",
     {{"W_q", "score.query"}, {"W_k", "score.key"}, {"w_v", "score.energy"}}},
    {"attention.additive_bias",
     "additive:bias",
     {{"W_q", "score.query"}, {"W_k", "score.key"}, {"w_v", "score.energy"}, {"b", "score.bias"}}},
    {"attention.concat", "additive", {{"v_a", "score.energy"}}},
    {"attention.location", "location:%d", {{"W", "score.weight"}}},
    {"attention.cosine", "cosine:1", {{0}}},
    {"attention.local_m", "bilinear/window:%d", {{"W_a", "score.weight"}}},
    {"attention.local_p",
     "bilinear/predicted:%d",
     {{"W_a", "score.weight"}, {"W_p", "position.weight"}, {"v_p", "position.energy"}}},
    {"attention.hard_argmax", "dot/global/hard", {{0}}},
};

static const kind *find_kind(const char *family)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].family, family) == 0)
            return &kinds[i];
    return NULL;
}

typedef struct {
    at_tensor *q, *k, *v;
    at_mask mask;
    int B, Q, K;
} inputs;

static inputs read_inputs(at_case *c)
{
    inputs in = {.q = at_case_input(c, "q"), .k = at_case_input(c, "k")};
    in.v = at_case_input_or_null(c, "v");
    in.v = in.v ? in.v : in.k;
    in.mask.hidden = at_case_mask(c, "mask", &in.mask.hidden_shape);
    in.mask.lengths = at_case_ids(c, "lengths").id;
    if (!at_failed(c->tape)) {
        in.B = in.q->shape.dim[0];
        in.Q = in.q->shape.dim[1];
        in.K = in.k->shape.dim[1];
    }
    return in;
}

/* gives the case's weights the names that the read asks for */
static void bind_weights(at_case *c, const kind *k, const inputs *in)
{
    for (int i = 0; i < 4 && k->weight[i].theirs; i++)
        at_tape_bind(c->tape, k->weight[i].ours, at_case_param(c, k->weight[i].theirs));
    if (strcmp(k->family, "attention.concat") != 0 || at_failed(c->tape))
        return;
    at_tensor *w = at_case_param(c, "W"); /* [A, dq+dk]: both sides in one */
    int dq = at_shape_last(in->q->shape), dk = at_shape_last(in->k->shape);
    at_tape_bind(c->tape, "score.query", at_slice(c->tape, w, 1, 0, dq));
    at_tape_bind(c->tape, "score.key", at_slice(c->tape, w, 1, dq, dq + dk));
}

/* size of the hidden layer, from the weights that have one */
static int hidden_size(at_case *c)
{
    static const char *const names[] = {"w_v", "v_a", "v_p"};
    for (int i = 0; i < 3; i++) {
        at_tensor *x = at_case_param_or_null(c, names[i]);
        if (x)
            return (int)x->len;
    }
    return 0;
}

static at_how describe(at_case *c, const kind *k, const inputs *in)
{
    char text[64];
    at_how how = {0};
    attend_error err;
    bool local = strstr(k->attention, "/window") || strstr(k->attention, "/predicted");
    snprintf(text, sizeof text, k->attention, local ? at_case_int(c, "config.D", 0) : in->K);
    if (at_how_parse(&how, text, &err) < 0)
        at_fail_with(c->tape, &err);
    how.size = hidden_size(c);
    return how;
}

/* the window as zeros and ones, from the centres p [B,Q] */
static void compare_window(at_case *c, const at_how *how, const inputs *in, const real *p)
{
    at_tensor *w = at_zeros(c->tape, SHAPE(in->B, in->Q, in->K));
    for (int row = 0; !at_failed(c->tape) && row < in->B * in->Q; row++)
        for (int j = 0; j < in->K; j++) {
            double centre = floor((double)p[row] + 0.5);
            int end = in->mask.lengths ? in->mask.lengths[row / in->Q] : in->K;
            w->value[row * in->K + j] = fabs(j - centre) <= how->scope_values.number[0] && j < end;
        }
    at_case_output(c, "window", w);
}

static void compare_centre(at_case *c, const at_how *how, const inputs *in, at_tensor *centre)
{
    at_tape *t = c->tape;
    at_tensor *p = centre ? at_reshape(t, centre, SHAPE(in->B, in->Q))
                          : at_zeros(t, SHAPE(in->B, in->Q));
    for (int row = 0; !centre && !at_failed(t) && row < in->B * in->Q; row++)
        p->value[row] = (real)(row % in->Q);
    at_case_output(c, "p_t", p);
    if (!at_failed(t))
        compare_window(c, how, in, p->value);
}

static void compare_index(at_case *c, const inputs *in, const at_tensor *weights)
{
    at_tensor *index = at_zeros(c->tape, SHAPE(in->B, in->Q));
    for (int i = 0; !at_failed(c->tape) && i < in->B * in->Q * in->K; i++)
        if (weights->value[i] > 0)
            index->value[i / in->K] = (real)(i % in->K);
    at_case_output(c, "index", index);
}

static void check_read(at_case *c, const kind *k, bool weights)
{
    at_tape *t = c->tape;
    inputs in = read_inputs(c);
    at_how how = describe(c, k, &in);
    if (at_failed(t))
        return;
    bind_weights(c, k, &in);
    at_memory m = at_attention_prepare(t, at_root(), &how, at_shape_last(in.q->shape), in.k, in.v,
                                       NULL);
    at_query q = {.query = in.q, .mask = in.mask, .weights = true};
    at_reading all = at_attention_read(t, at_root(), &how, &m, q);
    q.weights = false;
    at_reading fast = weights ? all : at_attention_read(t, at_root(), &how, &m, q);
    if (at_case_expects(c, "scores"))
        at_case_output(c, "scores", how.score->score(t, at_in(at_root(), "score"), &how, &q, &m));
    if (at_failed(t))
        return;
    at_case_output(c, "weights", at_reshape(t, all.weights, SHAPE(in.B, in.Q, in.K)));
    at_case_output(c, "output", fast.context);
    if (at_case_expects(c, "p_t"))
        compare_centre(c, &how, &in, all.centre);
    if (at_case_expects(c, "index"))
        compare_index(c, &in, all.weights);
    at_case_gradients(c);
}

/* ---- pooling ------------------------------------------------------------------------------ */

static const unsigned char *diagonal(at_case *c, int queries, int keys)
{
    unsigned char *hidden = at_scratch(c->tape, (size_t)queries * (size_t)keys);
    for (int i = 0; hidden && i < queries * keys; i++)
        hidden[i] = i / keys == i % keys;
    return hidden;
}

/* points as vectors: [n] or [n,d] -> [1,n,d] */
static at_tensor *points(at_tape *t, at_tensor *x)
{
    if (at_failed(t))
        return at_poison(t);
    int n = x->shape.rank ? x->shape.dim[0] : 1;
    return at_reshape(t, x, SHAPE(1, n, (int)(x->len / (size_t)(n ? n : 1))));
}

static void check_pooling(at_case *c)
{
    at_tape *t = c->tape;
    at_tensor *q = points(t, at_case_input(c, "x_query")), *w = at_case_param_or_null(c, "w");
    at_tensor *k = points(t, at_case_input(c, "x_train"));
    at_tensor *y = at_case_input(c, "y_train"), *v = points(t, y);
    at_how how;
    attend_error err;
    if (at_failed(t))
        return;
    int d = at_shape_last(q->shape), Q = q->shape.dim[1], K = k->shape.dim[1];
    const char *text = !w ? "gaussian" : w->len > 1 ? "gaussian-w:vector" : "gaussian-w";
    if (at_how_parse(&how, text, &err) < 0)
        at_fail_with(t, &err);
    if (w)
        at_tape_bind(t, "score.width", at_reshape(t, w, SHAPE((int)w->len)));
    at_mask mask = {.hidden = NULL};
    if (json_is_true(at_case_json(c, "config.loo")))
        mask = (at_mask){.hidden = diagonal(c, Q, K), .hidden_shape = SHAPE(Q, K)};
    at_memory m = at_attention_prepare(t, at_root(), &how, d, k, v, NULL);
    at_reading r = at_attention_read(t, at_root(), &how, &m,
                                     (at_query){.query = q, .mask = mask, .weights = true});
    if (at_failed(t))
        return;
    at_shape out = y->shape;
    out.dim[0] = Q;
    at_case_output(c, "weights", at_reshape(t, r.weights, SHAPE(Q, K)));
    at_case_output(c, "output", at_reshape(t, r.context, out));
    at_case_gradients(c);
}

/* ---- picks and outputs alone -------------------------------------------------------------- */

static void check_sparsemax(at_case *c)
{
    at_how how = {.pick = &at_pick_sparse};
    at_mask mask = {.hidden = NULL};
    mask.hidden = at_case_mask(c, "mask", &mask.hidden_shape);
    at_case_output(c, "weights",
                   how.pick->pick(c->tape, &how, at_case_input(c, "z"), &mask).weights);
    at_case_gradients(c);
}

static void check_copy(at_case *c)
{
    at_tape *t = c->tape;
    at_mask mask = {.hidden = NULL};
    mask.hidden = at_case_mask(c, "mask", &mask.hidden_shape);
    at_tensor *logits = at_case_input(c, "vocab_logits"), *gate = at_case_input(c, "p_gen_logit");
    at_tensor *w = at_softmax(t, at_case_input(c, "attn_scores"), &mask);
    at_ids source = at_case_ids(c, "src_ids"), target = at_case_ids(c, "target");
    if (at_failed(t) || !source.id || !target.id)
        return;
    at_tensor *p = at_output_copied(t, logits, w, at_reshape(t, gate, SHAPE((int)gate->len, 1)),
                                    source.id, at_case_int(c, "config.ext", 0));
    at_case_output(c, "weights", w);
    at_case_output(c, "distribution", p);
    at_case_output(c, "nll", at_likelihood(t, p, target, -1));
    at_case_gradients(c);
}

void at_check_attention(at_case *c)
{
    const char *family = at_case_text(c, "family");
    const kind *k = find_kind(family);
    if (k) {
        check_read(c, k, true);
        check_read(c, k, false); /* the way without weights, fused where there is one */
    } else if (strcmp(family, "attention.nadaraya_watson") == 0) {
        check_pooling(c);
    } else if (strcmp(family, "attention.sparsemax") == 0) {
        check_sparsemax(c);
    } else if (strcmp(family, "attention.pointer_copy") == 0) {
        check_copy(c);
    } else {
        at_case_unknown(c, "no check for %s", family[0] ? family : "a case that names no family");
    }
}
