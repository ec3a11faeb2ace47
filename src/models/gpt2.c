#include "models/gpt2.h"

#include "base/memory.h"

/* ---- parameters: Hugging Face's names, N(0, 0.02^2) at first ------------------------------- */

#define INIT INIT_NORMAL((real)0.02)

static at_tensor *tokens_table(at_tape *t, at_path s, const at_gpt2 *m)
{
    return at_param_matrix(t, at_in(s, "wte"), "weight", SHAPE(m->vocabulary, m->width), INIT);
}

/* y = f(x W + b), weight [in,out]: Hugging Face's Conv1D; f may be NULL */
static at_tensor *project(at_tape *t, at_path s, at_tensor *x, int out, at_activation *f)
{
    if (at_failed(t))
        return at_poison(t);
    at_tensor *w = at_param_matrix(t, s, "weight", SHAPE(at_shape_last(x->shape), out), INIT);
    at_tensor *b = at_param(t, s, "bias", SHAPE(out), INIT_ZERO);
    return f ? at_affine_act(t, x, w, b, ATTEND_IN_OUT, f) : at_affine(t, x, w, b, ATTEND_IN_OUT);
}

/* ---- one block ----------------------------------------------------------------------------- */

enum { KEYS, VALUES, STREAMS }; /* of a layer in the cache */

at_cache *at_gpt2_cache(const at_gpt2 *m)
{
    int streams = STREAMS * m->layers;
    int *widths = at_alloc((size_t)streams * sizeof *widths);
    for (int i = 0; widths && i < streams; i++)
        widths[i] = m->width;
    at_cache *c = widths ? at_cache_new(0, streams, widths) : NULL;
    at_free(widths);
    return c;
}

/* x [B,T,D] -> [B,T,D]: tokens attend to those before them, in the cache and in x */
static at_tensor *attention(at_tape *t, at_path s, const at_gpt2 *m, at_tensor *x, at_cache *cache,
                            int layer)
{
    int D = m->width;
    at_tensor *qkv = project(t, at_in(s, "c_attn"), x, 3 * D, NULL); /* [B,T,3D] */
    at_rows k = at_rows_columns(qkv, D, 2 * D), v = at_rows_columns(qkv, 2 * D, 3 * D);
    at_mask mask = {.causal = true};
    if (cache) {
        int keys = STREAMS * layer + KEYS, values = STREAMS * layer + VALUES;
        at_cache_write(t, cache, keys, qkv, D);
        at_cache_write(t, cache, values, qkv, 2 * D);
        k = at_cache_rows(cache, keys);
        v = at_cache_rows(cache, values);
        mask.lengths = at_cache_lengths(cache);
        mask.first = at_cache_firsts(cache);
    }
    at_attention_options o = {
        .heads = m->heads, .scale = 1 / real_sqrt((real)D / (real)m->heads), .mask = &mask};
    at_tensor *context = at_attention(t, at_rows_columns(qkv, 0, D), k, v, o).context;
    return project(t, at_in(s, "c_proj"), context, D, NULL);
}

static at_tensor *feed_forward(at_tape *t, at_path s, const at_gpt2 *m, at_tensor *x)
{
    at_tensor *y = project(t, at_in(s, "c_fc"), x, m->inner, m->activation);
    return project(t, at_in(s, "c_proj"), y, m->width, NULL);
}

/* Inference holds the tensors of one half of a block at a time. */
static at_tensor *block(at_tape *t, at_path s, const at_gpt2 *m, at_tensor *x, at_cache *cache,
                        int layer, at_mark mark)
{
    at_tensor *y = at_norm(t, at_in(s, "ln_1"), x, m->epsilon);
    at_tensor *keep[] = {x, attention(t, at_in(s, "attn"), m, y, cache, layer)};
    at_tape_release(t, mark, keep, 2);
    keep[1] = at_norm_residual(t, at_in(s, "ln_2"), keep[0], keep[1], m->epsilon, &keep[0]);
    at_tape_release(t, mark, keep, 2);
    x = at_add(t, keep[0], feed_forward(t, at_in(s, "mlp"), m, keep[1]));
    at_tape_release(t, mark, &x, 1);
    return x;
}

/* ---- the model ----------------------------------------------------------------------------- */

/* wpe[position]: token i of text b stands at first[b] + i, or at i; padding at 0 */
static at_tensor *positions(at_tape *t, at_path s, const at_gpt2 *m, at_shape tokens,
                            const int *first, const int *counts)
{
    int B = tokens.dim[0], T = tokens.dim[1];
    int *id = at_scratch(t, (size_t)B * (size_t)T * sizeof *id);
    for (int b = 0; id && b < B; b++)
        for (int i = 0; i < T; i++) {
            bool padding = counts && i >= counts[b];
            int position = padding ? 0 : (first ? first[b] : 0) + i;
            if (position >= m->positions)
                return at_fail(t,
                               "gpt2: text %d has more than the %d tokens that the model has "
                               "positions for; shorten it or split it",
                               b, m->positions);
            id[b * T + i] = position;
        }
    at_tensor *table = at_param_matrix(t, at_in(s, "wpe"), "weight", SHAPE(m->positions, m->width),
                                       INIT);
    return id ? at_embedding(t, table, (at_ids){tokens, id}) : at_poison(t);
}

at_tensor *at_gpt2_states(at_tape *t, at_path s, const at_gpt2 *m, at_ids tokens, at_cache *cache,
                          const int *counts)
{
    attend_error err;
    if (cache && at_cache_extend(cache, tokens.shape.dim[1], counts, &err) < 0)
        return at_fail_with(t, &err);
    at_mark mark = at_tape_mark(t);
    at_tensor *where = positions(t, s, m, tokens.shape, cache ? at_cache_firsts(cache) : NULL,
                                 counts);
    at_tensor *x = at_add(t, at_embedding(t, tokens_table(t, s, m), tokens), where);
    for (int i = 0; i < m->layers; i++)
        x = block(t, at_in(s, "h.%d", i), m, x, cache, i, mark);
    x = at_norm(t, at_in(s, "ln_f"), x, m->epsilon);
    at_tape_release(t, mark, &x, 1);
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

at_tensor *at_gpt2_logits(at_tape *t, at_path s, const at_gpt2 *m, at_tensor *states)
{
    return at_affine(t, states, tokens_table(t, s, m), NULL, ATTEND_OUT_IN);
}

at_tensor *at_gpt2_loss(at_tape *t, at_path s, const at_gpt2 *m, at_tensor *states, at_ids targets,
                        at_cross_entropy_options options)
{
    return at_linear_cross_entropy(t, states, tokens_table(t, s, m), NULL, ATTEND_OUT_IN, targets,
                                   options);
}
