/* Scaled dot-product attention in memory linear in the length (Rabe and Staats 2021; Dao et al.
 * 2022). The scores of a block of queries with a block of keys are computed, used and forgotten:
 *
 *     for each block of keys:  S = c Q K^T (masked);  m' = max(m, max S)
 *                              l = l e^(m - m') + sum e^(S - m');  O = O e^(m - m') + e^(S - m') V
 *     C = O / l;   kept: m and l for each query, and P = e^(S - m) / l where weights are asked for
 *
 * attention_block.c computes blocks of queries, attention_few.c a few queries of all heads;
 * attention_backward.c has the gradients. */
#include "base/threads.h"
#include "grad/attention.h"

/* ---- rows --------------------------------------------------------------------------------- */

at_rows at_rows_columns(at_tensor *x, int begin, int end)
{
    at_shape s = x->shape;
    return (at_rows){.tensor = x,
                     .data = x->value ? x->value + begin : NULL,
                     .rows = s.dim[1],
                     .width = end - begin,
                     .ld = s.dim[2],
                     .step = (ptrdiff_t)s.dim[1] * s.dim[2]};
}

at_rows at_rows_of(at_tensor *x) { return at_rows_columns(x, 0, x->shape.dim[2]); }

/* Are they part of their tensor, or rows of a cache? */
static bool rows_valid(const at_rows *x, int batch)
{
    if (!x->tensor)
        return x->rows >= 0 && x->width >= 0;
    at_shape s = x->tensor->shape;
    ptrdiff_t begin = x->data - x->tensor->value;
    return s.rank == 3 && s.dim[0] == batch && !x->which && x->width >= 0 && begin >= 0
           && begin + x->width <= s.dim[2] && x->rows == s.dim[1];
}

/* Checks the operands and the mask; false on a failed tape. */
static bool fit(at_tape *t, at_attention_work *w, at_attention_options o)
{
    const at_rows *q = &w->q, *k = &w->k, *v = &w->v;
    int B = q->tensor ? q->tensor->shape.dim[0] : 0, heads = o.heads;
    if (!q->tensor || heads < 1 || !rows_valid(q, B) || !rows_valid(k, B) || !rows_valid(v, B)
        || q->width != k->width || k->rows != v->rows || q->width % heads || v->width % heads) {
        at_fail(t, "attention: queries %s, keys %s, values %s do not fit together in %d heads",
                at_shape_print(SHAPE(B, q->rows, q->width)).text,
                at_shape_print(SHAPE(B, k->rows, k->width)).text,
                at_shape_print(SHAPE(B, v->rows, v->width)).text, heads);
        return false;
    }
    if (!(o.dropout >= 0 && o.dropout < 1)) {
        at_fail(t, "attention: the probability of dropout must be in [0, 1), it is %g",
                (double)o.dropout);
        return false;
    }
    w->batch = B;
    w->heads = heads;
    w->queries = q->rows;
    w->keys = k->rows;
    w->d = q->width / heads;
    w->e = v->width / heads;
    w->scale = o.scale;
    return at_mask_fit_added(t, "attention", o.mask, SHAPE(B, heads, w->queries, w->keys),
                             &w->mask);
}

/* ---- forward ------------------------------------------------------------------------------ */

static void forward(at_attention_work *w)
{
    if (w->queries <= ATTEND_FEW_QUERIES) {
        at_attention_few(w);
        return;
    }
    int blocks = (w->queries + ATTEND_BLOCK - 1) / ATTEND_BLOCK;
    at_parallel_each(w->batch * w->heads * blocks, at_head_work(w) / blocks, at_attention_block, w);
}

at_attention_result at_attention(at_tape *t, at_rows q, at_rows k, at_rows v,
                                 at_attention_options o)
{
    at_attention_result poison = {at_poison(t), o.weights ? at_poison(t) : NULL};
    at_attention_work *w = at_failed(t) ? NULL : at_scratch(t, sizeof *w);
    if (!w)
        return poison;
    *w = (at_attention_work){.q = q, .k = k, .v = v};
    if (!fit(t, w, o))
        return poison;
    at_tensor *context = at_new(t, SHAPE(w->batch, w->queries, o.heads * w->e)), *weights = NULL;
    if (o.weights)
        weights = at_new(t, SHAPE(w->batch, o.heads, w->queries, w->keys));
    size_t rows = (size_t)w->batch * (size_t)o.heads * (size_t)w->queries;
    w->norm = at_scratch(t, rows * sizeof *w->norm);
    if (w->queries <= ATTEND_FEW_QUERIES)
        w->scaled = at_scratch_reals(t, (size_t)w->batch * (size_t)w->queries * (size_t)q.width);
    if (at_failed(t))
        return poison;
    w->context = context->value;
    w->weights = weights ? weights->value : NULL;
    w->drops = o.dropout > 0 && at_tape_mode(t) == ATTEND_TRAIN;
    if (w->drops)
        w->dropping = at_dropout_start(t, o.dropout);
    forward(w);
    if (at_recording(t, INPUTS(q.tensor, k.tensor, v.tensor)))
        at_record(t, &at_op_attention, INPUTS(q.tensor, k.tensor, v.tensor),
                  OUTPUTS(context, weights), w);
    return (at_attention_result){context, weights};
}

/* ---- backward ----------------------------------------------------------------------------- */

/* where the gradient of rows begins, in that of their tensor */
static real *gradient_of(const at_node *n, int input, const at_rows *x)
{
    real *gradient = at_grad_add(n, input);
    return gradient ? gradient + (x->data - x->tensor->value) : NULL;
}

