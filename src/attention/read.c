/* One read: scores, visible positions, weights, context. */
#include <string.h>

#include "attention/attention.h"
#include "attention/parts.h"

/* ---- pieces that the scopes share --------------------------------------------------------- */

at_mask at_read_mask(const at_query *q, const at_memory *m)
{
    at_mask mask = q->mask;
    if (!mask.lengths)
        mask.lengths = m->lengths;
    return mask;
}

at_tensor *at_context(at_tape *t, at_tensor *weights, real dropout, const at_memory *m)
{
    return at_matmul(t, at_dropout(t, weights, dropout), false, m->values, false, 1);
}

/* [B,Q] or [B,Q,n] with an axis of one head in the middle; NULL stays NULL */
at_tensor *at_one_head(at_tape *t, at_tensor *x)
{
    if (!x || at_failed(t))
        return x ? at_poison(t) : NULL;
    at_shape s = x->shape;
    return at_reshape(
        t, x, s.rank == 2 ? SHAPE(s.dim[0], 1, s.dim[1]) : SHAPE(s.dim[0], 1, s.dim[1], s.dim[2]));
}

at_tensor *at_scores_added(at_tape *t, at_tensor *scores, at_mask *mask)
{
    at_mask_view v;
    if (!mask->added)
        return scores;
    if (at_failed(t) || !at_mask_fit_added(t, "attention", mask, scores->shape, &v))
        return at_poison(t);
    at_tensor *numbers = at_new(t, scores->shape);
    unsigned char *hidden = at_scratch(t, scores->len);
    if (at_failed(t))
        return at_poison(t);
    for (int row = 0; row < v.batch * v.queries; row++) {
        const real *added = at_mask_added(&v, row / v.queries, 0, row % v.queries);
        const unsigned char *flags = at_mask_row(&v, row / v.queries, 0, row % v.queries);
        size_t at = (size_t)row * (size_t)v.keys;
        for (int j = 0; j < v.keys; j++) {
            bool none = added[j] == -(real)INFINITY;
            hidden[at + (size_t)j] = none || (flags && flags[j]);
            numbers->value[at + (size_t)j] = none ? 0 : added[j];
        }
    }
    mask->added = NULL;
    mask->hidden = hidden;
    mask->hidden_shape = scores->shape;
    return at_add(t, scores, numbers);
}

at_tensor *at_scores_seen(at_tape *t, const at_query *q, at_tensor *scores, const at_mask *mask)
{
    at_mask_view v;
    if (!q->scores)
        return NULL;
    if (at_failed(t) || !at_mask_fit(t, "scores", mask, scores->shape, &v))
        return at_poison(t);
    at_tensor *y = at_new(t, SHAPE(v.batch, 1, v.queries, v.keys));
    for (int row = 0; !at_failed(t) && row < v.batch * v.queries; row++) {
        int end = at_mask_end(&v, row / v.queries, row % v.queries);
        const unsigned char *hidden = at_mask_row(&v, row / v.queries, 0, row % v.queries);
        size_t at = (size_t)row * (size_t)v.keys;
        for (int j = 0; j < v.keys; j++)
            y->value[at + (size_t)j] = j < end && !(hidden && hidden[j])
                                           ? scores->value[at + (size_t)j]
                                           : -(real)INFINITY;
    }
    return y;
}

at_reading at_read_masked(at_tape *t, at_path s, const at_how *how, const at_query *q,
                          const at_memory *m, const at_mask *mask)
{
    at_mask visible = *mask;
    at_tensor *scores = how->score->score(t, at_in(s, "score"), how, q, m);
    scores = at_scores_added(t, scores, &visible);
    at_picked p = how->pick->pick(t, how, scores, &visible);
    return (at_reading){.context = at_context(t, p.weights, q->dropout, m),
                        .weights = at_one_head(t, p.weights),
                        .scores = at_scores_seen(t, q, scores, &visible),
                        .log_p = at_one_head(t, p.log_p),
                        .entropy = at_one_head(t, p.entropy)};
}

