/* Attention by content, distance and segment in memory linear in the length (Dai et al. 2019, 3.3;
 * Yang et al. 2019, 2.5), per head:
 *
 *     S_ij = c [(q_i + u) . k_j + (q_i + w) . r_{p_i - j} + (q_i + s) . g_ij]
 *     C = softmax(S) V, with the online softmax of op_attention.c
 *
 * relative_block.c computes blocks of queries, relative_backward.c the gradients. */
#include <string.h>

#include "base/threads.h"
#include "grad/relative.h"
#include "tensor/vector.h"

/* ---- checks --------------------------------------------------------------------------------- */

static bool rows_fit(const at_rows *x, int batch, int width)
{
    if (x->width != width)
        return false;
    if (!x->tensor)
        return x->rows >= 0;
    at_shape s = x->tensor->shape;
    return s.rank == 3 && s.dim[0] == batch && s.dim[2] == width && x->rows == s.dim[1]
           && x->data == x->tensor->value && !x->which;
}

static bool of_length(const at_tensor *x, int n) { return x && x->len == (size_t)n; }

static bool operands_fit(at_tape *t, const at_relative_work *w, const at_tensor *q)
{
    const at_relative_options *o = &w->o;
    bool segments = o->g && o->s && o->query_segment && o->key_segment;
    if (rows_fit(&w->k, w->batch, w->width) && rows_fit(&w->v, w->batch, w->width)
        && w->k.rows == w->v.rows && w->width % w->heads == 0 && o->distances->shape.rank == 3
        && o->distances->shape.dim[2] == w->width && of_length(o->u, w->width)
        && of_length(o->w, w->width)
        && (segments ? of_length(o->s, w->width) && of_length(o->g, 2 * w->width) : !o->g && !o->s))
        return true;
    at_fail(t,
            "relative attention: queries %s, keys %s, values %s, distances %s, biases and segments "
            "do not fit together in %d heads",
            at_shape_print(q->shape).text,
            at_shape_print(SHAPE(w->batch, w->k.rows, w->k.width)).text,
            at_shape_print(SHAPE(w->batch, w->v.rows, w->v.width)).text,
            at_shape_print(o->distances->shape).text, w->heads);
    return false;
}

/* Has every query a row for the distance of every key that it may see? */
static bool distances_fit(at_tape *t, const at_relative_work *w)
{
    int G = w->o.distances->shape.dim[0];
    for (int b = 0; b < w->batch; b++) {
        int direction = w->o.directions ? w->o.directions[b] : 0;
        int length = w->o.sight.lengths ? w->o.sight.lengths[b] : w->keys;
        bool fits = direction >= 0 && direction < G && length >= 0 && length <= w->keys;
        for (int i = 0; fits && i < w->queries; i++) {
            int p = at_relative_position(w, b, i), last = w->o.sight.causal ? p : w->keys - 1;
            fits = p < 0 || (p <= w->o.far && w->o.far - p + last < w->N && p < w->keys);
        }
        if (!fits) {
            at_fail(t,
                    "relative attention: sentence %d has a query, a direction or a length outside "
                    "the %d keys and the %d distances from %d down, of %d directions",
                    b, w->keys, w->N, w->o.far, G);
            return false;
        }
    }
    return true;
}

static bool fit(at_tape *t, at_relative_work *w, const at_tensor *q)
{
    if (q->shape.rank != 3 || w->o.heads < 1 || !w->o.distances
        || !(w->o.dropout >= 0 && w->o.dropout < 1)
        || !w->o.sight.query_rank != !w->o.sight.key_rank) {
        at_fail(t, "relative attention: queries %s, %d heads, dropout %g or ranks are not valid",
                at_shape_print(q->shape).text, w->o.heads, (double)w->o.dropout);
        return false;
    }
    w->batch = q->shape.dim[0];
    w->queries = q->shape.dim[1];
    w->width = q->shape.dim[2];
    w->heads = w->o.heads;
    w->keys = w->k.rows;
    w->d = w->width / w->heads;
    w->N = w->o.distances->shape.dim[1];
    w->q = q->value;
    return operands_fit(t, w, q) && distances_fit(t, w);
}

