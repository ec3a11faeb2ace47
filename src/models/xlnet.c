#include "models/xlnet.h"

#include <string.h>

#include "base/memory.h"

/* ---- parameters: Hugging Face's names, N(0, 0.02^2) at first -------------------------------- */

#define INIT INIT_NORMAL((real)0.02)

static at_path body(void) { return at_in(at_root(), "transformer"); }

static at_tensor *tokens_table(at_tape *t, const at_xlnet *m)
{
    return at_param_matrix(t, at_in(body(), "word_embedding"), "weight",
                           SHAPE(m->vocabulary, m->width), INIT);
}

/* y = x W, weight [D, heads, head's width] */
static at_tensor *project(at_tape *t, at_path s, const char *name, const at_xlnet *m, at_tensor *x)
{
    at_shape shape = SHAPE(m->width, m->heads, m->head_width);
    return at_affine(t, x, at_param_matrix(t, s, name, shape, INIT), NULL, ATTEND_IN_OUT);
}

/* the way back: y = x W^T */
static at_tensor *project_back(at_tape *t, at_path s, const at_xlnet *m, at_tensor *x)
{
    at_shape shape = SHAPE(m->width, m->heads, m->head_width);
    return at_affine(t, x, at_param_matrix(t, s, "o", shape, INIT), NULL, ATTEND_OUT_IN);
}

static at_tensor *bias(at_tape *t, at_path s, const char *name, const at_xlnet *m)
{
    return at_param(t, s, name, SHAPE(m->heads, m->head_width), INIT);
}

/* f(x W^T + b); f may be NULL */
static at_tensor *dense(at_tape *t, at_path s, at_tensor *x, int out, at_activation *f)
{
    if (at_failed(t))
        return at_poison(t);
    at_tensor *w = at_param_matrix(t, s, "weight", SHAPE(out, at_shape_last(x->shape)), INIT);
    at_tensor *b = at_param(t, s, "bias", SHAPE(out), INIT_ZERO);
    return f ? at_affine_act(t, x, w, b, ATTEND_OUT_IN, f) : at_affine(t, x, w, b, ATTEND_OUT_IN);
}

/* ---- distances ------------------------------------------------------------------------------ */

/* [sin | cos] of a distance. The peer computes angles in float, and so did the training of the
 * published weights. */
static void sinusoids(int width, float distance, real *to)
{
    for (int k = 0; k < width / 2; k++) {
        float frequency = 1 / powf(10000, (float)(2 * k) / (float)width);
        double angle = (double)(distance * frequency);
        to[k] = (real)sin(angle);
        to[width / 2 + k] = (real)cos(angle);
    }
}

/* R [G,N,D] of the distances K, K-1, ..; down to 0, or as far as a later key is away. In the other
 * direction they change their sign. */
static at_tensor *distances(at_tape *t, const at_xlnet *m, int K, int T)
{
    int N = m->causal ? K + 1 : K + T, ways = m->two_ways ? 2 : 1;
    at_tensor *r = at_new(t, SHAPE(ways, N, m->width));
    for (int i = 0; !at_failed(t) && i < ways * N; i++) {
        int distance = (i < N ? 1 : -1) * (K - i % N);
        if (m->clamp > 0 && distance > m->clamp)
            distance = m->clamp;
        if (m->clamp > 0 && distance < -m->clamp)
            distance = -m->clamp;
        sinusoids(m->width, (float)distance, r->value + (size_t)i * (size_t)m->width);
    }
    return at_dropout(t, r, m->dropout);
}

/* ---- who sees whom -------------------------------------------------------------------------- */

/* what is the same in all layers */
typedef struct {
    const at_xlnet_input *in;
    int B, T, M, K;
    at_tensor *distances;
    const int *key_segment, *query_segment; /* [B,K], [B,P]; NULL without segments */
    const int *positions[2]; /* [B,T], [B,P]: of tokens and of targets among the keys;
                                NULL: tokens are the last keys */
    at_sight content, query;
} scene;

static int *ints(at_tape *t, int rows, int columns)
{
    return at_scratch(t, (size_t)rows * (size_t)columns * sizeof(int));
}