/* keys lo .. hi-1 of a source, as a source of their own */
at_memory at_memory_part(at_tape *t, const at_memory *m, int lo, int hi)
{
    at_memory part = *m;
    if (at_failed(t) || (lo == 0 && hi == m->keys->shape.dim[1]))
        return part;
    part.keys = at_slice(t, m->keys, 1, lo, hi);
    part.values = m->values == m->keys ? part.keys : at_slice(t, m->values, 1, lo, hi);
    part.prepared = m->prepared ? at_slice(t, m->prepared, 1, lo, hi) : NULL;
    part.first = m->first + lo;
    part.lengths = NULL; /* the scope that asked has its own mask */
    return part;
}

static at_memory sentences(at_tape *t, const at_memory *m, at_ids which, const int *lengths)
{
    at_memory some = *m;
    some.keys = at_take(t, m->keys, which);
    some.values = m->values == m->keys ? some.keys : at_take(t, m->values, which);
    some.prepared = m->prepared ? at_take(t, m->prepared, which) : NULL;
    some.lengths = lengths;
    return some;
}

at_memory at_memory_of(at_tape *t, const at_how *how, const at_memory *m, at_ids which)
{
    int n = which.shape.dim[0];
    int *lengths = m->lengths ? at_scratch(t, (size_t)n * sizeof *lengths) : NULL;
    for (int i = 0; lengths && i < n; i++)
        lengths[i] = m->lengths[which.id[i]];
    at_memory some = sentences(t, m, which, lengths);
    if (m->heads)
        some.heads = at_scratch(t, (size_t)how->heads * sizeof *some.heads);
    for (int h = 0; some.heads && h < how->heads; h++)
        some.heads[h] = sentences(t, &m->heads[h], which, lengths);
    return some;
}

/* ---- dot products of global soft attention are fused ---------------------------------------- */

bool at_is_fused(const at_how *how)
{
    return how->score->dot_scale && how->scope->sees_all && how->pick->is_softmax;
}

/* one head's slice of the last axis */
static at_tensor *slice_of(at_tape *t, at_tensor *x, int heads, int h)
{
    int width = at_failed(t) ? 0 : at_shape_last(x->shape) / heads;
    return heads == 1 ? x : at_slice(t, x, 2, h * width, (h + 1) * width);
}

/* ---- masks of heads ------------------------------------------------------------------------ */

/* head h of an array [B,H,Q,K] of numbers of `size` bytes: [B,Q,K] */
static const void *head_part(at_tape *t, const void *data, size_t size, at_shape *shape, int h)
{
    at_shape s = *shape;
    if (!data || s.rank != 4)
        return data;
    size_t bytes = (size_t)s.dim[2] * (size_t)s.dim[3] * size, heads = (size_t)s.dim[1];
    char *part = at_scratch(t, (size_t)s.dim[0] * bytes);
    for (size_t b = 0; part && b < (size_t)s.dim[0]; b++)
        memcpy(part + b * bytes, (const char *)data + (b * heads + (size_t)h % heads) * bytes,
               bytes);
    *shape = SHAPE(s.dim[0], s.dim[2], s.dim[3]);
    return part;
}

/* the mask as head h sees it */
static at_mask head_mask(at_tape *t, at_mask m, int h)
{
    m.hidden = head_part(t, m.hidden, sizeof *m.hidden, &m.hidden_shape, h);
    m.added = head_part(t, m.added, sizeof *m.added, &m.added_shape, h);
    return m;
}

/* [B,Q,K] with an axis for the heads */
static at_shape all_heads(at_shape s)
{
    return s.rank == 3 ? SHAPE(s.dim[0], 1, s.dim[1], s.dim[2]) : s;
}