/* ---- forward -------------------------------------------------------------------------------- */

typedef struct {
    size_t width;
    const real *q, *bias;
    real *y;
} sum;

static void add_rows(void *arg, ptrdiff_t begin, ptrdiff_t end)
{
    const sum *a = arg;
    for (size_t i = (size_t)begin * a->width; i < (size_t)end * a->width; i += a->width)
        at_vector()->add(a->width, a->q + i, a->bias, a->y + i);
}

/* y = q + bias, in every row */
static const real *biased(const at_relative_work *w, const at_tensor *bias, real *y)
{
    sum a = {(size_t)w->width, w->q, bias->value, y};
    if (y)
        at_parallel_for((ptrdiff_t)w->batch * w->queries, at_rows_grain(a.width), add_rows, &a);
    return y;
}

static size_t length(const at_relative_work *w)
{
    return (size_t)w->batch * (size_t)w->queries * (size_t)w->width;
}

static double head_work(const at_relative_work *w) { return 3.0 * w->queries * w->keys * w->d; }

static void forward(at_tape *t, at_relative_work *w)
{
    int blocks = (w->queries + ATTEND_BLOCK - 1) / ATTEND_BLOCK;
    at_mark mark = at_tape_mark(t);
    w->by_content = biased(w, w->o.u, at_scratch_reals(t, length(w)));
    w->by_distance = biased(w, w->o.w, at_scratch_reals(t, length(w)));
    if (at_failed(t))
        return;
    at_parallel_each(w->batch * w->heads * blocks, head_work(w) / (blocks ? blocks : 1),
                     at_relative_block, w);
    at_scratch_release(t, mark);
}

at_attention_result at_relative_attention(at_tape *t, at_tensor *q, at_rows k, at_rows v,
                                          at_relative_options o)
{
    at_attention_result poison = {at_poison(t), o.weights ? at_poison(t) : NULL};
    at_relative_work *w = at_failed(t) ? NULL : at_scratch(t, sizeof *w);
    if (!w)
        return poison;
    *w = (at_relative_work){.k = k, .v = v, .o = o};
    if (!fit(t, w, q))
        return poison;
    at_tensor *context = at_new(t, q->shape), *weights = NULL;
    if (o.weights)
        weights = at_new(t, SHAPE(w->batch, w->heads, w->queries, w->keys));
    size_t rows = (size_t)w->batch * (size_t)w->heads * (size_t)w->queries;
    w->norm = at_scratch(t, rows * sizeof *w->norm);
    if (at_failed(t))
        return poison;
    w->context = context->value;
    w->weights = weights ? weights->value : NULL;
    w->drops = o.dropout > 0 && at_tape_mode(t) == ATTEND_TRAIN;
    if (w->drops)
        w->dropping = at_dropout_start(t, o.dropout);
    forward(t, w);
    if (at_recording(t, INPUTS(q, k.tensor, v.tensor, o.distances, o.u, o.w, o.s, o.g)))
        at_record(t, &at_op_relative_attention,
                  INPUTS(q, k.tensor, v.tensor, o.distances, o.u, o.w, o.s, o.g),
                  OUTPUTS(context, weights), w);
    return (at_attention_result){context, weights};
}

/* ---- backward ------------------------------------------------------------------------------- */

enum { Q, K, V, DISTANCES, U, W, S, G }; /* inputs */

static real *zeros(const at_node *n, size_t len)
{
    real *x = at_brief_reals(n->tape, len);
    if (x)
        at_vector_zero(len, x);
    return x;
}