static const at_tensor *owner(const at_rows *x)
{
    return x->tensor->base ? x->tensor->base : x->tensor;
}

/* Do the heads of two operands write to different columns? The same columns are cut into the same
 * heads. */
static bool apart(const at_rows *x, const at_rows *y)
{
    if (!x->tensor || !y->tensor || owner(x) != owner(y))
        return true;
    bool same = x->data == y->data && x->width == y->width;
    bool clear = x->data + x->width <= y->data || y->data + y->width <= x->data;
    return x->ld == y->ld && (same || clear);
}

static void backward(const at_node *n)
{
    at_attention_work w = *(const at_attention_work *)n->saved;
    w.d_context = at_grad_out(n, 0);
    w.d_weights = at_grad_out(n, 1);
    w.dq = gradient_of(n, 0, &w.q);
    w.dk = gradient_of(n, 1, &w.k);
    w.dv = gradient_of(n, 2, &w.v);
    if (!at_failed(n->tape))
        at_attention_back(&w, apart(&w.q, &w.k) && apart(&w.q, &w.v) && apart(&w.k, &w.v));
}

/* ---- samples: 2 sentences, 2 heads of 2, values of 3, 3 queries, 5 keys ------------------- */

static const int lengths[] = {5, 4}, first[] = {1, 2};
static const unsigned char hidden[] = {
    0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, /* sentence 0: three queries */
    1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, /* sentence 1: the first sees nothing */
};
#define NONE (-(real)INFINITY)
static const real added[] = {
    1, -1, 0, NONE, 2, 0, 1, 1, 0, 0, -2, 0, NONE, 0, 1, /* head 0 */
    0, 0,  1, 1,    0, 0, 0, 3, 0, 1, 0,  1, 0,    0, 0, /* head 1 */
};

/* two masks: hidden flags, and numbers for each head */
static at_mask sample_mask(bool adds)
{
    if (adds)
        return (at_mask){
            .added = added, .added_shape = SHAPE(2, 3, 5), .causal = true, .first = first};
    return (at_mask){.lengths = lengths,
                     .hidden = hidden,
                     .hidden_shape = SHAPE(2, 1, 3, 5),
                     .causal = true,
                     .offset = 2};
}

/* q, and k|v as columns of one tensor */
typedef struct {
    at_tensor *q, *kv;
} inputs;

static inputs sample_inputs(at_tape *t, at_path s)
{
    return (inputs){at_param(t, s, "q", SHAPE(2, 3, 4), INIT_NORMAL(1)),
                    at_param(t, s, "kv", SHAPE(2, 5, 10), INIT_NORMAL(1))};
}

static at_tensor *joined(at_tape *t, at_attention_result r)
{
    return at_concat(
        t, 2,
        (at_tensor *[]){at_reshape(t, r.context, SHAPE(36)), at_reshape(t, r.weights, SHAPE(60))},
        0);
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    inputs in = sample_inputs(t, s);
    at_rows k = at_rows_columns(in.kv, 0, 4), v = at_rows_columns(in.kv, 4, 10);
    at_mask hides = sample_mask(false), adds = sample_mask(true);
    at_attention_options o = {.heads = 2, .scale = (real)0.7, .mask = &hides};
    at_tensor *one = at_attention(t, at_rows_of(in.q), k, v, o).context;
    o = (at_attention_options){
        .heads = 2, .scale = 1, .mask = &adds, .dropout = (real)0.3, .weights = true};
    at_tensor *two = joined(t, at_attention(t, at_rows_of(in.q), k, v, o));
    return at_concat(t, 2, (at_tensor *[]){at_reshape(t, one, SHAPE(36)), two}, 0);
}

/* head h of columns begin .. begin + 2*width-1 of x */
static at_tensor *head(at_tape *t, at_tensor *x, int begin, int width, int h)
{
    return at_slice(t, x, 2, begin + h * width, begin + (h + 1) * width);
}

/* one attention from products, the masked softmax and dropout */
static at_attention_result plain(at_tape *t, inputs in, real scale, at_mask mask, real dropout)
{
    at_tensor *e[2], *c[2];
    for (int h = 0; h < 2; h++)
        e[h] = at_reshape(
            t, at_matmul(t, head(t, in.q, 0, 2, h), false, head(t, in.kv, 0, 2, h), true, scale),
            SHAPE(2, 1, 3, 5));
    at_tensor *scores = at_concat(t, 2, e, 1);
    if (mask.added)
        scores = at_add(t, scores, at_input(t, mask.added_shape, mask.added));
    mask.added = NULL;
    at_tensor *w = at_softmax(t, scores, &mask), *kept = at_dropout(t, w, dropout);
    for (int h = 0; h < 2; h++)
        c[h] = at_matmul(t, at_reshape(t, at_slice(t, kept, 1, h, h + 1), SHAPE(2, 3, 5)), false,
                         head(t, in.kv, 4, 3, h), false, 1);
    return (at_attention_result){at_concat(t, 2, c, 2), w};
}

static at_tensor *reference(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    inputs in = sample_inputs(t, s);
    at_tensor *one = plain(t, in, (real)0.7, sample_mask(false), 0).context;
    at_tensor *two = joined(t, plain(t, in, 1, sample_mask(true), (real)0.3));
    return at_concat(t, 2, (at_tensor *[]){at_reshape(t, one, SHAPE(36)), two}, 0);
}

const at_op at_op_attention = {
    .name = "attention",
    .formula = "C = dropout(softmax(c Q K^T + M)) V, in blocks",
    .backward = backward,
    .sample = sample,
    .reference = reference,
};
