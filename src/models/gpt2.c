#include "models/gpt2.h"

#include "base/memory.h"

/* ---- parameters: Hugging Face's names and first values -------------------------------------- */

#define SPREAD ((real)0.02)

static at_tensor *tokens_table(at_tape *t, at_path s, const at_gpt2 *m)
{
    return at_param_matrix(t, at_in(s, "wte"), "weight", SHAPE(m->vocabulary, m->width),
                           INIT_NORMAL(SPREAD));
}

/* y = f(x W + b), weight [in,out]: Hugging Face's Conv1D; f may be NULL */
static at_tensor *project(at_tape *t, at_path s, at_tensor *x, int out, real spread,
                          at_activation *f)
{
    if (at_failed(t))
        return at_poison(t);
    at_tensor *w = at_param_matrix(t, s, "weight", SHAPE(at_shape_last(x->shape), out),
                                   INIT_NORMAL(spread));
    at_tensor *b = at_param(t, s, "bias", SHAPE(out), INIT_ZERO);
    return f ? at_affine_act(t, x, w, b, ATTEND_IN_OUT, f) : at_affine(t, x, w, b, ATTEND_IN_OUT);
}

/* what is added to the states, 2 L times: its spread keeps theirs from growing with the depth */
static at_tensor *project_back(at_tape *t, at_path s, const at_gpt2 *m, at_tensor *x)
{
    real spread = SPREAD / real_sqrt((real)(2 * m->layers));
    return at_dropout(t, project(t, at_in(s, "c_proj"), x, m->width, spread, NULL), m->dropout);
}

/* ---- attention ------------------------------------------------------------------------------ */

/* streams of one layer in the cache */
static int streams_of(const at_gpt2 *m, int widths[ATTEND_ATTENTION_STREAMS])
{
    return at_attention_streams(&m->attention, m->width, m->width, m->width, widths);
}

at_cache *at_gpt2_cache(const at_gpt2 *m)
{
    int one[ATTEND_ATTENTION_STREAMS], n = streams_of(m, one);
    int *widths = at_alloc((size_t)(n * m->layers) * sizeof *widths);
    for (int i = 0; widths && i < n * m->layers; i++)
        widths[i] = one[i % n];
    at_cache *c = widths ? at_cache_new(0, n * m->layers, widths) : NULL;
    at_free(widths);
    return c;
}

static real layer_scale(const at_gpt2 *m, int layer)
{
    return m->scale_by_layer ? 1 / (real)(layer + 1) : 1;
}

/* dot products of all positions: one op reads q, k and v where they lie, in one product [B,T,3D] */
static at_reading read_fused(at_tape *t, const at_gpt2 *m, at_tensor *qkv, at_cache *cache,
                             int layer, bool weights)
{
    int D = m->width, keys = 2 * layer, values = 2 * layer + 1;
    at_rows k = at_rows_columns(qkv, D, 2 * D), v = at_rows_columns(qkv, 2 * D, 3 * D);
    at_mask mask = {.causal = true};
    if (cache) {
        at_cache_write(t, cache, keys, qkv, D);
        at_cache_write(t, cache, values, qkv, 2 * D);
        k = at_cache_rows(cache, keys);
        v = at_cache_rows(cache, values);
        mask.lengths = at_cache_lengths(cache);
        mask.first = at_cache_firsts(cache);
    }
    at_attention_options o = {.heads = m->attention.heads,
                              .scale = m->attention.score->dot_scale(D / m->attention.heads)
                                       * layer_scale(m, layer),
                              .mask = &mask,
                              .dropout = m->attention_dropout,
                              .weights = weights};
    at_attention_result r = at_attention(t, at_rows_columns(qkv, 0, D), k, v, o);
    return (at_reading){.context = r.context, .weights = r.weights};
}

/* every other attention, on q, k and v of their own */
static at_reading read_any(at_tape *t, at_path s, const at_gpt2 *m, at_tensor *qkv, at_cache *cache,
                           int layer, bool weights)
{
    int D = m->width, widths[ATTEND_ATTENTION_STREAMS];
    at_tensor *q = at_slice(t, qkv, 2, 0, D), *k = at_slice(t, qkv, 2, D, 2 * D);
    at_tensor *v = at_slice(t, qkv, 2, 2 * D, 3 * D);
    const at_how *how = &m->attention;
    at_memory memory = cache ? at_append_slices(t, s, how, D, k, v, cache,
                                                layer * streams_of(m, widths))
                             : at_attention_slices(t, s, how, D, k, v, NULL);
    real scale = layer_scale(m, layer);
    at_query query = {.query = scale == 1 ? q : at_scale(t, q, scale),
                      .mask = {.causal = true, .first = cache ? at_cache_firsts(cache) : NULL},
                      .dropout = m->attention_dropout,
                      .weights = weights};
    return at_read_slices(t, s, how, &memory, query);
}

/* x [B,T,D] -> [B,T,D]: tokens attend to those before them, in the cache and in x */
static at_tensor *attention(at_tape *t, at_path s, const at_gpt2 *m, at_tensor *x,
                            const at_gpt2_input *in, int layer)
{
    at_tensor *qkv = project(t, at_in(s, "c_attn"), x, 3 * m->width, SPREAD, NULL);
    if (at_failed(t))
        return at_poison(t);
    bool wanted = at_attention_record_wants(in->record, ATTEND_ATTENTION_DECODER, layer);
    at_reading r = at_is_fused(&m->attention) ? read_fused(t, m, qkv, in->cache, layer, wanted)
                                              : read_any(t, s, m, qkv, in->cache, layer, wanted);
    if (wanted && !at_failed(t))
        at_attention_record_add(in->record, ATTEND_ATTENTION_DECODER, layer, r.weights);
    return project_back(t, s, m, r.context);
}