/* [B,M+T] of x [B,T]: `memory` for the keys of the memory */
static const int *with_memory(at_tape *t, const scene *c, const int *x, int memory)
{
    int *y = x ? ints(t, c->B, c->K) : NULL;
    for (int i = 0; y && i < c->B * c->K; i++) {
        int j = i % c->K - c->M;
        y[i] = j < 0 ? memory : x[i / c->K * c->T + j];
    }
    return y;
}

/* [B,P] of x [B,T]: that of each target */
static const int *of_targets(at_tape *t, const scene *c, const int *x)
{
    int P = c->in->P, *y = x ? ints(t, c->B, P) : NULL;
    for (int i = 0; y && i < c->B * P; i++) {
        int target = c->in->targets[i];
        y[i] = target < 0 ? 0 : x[i / P * c->T + target];
    }
    return y;
}

/* flags [B,rows,K] from hidden and padding, of the tokens, or of the targets */
static const unsigned char *flags(at_tape *t, const scene *c, const int *targets, int rows)
{
    const at_xlnet_input *in = c->in;
    size_t T = (size_t)c->T, K = (size_t)c->K, M = (size_t)c->M, n = (size_t)(c->B * rows);
    unsigned char *y = in->hidden || in->padding ? at_scratch(t, n * K) : NULL;
    for (size_t i = 0; y && i < n; i++) {
        size_t b = i / (size_t)rows, row = targets ? (size_t)targets[i] : i % (size_t)rows;
        memset(y + i * K, 0, K);
        for (size_t j = 0; j < T && !(targets && targets[i] < 0); j++)
            y[i * K + M + j] = (in->hidden && in->hidden[(b * T + row) * T + j])
                               || (in->padding && in->padding[b * T + j]);
    }
    return y;
}

/* ranks of the memory: every token sees it, or none does */
enum { EARLIEST = -(1 << 30), NEVER = 1 << 30 };

/* [B,K]: with the ranks of the memory; NULL without any */
static const int *key_ranks(at_tape *t, const scene *c)
{
    const at_xlnet_input *in = c->in;
    if (!in->remembered || c->M == 0)
        return with_memory(t, c, in->key_rank, EARLIEST);
    int *y = ints(t, c->B, c->K);
    for (int i = 0; y && i < c->B * c->K; i++) {
        int b = i / c->K, j = i % c->K - c->M;
        y[i] = j >= 0                    ? in->key_rank ? in->key_rank[b * c->T + j] : 0
               : j >= -in->remembered[b] ? EARLIEST
                                         : NEVER;
    }
    return y;
}

/* [B,T]: of the tokens, or a rank that sees all that there is */
static const int *query_ranks(at_tape *t, const scene *c)
{
    if (c->in->query_rank || !c->in->remembered || c->M == 0)
        return c->in->query_rank;
    int *y = ints(t, c->B, c->T);
    for (int i = 0; y && i < c->B * c->T; i++)
        y[i] = 1;
    return y;
}

static const int *lengths_of(at_tape *t, const scene *c)
{
    int *y = c->in->lengths ? ints(t, c->B, 1) : NULL;
    for (int b = 0; y && b < c->B; b++)
        y[b] = c->M + c->in->lengths[b];
    return y;
}

static void set_query_stream(at_tape *t, const at_xlnet_input *in, scene *c)
{
    int *positions = ints(t, c->B, in->P);
    for (int i = 0; positions && i < c->B * in->P; i++)
        positions[i] = in->targets[i] < 0 ? -1 : c->M + in->targets[i];
    c->positions[1] = positions;
    c->query_segment = of_targets(t, c, in->segments);
    c->query = c->content;
    c->query.query_rank = of_targets(t, c, c->content.query_rank);
    c->query.hidden = flags(t, c, in->targets, in->P);
    c->query.self = false;
}

/* tokens that continue the rows of a cache */
static scene set_cached(at_tape *t, const at_xlnet *m, const at_xlnet_input *in)
{
    scene c = {.in = in, .B = in->ids.shape.dim[0], .T = in->ids.shape.dim[1]};
    int *positions = ints(t, c.B, c.T);
    const int *first = at_cache_firsts(in->cache);
    for (int i = 0; positions && i < c.B * c.T; i++) {
        bool padding = in->counts && i % c.T >= in->counts[i / c.T];
        positions[i] = padding ? -1 : first[i / c.T] + i % c.T;
    }
    c.positions[0] = positions;
    c.K = at_cache_rows(in->cache, 0).rows;
    c.distances = distances(t, m, c.K, c.T);
    c.content = (at_sight){.lengths = at_cache_lengths(in->cache), .causal = true, .self = true};
    return c;
}