/* memory for what is summed over sentences or over rows afterwards */
static bool reserve(const at_node *n, at_relative_work *w)
{
    size_t sentence = (size_t)w->batch * (size_t)w->width;
    w->by_content = biased(w, w->o.u, at_brief_reals(n->tape, length(w)));
    w->by_distance = biased(w, w->o.w, at_brief_reals(n->tape, length(w)));
    w->d_content = zeros(n, length(w));
    w->d_distance = zeros(n, length(w));
    w->d_distances = zeros(n, sentence * (size_t)w->N);
    w->ds = w->o.g ? zeros(n, sentence) : NULL;
    w->dg = w->o.g ? zeros(n, 2 * sentence) : NULL;
    return !at_failed(n->tape);
}

/* gradient of an input: sums of the columns of x [rows, width] */
static void add_columns(const at_node *n, int input, int rows, int width, const real *x)
{
    real beta, *dx = x ? at_grad_in(n, input, &beta) : NULL;
    if (dx)
        at_columns_sum((size_t)rows, width, x, beta, dx);
}

static void add_distances(const at_node *n, const at_relative_work *w)
{
    size_t size = (size_t)w->N * (size_t)w->width;
    real *dr = at_grad_add(n, DISTANCES);
    for (int b = 0; dr && b < w->batch; b++) {
        size_t direction = w->o.directions ? (size_t)w->o.directions[b] : 0;
        at_vector_axpy(size, 1, w->d_distances + (size_t)b * size, 1, dr + direction * size);
    }
}

static void backward(const at_node *n)
{
    at_relative_work w = *(const at_relative_work *)n->saved;
    w.d_context = at_grad_out(n, 0);
    w.d_weights = at_grad_out(n, 1);
    w.dq = at_grad_add(n, Q);
    w.dk = at_grad_add(n, K);
    w.dv = at_grad_add(n, V);
    if (at_failed(n->tape) || !reserve(n, &w))
        return;
    at_parallel_each(w.batch * w.heads, 3 * head_work(&w), at_relative_back, &w);
    if (w.dq) {
        at_vector_axpy(length(&w), 1, w.d_content, 1, w.dq);
        at_vector_axpy(length(&w), 1, w.d_distance, 1, w.dq);
    }
    add_columns(n, U, w.batch * w.queries, w.width, w.d_content);
    add_columns(n, W, w.batch * w.queries, w.width, w.d_distance);
    add_distances(n, &w);
    add_columns(n, S, w.batch, w.width, w.ds);
    add_columns(n, G, w.batch, 2 * w.width, w.dg);
}

/* ---- samples: 2 sentences, 2 heads of 2, 3 queries, 5 keys, the distances 4 .. -4 ----------- */

enum { SB = 2, SH = 2, SD = 2, SQ = 3, SK = 5, SN = 9, SFAR = 4, SW = SH * SD };

static const int lengths[] = {5, 4}, directions[] = {1, 0};
static const int query_segment[] = {0, 1, 2, 1, 1, 0},
                 key_segment[] = {0, 0, 0, 1, 2, 0, 1, 1, 1, 0};
static const int query_rank[] = {1, 4, 2, 3, 1, 2}, key_rank[] = {0, 0, 1, 3, 2, 0, 3, 1, 2, 0};
static const int positions[] = {4, 1, 3, 2, -1, 0};
static const unsigned char hidden[] = {0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
                                       1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0};

typedef struct {
    at_tensor *q, *k, *v;
    at_relative_options o;
} inputs;

/* the query stream of a permutation; or causal, limited, with flags; or with segments, dropout and
 * weights */