/* ---- the model ----------------------------------------------------------------------------- */

static at_tensor *feed_forward(at_tape *t, at_path s, const at_gpt2 *m, at_tensor *x)
{
    at_tensor *y = project(t, at_in(s, "c_fc"), x, m->inner, SPREAD, m->activation);
    return project_back(t, s, m, y);
}

/* Inference holds the tensors of one half of a block at a time, unless more are asked for. */
static void release(at_tape *t, at_mark mark, const at_gpt2_input *in, at_tensor **keep, int n)
{
    if (!in->hidden && (!in->record || !in->record->count))
        at_tape_release(t, mark, keep, n);
}

static at_tensor *block(at_tape *t, at_path s, const at_gpt2 *m, at_tensor *x,
                        const at_gpt2_input *in, int layer, at_mark mark)
{
    at_tensor *y = at_norm(t, at_in(s, "ln_1"), x, m->epsilon);
    at_tensor *keep[] = {x, attention(t, at_in(s, "attn"), m, y, in, layer)};
    release(t, mark, in, keep, 2);
    keep[1] = at_norm_residual(t, at_in(s, "ln_2"), keep[0], keep[1], m->epsilon, &keep[0]);
    release(t, mark, in, keep, 2);
    x = at_add(t, keep[0], feed_forward(t, at_in(s, "mlp"), m, keep[1]));
    release(t, mark, in, &x, 1);
    return x;
}

/* wpe[position]: token i of text b stands at first[b] + i, or at i; padding at 0 */
static at_tensor *positions(at_tape *t, at_path s, const at_gpt2 *m, const at_gpt2_input *in)
{
    int B = in->tokens.shape.dim[0], T = in->tokens.shape.dim[1];
    const int *first = in->cache ? at_cache_firsts(in->cache) : NULL;
    int *id = at_scratch(t, (size_t)B * (size_t)T * sizeof *id);
    for (int b = 0; id && b < B; b++)
        for (int i = 0; i < T; i++) {
            bool padding = in->counts && i >= in->counts[b];
            int position = padding ? 0 : (first ? first[b] : 0) + i;
            if (position >= m->positions)
                return at_fail(t,
                               "gpt2: text %d has more than the %d tokens that the model has "
                               "positions for; shorten it or split it",
                               b, m->positions);
            id[b * T + i] = position;
        }
    at_tensor *table = at_param_matrix(t, at_in(s, "wpe"), "weight", SHAPE(m->positions, m->width),
                                       INIT_NORMAL(SPREAD));
    return id ? at_embedding(t, table, (at_ids){in->tokens.shape, id}) : at_poison(t);
}

at_tensor *at_gpt2_states(at_tape *t, at_path s, const at_gpt2 *m, const at_gpt2_input *in)
{
    attend_error err;
    at_cache *cache = in->cache;
    if (cache && at_cache_extend(cache, in->tokens.shape.dim[1], in->counts, &err) < 0)
        return at_fail_with(t, &err);
    at_mark mark = at_tape_mark(t);
    at_tensor *where = positions(t, s, m, in);
    at_tensor *x = at_add(t, at_embedding(t, tokens_table(t, s, m), in->tokens), where);
    x = at_dropout(t, x, m->embedding_dropout);
    for (int i = 0; i < m->layers; i++) {
        if (in->hidden)
            in->hidden[i] = x;
        x = block(t, at_in(s, "h.%d", i), m, x, in, i, mark);
    }
    x = at_norm(t, at_in(s, "ln_f"), x, m->epsilon);
    release(t, mark, in, &x, 1);
    if (in->hidden)
        in->hidden[m->layers] = x;
    if (cache && !at_failed(t))
        at_cache_commit(cache);
    return x;
}

at_tensor *at_gpt2_last(at_tape *t, at_tensor *states, const int *counts)
{
    if (at_failed(t))
        return at_poison(t);
    int B = states->shape.dim[0], T = states->shape.dim[1], D = states->shape.dim[2];
    int *row = at_scratch(t, (size_t)B * sizeof *row);
    for (int b = 0; row && b < B; b++)
        row[b] = b * T + (counts ? counts[b] : T) - 1;
    return row ? at_take(t, at_reshape(t, states, SHAPE(B * T, D)), (at_ids){SHAPE(B), row})
               : at_poison(t);
}

static at_tensor *output_table(at_tape *t, at_path s, const at_gpt2 *m)
{
    return m->untied ? at_param_matrix(t, at_in(s, "lm_head"), "weight",
                                       SHAPE(m->vocabulary, m->width), INIT_NORMAL(SPREAD))
                     : tokens_table(t, s, m);
}

at_tensor *at_gpt2_logits(at_tape *t, at_path s, const at_gpt2 *m, at_tensor *states)
{
    return at_affine(t, states, output_table(t, s, m), NULL, ATTEND_OUT_IN);
}

at_tensor *at_gpt2_loss(at_tape *t, at_path s, const at_gpt2 *m, at_tensor *states, at_ids targets,
                        at_cross_entropy_options options)
{
    return at_linear_cross_entropy(t, states, output_table(t, s, m), NULL, ATTEND_OUT_IN, targets,
                                   options);
}