/* Are there as many heads in the mask as in the attention, or one for all? */
static bool heads_fit(at_tape *t, const at_mask *m, int heads)
{
    at_shape shapes[] = {m->hidden ? m->hidden_shape : SCALAR, m->added ? m->added_shape : SCALAR};
    for (int i = 0; i < 2; i++)
        if (shapes[i].rank == 4 && shapes[i].dim[1] != 1 && shapes[i].dim[1] != heads) {
            at_fail(t, "attention: a mask %s does not fit %d head%s",
                    at_shape_print(shapes[i]).text, heads, heads == 1 ? "" : "s");
            return false;
        }
    return true;
}

/* ---- the fused path ------------------------------------------------------------------------ */

/* the scores, which the op never has as a whole */
static at_tensor *fused_scores(at_tape *t, const at_query *q, const at_memory *m, int heads,
                               real scale)
{
    at_tensor **each = at_scratch(t, (size_t)heads * sizeof *each);
    for (int h = 0; each && h < heads; h++) {
        at_mask mask = head_mask(t, at_read_mask(q, m), h);
        at_tensor *e = at_matmul(t, slice_of(t, q->query, heads, h), false,
                                 slice_of(t, m->keys, heads, h), true, scale);
        each[h] = at_scores_seen(t, q, at_scores_added(t, e, &mask), &mask);
    }
    return at_failed(t) ? at_poison(t) : heads == 1 ? each[0] : at_concat(t, heads, each, 1);
}

/* dot products of all heads at once, without slices; linear in memory when no weights are asked */
static at_reading read_fused(at_tape *t, const at_how *how, const at_query *q, const at_memory *m)
{
    int heads = how->heads ? how->heads : 1, d = at_shape_last(q->query->shape) / heads;
    real scale = how->score->dot_scale(d);
    at_mask mask = at_read_mask(q, m);
    mask.hidden_shape = all_heads(mask.hidden_shape);
    mask.added_shape = all_heads(mask.added_shape);
    at_memory dense = *m;
    if (m->cache && q->scores)
        dense.keys = at_cache_gather(t, m->cache, m->stream);
    at_tensor *scores = q->scores ? fused_scores(t, q, &dense, heads, scale) : NULL;
    at_rows k = m->cache ? at_cache_rows(m->cache, m->stream) : at_rows_of(m->keys);
    at_rows v = m->cache ? at_cache_rows(m->cache, m->stream + 1) : at_rows_of(m->values);
    at_attention_options o = {.heads = heads,
                              .scale = scale,
                              .mask = &mask,
                              .dropout = q->dropout,
                              .weights = q->weights};
    at_attention_result r = at_attention(t, at_rows_of(q->query), k, v, o);
    return (at_reading){.context = r.context, .weights = r.weights, .scores = scores};
}

at_reading at_reading_poison(at_tape *t)
{
    at_tensor *p = at_poison(t);
    return (at_reading){p, p, p, p, p, p};
}

/* ---- heads -------------------------------------------------------------------------------- */

static at_path head_path(at_path s, int heads, int h) { return heads ? at_in(s, "head.%d", h) : s; }

static at_memory prepared(at_tape *t, at_path s, const at_how *how, at_memory m)
{
    if (how->score->prepare)
        m.prepared = how->score->prepare(t, at_in(s, "score"), how, &m);
    return m;
}

static bool fits(at_tape *t, const at_how *how, int width, at_tensor *keys, at_tensor *values)
{
    if (at_failed(t))
        return false;
    at_shape k = keys->shape, v = values->shape;
    int heads = how->heads ? how->heads : 1;
    if (k.rank != 3 || v.rank != 3 || k.dim[0] != v.dim[0] || k.dim[1] != v.dim[1] || width < 1)
        at_fail(t, "attention: keys %s and values %s must be [batch, length, width], of one length",
                at_shape_print(k).text, at_shape_print(v).text);
    else if (width % heads || k.dim[2] % heads || v.dim[2] % heads)
        at_fail(t,
                "attention: queries of width %d, keys %s and values %s cannot be cut into %d heads",
                width, at_shape_print(k).text, at_shape_print(v).text, heads);
    return !at_failed(t);
}