static scene set_scene(at_tape *t, const at_xlnet *m, const at_xlnet_input *in)
{
    scene c = {.in = in, .B = in->ids.shape.dim[0], .T = in->ids.shape.dim[1]};
    c.M = in->memory ? in->memory[0]->shape.dim[1] : 0;
    c.K = c.M + c.T;
    c.distances = distances(t, m, c.K, c.T);
    c.key_segment = with_memory(t, &c, in->segments, 0);
    c.content = (at_sight){.lengths = lengths_of(t, &c),
                           .query_rank = query_ranks(t, &c),
                           .key_rank = key_ranks(t, &c),
                           .hidden = flags(t, &c, NULL, c.T),
                           .causal = m->causal,
                           .limited = m->same_length,
                           .reach = c.M,
                           .self = true};
    if (in->targets)
        set_query_stream(t, in, &c);
    return c;
}

static bool input_fits(at_tape *t, const at_xlnet *m, const at_xlnet_input *in)
{
    at_shape s = in->ids.shape;
    for (int i = 0; in->memory && i < m->layers; i++) {
        at_shape x = in->memory[i]->shape;
        if (x.rank != 3 || x.dim[0] != s.dim[0] || x.dim[1] != in->memory[0]->shape.dim[1]
            || x.dim[2] != m->width) {
            at_fail(t, "xlnet: the memory %s of layer %d does not fit %d texts of width %d",
                    at_shape_print(x).text, i, s.dim[0], m->width);
            return false;
        }
    }
    for (int i = 0; in->targets && i < s.dim[0] * in->P; i++)
        if (in->targets[i] >= s.dim[1]) {
            at_fail(t, "xlnet: target %d is at position %d of texts of %d tokens", i,
                    in->targets[i], s.dim[1]);
            return false;
        }
    return true;
}

/* ---- one layer ------------------------------------------------------------------------------ */

enum { KEYS, VALUES, STREAMS }; /* of a layer in the cache */

at_cache *at_xlnet_cache(const at_xlnet *m)
{
    int streams = STREAMS * m->layers;
    int *widths = at_alloc((size_t)streams * sizeof *widths);
    for (int i = 0; widths && i < streams; i++)
        widths[i] = m->heads * m->head_width;
    at_cache *c = widths ? at_cache_new(0, streams, widths) : NULL;
    at_free(widths);
    return c;
}

/* what both streams attend to: keys, values, keys of the distances */
typedef struct {
    at_rows k, v;
    at_tensor *r;
} attended;

static attended look(at_tape *t, at_path s, const at_xlnet *m, const scene *c, at_tensor *h,
                     int layer)
{
    at_tensor *all = h;
    if (c->M > 0)
        all = at_concat(t, 2, (at_tensor *[]){c->in->memory[layer], h}, 1); /* [B,K,D] */
    at_tensor *k = project(t, s, "k", m, all), *v = project(t, s, "v", m, all);
    at_tensor *r = project(t, s, "r", m, c->distances);
    at_cache *cache = c->in->cache;
    if (at_failed(t))
        return (attended){.r = r};
    if (!cache)
        return (attended){at_rows_of(k), at_rows_of(v), r};
    int keys = STREAMS * layer + KEYS, values = STREAMS * layer + VALUES;
    at_cache_write(t, cache, keys, k, 0);
    at_cache_write(t, cache, values, v, 0);
    return (attended){at_cache_rows(cache, keys), at_cache_rows(cache, values), r};
}