static inputs sample_inputs(at_tape *t, at_path s, int which)
{
    at_relative_options o = {
        .heads = SH,
        .scale = (real)0.7,
        .distances = at_param(t, s, "distances", SHAPE(2, SN, SW), INIT_NORMAL(1)),
        .far = SFAR,
        .u = at_param(t, s, "u", SHAPE(SW), INIT_NORMAL(1)),
        .w = at_param(t, s, "w", SHAPE(SW), INIT_NORMAL(1)),
    };
    if (which == 0) {
        o.positions = positions;
        o.sight = (at_sight){.query_rank = query_rank, .key_rank = key_rank};
    } else if (which == 1) {
        o.directions = directions;
        o.sight = (at_sight){
            .hidden = hidden, .causal = true, .limited = true, .reach = 2, .self = true};
    } else {
        o.s = at_param(t, s, "s", SHAPE(SW), INIT_NORMAL(1));
        o.g = at_param(t, s, "g", SHAPE(2, SW), INIT_NORMAL(1));
        o.query_segment = query_segment;
        o.key_segment = key_segment;
        o.sight.lengths = lengths;
        o.dropout = (real)0.3;
    }
    o.weights = which != 1;
    return (inputs){at_param(t, s, "q", SHAPE(SB, SQ, SW), INIT_NORMAL(1)),
                    at_param(t, s, "k", SHAPE(SB, SK, SW), INIT_NORMAL(1)),
                    at_param(t, s, "v", SHAPE(SB, SK, SW), INIT_NORMAL(1)), o};
}

static at_tensor *flat(at_tape *t, at_tensor *x)
{
    return at_failed(t) ? at_poison(t) : at_reshape(t, x, SHAPE((int)x->len));
}

static at_tensor *joined(at_tape *t, at_attention_result r)
{
    return r.weights ? at_concat(t, 2, (at_tensor *[]){flat(t, r.context), flat(t, r.weights)}, 0)
                     : flat(t, r.context);
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *part[3];
    for (int i = 0; i < 3; i++) {
        inputs in = sample_inputs(t, s, i);
        part[i] = joined(t,
                         at_relative_attention(t, in.q, at_rows_of(in.k), at_rows_of(in.v), in.o));
    }
    return at_concat(t, 3, part, 0);
}

/* ---- the same from products, slices, sums and the softmax ----------------------------------- */

static at_tensor *bias_of(at_tape *t, at_tensor *bias, int h)
{
    return at_slice(t, at_reshape(t, bias, SHAPE(SW)), 0, h * SD, (h + 1) * SD);
}

/* sentence b, head h of x [B,n,W]: [n,SD] */
static at_tensor *head(at_tape *t, at_tensor *x, int b, int h)
{
    x = at_slice(t, at_slice(t, x, 0, b, b + 1), 2, h * SD, (h + 1) * SD);
    return at_reshape(t, x, SHAPE(x->shape.dim[1], SD));
}

static int position_of(const at_relative_options *o, int b, int i)
{
    return o->positions ? o->positions[b * SQ + i] : SK - SQ + i;
}

/* row i of x [SQ,SN], shifted to the keys: [1,SK]; zeros beyond the last distance */
static at_tensor *shifted(at_tape *t, at_tensor *x, int i, int p)
{
    at_tensor *row[] = {at_slice(t, x, 0, i, i + 1), at_zeros(t, SHAPE(1, SK))};
    int first = SFAR - (p < 0 ? 0 : p);
    return at_slice(t, at_concat(t, 2, row, 1), 1, first, first + SK);
}

/* [SQ,SK]: 1 where query and key are of one segment, or of two */
static at_tensor *same(at_tape *t, int b, bool other)
{
    at_tensor *x = at_zeros(t, SHAPE(SQ, SK));
    for (int i = 0; !at_failed(t) && i < SQ * SK; i++)
        x->value[i] = (query_segment[b * SQ + i / SK] != key_segment[b * SK + i % SK]) == other;
    return x;
}

static at_tensor *segment_scores(at_tape *t, const inputs *in, int b, int h)
{
    at_tensor *x = at_zeros(t, SHAPE(SQ, SK)), *q = head(t, in->q, b, h);
    for (int c = 0; in->o.g && c < 2; c++) {
        at_tensor *g = at_slice(t, at_slice(t, in->o.g, 0, c, c + 1), 1, h * SD, (h + 1) * SD);
        at_tensor *e = at_matmul(t, at_add(t, q, bias_of(t, in->o.s, h)), false, g, true, 1);
        x = at_add(t, x, at_multiply(t, e, same(t, b, c)));
    }
    return x;
}