at_memory at_memory_heads(at_tape *t, const at_how *how, at_memory m)
{
    int heads = how->heads;
    m.heads = heads ? at_scratch(t, (size_t)heads * sizeof *m.heads) : NULL;
    for (int h = 0; m.heads && h < heads; h++) {
        at_memory part = {
            .keys = slice_of(t, m.keys, heads, h), .width = m.width / heads, .lengths = m.lengths};
        part.values = m.values == m.keys ? part.keys : slice_of(t, m.values, heads, h);
        part.prepared = m.prepared ? slice_of(t, m.prepared, heads, h) : NULL;
        m.heads[h] = part;
    }
    return m;
}

at_memory at_attention_slices(at_tape *t, at_path s, const at_how *how, int width, at_tensor *keys,
                              at_tensor *values, const int *lengths)
{
    at_memory m = {.keys = keys, .values = values, .width = width, .lengths = lengths};
    if (!fits(t, how, width, keys, values) || at_is_fused(how))
        return m;
    m = at_memory_heads(t, how, m);
    for (int h = 0; m.heads && h < how->heads; h++)
        m.heads[h] = prepared(t, head_path(s, how->heads, h), how, m.heads[h]);
    return how->heads ? m : prepared(t, s, how, m);
}

/* axes: of the context, and of everything that has a head axis after the first */
static at_reading join(at_tape *t, int n, const at_reading *r, int context_axis, int axis)
{
    return (at_reading){
        .context = at_concat_members(t, n, &r->context, sizeof *r, context_axis),
        .weights = at_concat_members(t, n, &r->weights, sizeof *r, axis),
        .scores = at_concat_members(t, n, &r->scores, sizeof *r, axis),
        .centre = at_concat_members(t, n, &r->centre, sizeof *r, axis),
        .log_p = at_concat_members(t, n, &r->log_p, sizeof *r, axis),
        .entropy = at_concat_members(t, n, &r->entropy, sizeof *r, axis),
    };
}

at_reading at_join_queries(at_tape *t, int n, const at_reading *parts)
{
    return join(t, n, parts, 1, 2);
}

static at_tensor *filled(at_tape *t, at_shape shape, real with)
{
    at_tensor *x = at_new(t, shape);
    for (size_t i = 0; !at_failed(t) && i < x->len; i++)
        x->value[i] = with;
    return x;
}

at_tensor *at_widen(at_tape *t, at_tensor *x, int lo, int K, real rest)
{
    if (!x || at_failed(t))
        return x ? at_poison(t) : NULL;
    at_shape s = x->shape;
    int n = s.dim[3];
    if (n == K)
        return x;
    s.dim[3] = lo;
    at_tensor *left = filled(t, s, rest);
    s.dim[3] = K - lo - n;
    return at_concat(t, 3, (at_tensor *[]){left, x, filled(t, s, rest)}, 3);
}

at_reading at_read_slices(at_tape *t, at_path s, const at_how *how, const at_memory *m, at_query q)
{
    if (at_failed(t))
        return at_reading_poison(t);
    if (q.query->shape.rank != 3 || at_shape_last(q.query->shape) != m->width) {
        at_fail(t, "attention: queries %s must be [batch, queries, %d]",
                at_shape_print(q.query->shape).text, m->width);
        return at_reading_poison(t);
    }
    if (!heads_fit(t, &q.mask, how->heads ? how->heads : 1))
        return at_reading_poison(t);
    if (at_is_fused(how))
        return read_fused(t, how, &q, m);
    if (!how->heads) {
        q.mask = head_mask(t, q.mask, 0);
        return how->scope->read(t, s, how, &q, m);
    }
    at_reading *each = at_scratch(t, (size_t)how->heads * sizeof *each);
    for (int h = 0; each && h < how->heads; h++) {
        at_query one = q;
        one.query = slice_of(t, q.query, how->heads, h);
        one.mask = head_mask(t, q.mask, h);
        each[h] = how->scope->read(t, head_path(s, how->heads, h), how, &one, &m->heads[h]);
    }
    return at_failed(t) ? at_reading_poison(t) : join(t, how->heads, each, 2, 1);
}