/* x [B,Q,D] -> LN(x + W_o attention) */
static at_tensor *attend(at_tape *t, at_path s, const at_xlnet *m, const scene *c, attended a,
                         at_tensor *x, bool query, int layer)
{
    attend_attention_kind kind = query ? ATTEND_ATTENTION_QUERY : ATTEND_ATTENTION_CONTENT;
    bool segments = c->key_segment;
    at_tensor *segment_bias = bias(t, s, "r_s_bias",
                                   m); /* a model has them even without segments */
    at_tensor *segment = at_param(t, s, "seg_embed", SHAPE(2, m->heads, m->head_width), INIT);
    at_relative_options o = {.heads = m->heads,
                             .scale = 1 / real_sqrt((real)m->head_width),
                             .distances = a.r,
                             .far = c->K,
                             .directions = m->two_ways ? c->in->directions : NULL,
                             .u = bias(t, s, "r_w_bias", m),
                             .w = bias(t, s, "r_r_bias", m),
                             .s = segments ? segment_bias : NULL,
                             .g = segments ? segment : NULL,
                             .query_segment = query ? c->query_segment : c->in->segments,
                             .key_segment = c->key_segment,
                             .positions = c->positions[query],
                             .sight = query ? c->query : c->content,
                             .dropout = m->dropout,
                             .weights = at_attention_record_wants(c->in->record, kind, layer)};
    at_tensor *q = project(t, s, "q", m, x);
    if (at_failed(t))
        return at_poison(t);
    at_attention_result r = at_relative_attention(t, q, a.k, a.v, o);
    if (o.weights && !at_failed(t))
        at_attention_record_add(c->in->record, kind, layer, r.weights);
    at_tensor *y = at_dropout(t, project_back(t, s, m, r.context), m->dropout);
    if (at_failed(t))
        return at_poison(t);
    return at_norm_residual(t, at_in(s, "layer_norm"), x, y, m->epsilon, NULL);
}

static at_tensor *feed_forward(at_tape *t, at_path s, const at_xlnet *m, at_tensor *x)
{
    at_tensor *y = dense(t, at_in(s, "layer_1"), x, m->inner, m->activation);
    y = dense(t, at_in(s, "layer_2"), at_dropout(t, y, m->dropout), m->width, NULL);
    y = at_dropout(t, y, m->dropout);
    if (at_failed(t))
        return at_poison(t);
    return at_norm_residual(t, at_in(s, "layer_norm"), x, y, m->epsilon, NULL);
}

static at_streams layer(at_tape *t, const at_xlnet *m, const scene *c, at_streams x, int i)
{
    at_path s = at_in(body(), "layer.%d", i), attention = at_in(s, "rel_attn"), ff = at_in(s, "ff");
    attended a = look(t, attention, m, c, x.content, i);
    at_streams y = {attend(t, attention, m, c, a, x.content, false, i), NULL};
    y.content = feed_forward(t, ff, m, y.content);
    if (x.query)
        y.query = feed_forward(t, ff, m, attend(t, attention, m, c, a, x.query, true, i));
    return y;
}

/* ---- the model ------------------------------------------------------------------------------ */

/* g^0 [B,P,D] */
static at_tensor *masks(at_tape *t, const at_xlnet *m, at_tensor *mask, int B, int P)
{
    return at_failed(t) ? mask : at_add(t, at_zeros(t, SHAPE(B, P, m->width)), mask);
}

static void note(const at_xlnet_input *in, int i, at_streams x)
{
    if (in->content)
        in->content[i] = x.content;
    if (in->query)
        in->query[i] = x.query;
}

at_streams at_xlnet_read(at_tape *t, const at_xlnet *m, const at_xlnet_input *in)
{
    at_streams x = {at_poison(t), in->targets ? at_poison(t) : NULL};
    attend_error err;
    if (at_failed(t) || !input_fits(t, m, in))
        return x;
    if (in->cache && at_cache_extend(in->cache, in->ids.shape.dim[1], in->counts, &err) < 0) {
        at_fail_with(t, &err);
        return x;
    }
    bool noted = in->content || in->query || in->record; /* then layers stay */
    scene c = in->cache ? set_cached(t, m, in) : set_scene(t, m, in);
    at_mark mark = at_tape_mark(t);
    x.content = at_dropout(t, at_embedding(t, tokens_table(t, m), in->ids), m->dropout);
    at_tensor *mask = at_param(t, body(), "mask_emb", SHAPE(1, 1, m->width), INIT);
    if (in->targets)
        x.query = at_dropout(t, masks(t, m, mask, c.B, in->P), m->dropout);
    for (int i = 0; i < m->layers; i++) {
        note(in, i, x);
        x = layer(t, m, &c, x, i);
        at_tensor *keep[] = {x.content, x.query};
        if (!noted) {
            at_tape_release(t, mark, keep, 2);
            x = (at_streams){keep[0], keep[1]};
        }
    }
    note(in, m->layers, x);
    if (in->cache && !at_failed(t))
        at_cache_commit(in->cache);
    return (at_streams){at_dropout(t, x.content, m->dropout),
                        x.query ? at_dropout(t, x.query, m->dropout) : NULL};
}