static bool sees(const at_relative_options *o, int b, int i, int j)
{
    const at_sight *s = &o->sight;
    int p = position_of(o, b, i);
    bool hides = s->key_rank && s->key_rank[b * SK + j] >= s->query_rank[b * SQ + i];
    hides |= s->hidden && s->hidden[(b * SQ + i) * SK + j];
    hides |= s->causal && (j > p || (s->limited && j < p - s->reach));
    return !hides || (s->self && j == p);
}

/* scores [1,1,SQ,SK] of head h of sentence b */
static at_tensor *plain_scores(at_tape *t, const inputs *in, int b, int h)
{
    at_tensor *q = head(t, in->q, b, h), *row[SQ], *mask = at_zeros(t, SHAPE(SQ, SK));
    int direction = in->o.directions ? in->o.directions[b] : 0;
    at_tensor *r = head(t, in->o.distances, direction, h);
    at_tensor *x = at_matmul(t, at_add(t, q, bias_of(t, in->o.u, h)), false, head(t, in->k, b, h),
                             true, 1);
    at_tensor *far = at_matmul(t, at_add(t, q, bias_of(t, in->o.w, h)), false, r, true, 1);
    for (int i = 0; i < SQ; i++)
        row[i] = shifted(t, far, i, position_of(&in->o, b, i));
    x = at_add(t, at_add(t, x, at_concat(t, SQ, row, 0)), segment_scores(t, in, b, h));
    for (int i = 0; !at_failed(t) && i < SQ * SK; i++)
        mask->value[i] = sees(&in->o, b, i / SK, i % SK) ? 0 : (real)-1e30;
    return at_reshape(t, at_add(t, at_scale(t, x, in->o.scale), mask), SHAPE(1, 1, SQ, SK));
}

/* x [SB,SH,SQ,..] with 0 for rows of no query */
static at_tensor *present(at_tape *t, const at_relative_options *o, at_tensor *x)
{
    at_tensor *mask = at_zeros(t, SHAPE(SB, 1, SQ, 1));
    for (int i = 0; !at_failed(t) && i < SB * SQ; i++)
        mask->value[i] = position_of(o, i / SQ, i % SQ) >= 0;
    return at_multiply(t, x, mask);
}

static at_attention_result plain(at_tape *t, const inputs *in)
{
    at_tensor *sentence[SB], *heads[SH];
    for (int b = 0; b < SB; b++) {
        for (int h = 0; h < SH; h++)
            heads[h] = plain_scores(t, in, b, h);
        sentence[b] = at_concat(t, SH, heads, 1);
    }
    at_mask mask = {.lengths = in->o.sight.lengths};
    at_tensor *weights = at_softmax(t, at_concat(t, SB, sentence, 0), &mask);
    weights = present(t, &in->o, weights);
    at_tensor *kept = at_dropout(t, weights, in->o.dropout);
    for (int h = 0; h < SH; h++)
        heads[h] = at_matmul(t, at_reshape(t, at_slice(t, kept, 1, h, h + 1), SHAPE(SB, SQ, SK)),
                             false, at_slice(t, in->v, 2, h * SD, (h + 1) * SD), false, 1);
    return (at_attention_result){at_concat(t, SH, heads, 2), in->o.weights ? weights : NULL};
}

static at_tensor *reference(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *part[3];
    for (int i = 0; i < 3; i++) {
        inputs in = sample_inputs(t, s, i);
        part[i] = joined(t, plain(t, &in));
    }
    return at_concat(t, 3, part, 0);
}

const at_op at_op_relative_attention = {
    .name = "relative_attention",
    .formula = "C = softmax(c [(Q+u)K^T + shift((Q+w)R^T) + (Q+s)G^T]) V",
    .backward = backward,
    .sample = sample,
    .reference = reference,
};
