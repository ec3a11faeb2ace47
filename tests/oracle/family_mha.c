/* torch.nn.MultiheadAttention, batch first: projections, scaled dot-product attention per head,
 * output projection; with weights and without, which must not change a bit.
 *
 * query [B,Q,E], key [B,K,kdim], value [B,K,vdim]; an absent key is the query, an absent value the
 * key. in_proj_weight is [Wq;Wk;Wv], or there are q_proj_weight, k_proj_weight, v_proj_weight. */
#include <math.h>
#include <string.h>

#include "oracle.h"

typedef struct {
    int B, H, Q, K;
    bool per_head; /* attn_mask has its own rows for each head */
} extent;

static at_tensor *rows(at_tape *t, at_tensor *x, int part, int len)
{
    return x ? at_slice(t, x, 0, part * len, (part + 1) * len) : NULL;
}

/* the part-th projection: 0 query, 1 key, 2 value */
static at_tensor *project(at_case *c, at_tensor *x, int part, int E)
{
    static const char *const names[] = {"q_proj_weight", "k_proj_weight", "v_proj_weight"};
    at_tensor *joint = at_case_param_or_null(c, "in_proj_weight");
    at_tensor *bias = at_case_param_or_null(c, "in_proj_bias");
    at_tensor *w = joint ? rows(c->tape, joint, part, E) : at_case_param(c, names[part]);

    return at_affine(c->tape, x, w, rows(c->tape, bias, part, E), ATTEND_OUT_IN);
}

/* key_padding_mask [B,K] and a boolean attn_mask [Q,K] or [B*H,Q,K] as one [B,H,Q,K] */
static unsigned char *join_masks(at_case *c, extent n, const unsigned char *padding,
                                 const unsigned char *pairs)
{
    size_t len, Q = (size_t)n.Q, K = (size_t)n.K, H = (size_t)n.H;
    unsigned char *hidden;

    if (!at_shape_len(SHAPE(n.B, n.H, n.Q, n.K), &len)
        || !(hidden = at_arena_alloc(&c->memory, len))) {
        at_case_fail(c, "out of memory");
        return NULL;
    }
    for (size_t i = 0; i < len; i++) {
        size_t k = i % K, q = i / K % Q, head = i / K / Q; /* head counts over the batch too */
        bool hide = padding && padding[head / H * K + k];
        hidden[i] = hide || (pairs && pairs[((n.per_head ? head : 0) * Q + q) * K + k]);
    }
    return hidden;
}

static at_mask read_mask(at_case *c, extent n)
{
    at_mask mask = {.hidden_shape = SHAPE(n.B, n.H, n.Q, n.K)};
    at_shape p = SCALAR, a = SCALAR;
    const unsigned char *padding = at_case_mask(c, "key_padding_mask", &p), *pairs = NULL;

    mask.added = at_case_added(c, "attn_mask", &a);
    if (!mask.added)
        pairs = at_case_mask(c, "attn_mask", &a);

    if (padding && !at_shape_equal(p, SHAPE(n.B, n.K)))
        at_fail(c->tape, "key_padding_mask has the shape %s", at_shape_print(p).text);
    n.per_head = a.rank == 3;
    if ((pairs || mask.added) && !at_shape_equal(a, SHAPE(n.Q, n.K))
        && !at_shape_equal(a, SHAPE(n.B * n.H, n.Q, n.K)))
        at_fail(c->tape, "attn_mask has the shape %s", at_shape_print(a).text);
    if ((padding || pairs) && !at_failed(c->tape))
        mask.hidden = join_masks(c, n, padding, pairs);
    mask.added_shape = n.per_head ? SHAPE(n.B, n.H, n.Q, n.K) : a;
    return mask;
}

static void check(at_case *c, int heads, bool weights)
{
    at_tape *t = c->tape;
    at_tensor *query = at_case_input(c, "query"), *key = at_case_input_or_null(c, "key");
    at_tensor *value = at_case_input_or_null(c, "value"), *w = at_case_param(c, "out_proj.weight");
    int E = at_shape_last(w->shape);
    at_tensor *q = project(c, query, 0, E), *k = project(c, key ? key : query, 1, E);
    at_tensor *v = project(c, value ? value : key ? key : query, 2, E), *y;
    real scale = 1 / real_sqrt((real)E / (real)heads);
    extent n = {q->shape.dim[0], heads, q->shape.dim[1], k->shape.dim[1], false};
    at_mask mask = read_mask(c, n);
    at_attention_options o = {.heads = heads, .scale = scale, .mask = &mask, .weights = true};
    at_attention_result read = at_attention(t, at_rows_of(q), at_rows_of(k), at_rows_of(v), o);
    at_shape attention = SCALAR;

    o.weights = false;
    y = weights ? read.context
                : at_attention(t, at_rows_of(q), at_rows_of(k), at_rows_of(v), o).context;
    if (!at_failed(t) && memcmp(y->value, read.context->value, y->len * sizeof *y->value) != 0)
        at_case_fail(c, "the context is another where weights are asked for");
    y = at_affine(t, y, w, at_case_param_or_null(c, "out_proj.bias"), ATTEND_OUT_IN);
    at_case_output(c, "output", y);
    at_case_reals(c, c->expected, "attention", &attention);
    at_case_output(c, "attention",
                   attention.rank == 3 ? at_mean_axis(t, read.weights, 1) : read.weights);
    at_case_gradients(c);
}

void at_check_mha(at_case *c)
{
    int heads = at_case_int(c, "config.A", 0);

    if (heads < 1 || heads > 65536) {
        at_case_fail(c, "expected.json: config.A, the number of heads, is %d", heads);
        return;
    }
    check(c, heads, true);
    check(c, heads, false);
}