at_tensor *at_xlnet_remember(at_tape *t, const at_xlnet *m, at_tensor *old, at_tensor *states)
{
    if (at_failed(t))
        return at_poison(t);
    int T = states->shape.dim[1];
    if (m->reuse > 0 && m->reuse < T)
        states = at_slice(t, states, 1, 0, m->reuse);
    at_tensor *all = old ? at_concat(t, 2, (at_tensor *[]){old, states}, 1) : states;
    int length = at_failed(t) ? 0 : all->shape.dim[1];
    return m->memory > 0 && length > m->memory ? at_slice(t, all, 1, length - m->memory, length)
                                               : all;
}

/* ---- heads ---------------------------------------------------------------------------------- */

static at_tensor *tokens_bias(at_tape *t, const at_xlnet *m)
{
    return at_param(t, at_in(at_root(), "lm_loss"), "bias", SHAPE(m->vocabulary), INIT_ZERO);
}

at_tensor *at_xlnet_logits(at_tape *t, const at_xlnet *m, at_tensor *states)
{
    return at_affine(t, states, tokens_table(t, m), tokens_bias(t, m), ATTEND_OUT_IN);
}

at_tensor *at_xlnet_loss(at_tape *t, const at_xlnet *m, at_tensor *states, at_ids targets,
                         at_cross_entropy_options options)
{
    return at_linear_cross_entropy(t, states, tokens_table(t, m), tokens_bias(t, m), ATTEND_OUT_IN,
                                   targets, options);
}

/* [B,1,T]: how much each token counts */
static at_tensor *shares(at_tape *t, const at_xlnet *m, int B, int T, const int *lengths)
{
    at_tensor *y = at_zeros(t, SHAPE(B, 1, T));
    for (int i = 0; !at_failed(t) && i < B * T; i++) {
        int n = lengths ? lengths[i / T] : T, j = i % T;
        y->value[i] = m->summary == ATTEND_SUMMARY_MEAN
                          ? (j < n ? 1 / (real)n : 0)
                          : j == (m->summary == ATTEND_SUMMARY_FIRST ? 0 : n - 1);
    }
    return y;
}

at_tensor *at_xlnet_summarise(at_tape *t, const at_xlnet *m, at_tensor *states, const int *lengths)
{
    if (at_failed(t))
        return at_poison(t);
    int B = states->shape.dim[0], T = states->shape.dim[1];
    at_tensor *x = at_matmul(t, shares(t, m, B, T, lengths), false, states, false, 1);
    x = at_dropout(t, at_reshape(t, x, SHAPE(B, m->width)), m->summary_first_dropout);
    at_path s = at_in(at_root(), "sequence_summary.summary");
    if (m->summary_projects)
        x = dense(t, s, x, m->width, m->summary_activation);
    else if (m->summary_activation)
        x = m->summary_activation(t, x);
    return at_dropout(t, x, m->summary_last_dropout);
}

at_tensor *at_xlnet_classes(at_tape *t, const at_xlnet *m, at_tensor *summary)
{
    return dense(t, at_in(at_root(), "logits_proj"), summary, m->classes, NULL);
}

at_tensor *at_xlnet_tags(at_tape *t, const at_xlnet *m, at_tensor *states)
{
    return dense(t, at_in(at_root(), "classifier"), states, m->classes, NULL);
}

at_tensor *at_xlnet_span(at_tape *t, const at_xlnet *m, at_tensor *states)
{
    (void)m;
    return dense(t, at_in(at_root(), "qa_outputs"), states, 2, NULL);
}
