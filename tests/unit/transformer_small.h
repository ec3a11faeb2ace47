/* Small Transformers of any settings and attentions, and one batch for them. */
#ifndef ATTEND_TESTS_TRANSFORMER_SMALL_H
#define ATTEND_TESTS_TRANSFORMER_SMALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "models/transformer.h"

enum { B = 3, S = 5, T = 4, V = 9, F = 3 };

static const int source[B * S] = {3, 1, 4, 1, 5, 2, 6, 5, 0, 0, 3, 5, 2, 0, 0};
static const int lengths[B] = {5, 3, 3};
static const int tokens[B * T] = {1, 4, 2, 8, 1, 3, 3, 0, 1, 7, 5, 6};
static const int targets[B * T] = {4, 2, 8, 2, 3, 3, 2, -1, 7, 5, 6, 2};
static const int to_copy[B * S] = {3, 1, 4, 9, 4, 2, 9, 10, -1, -1, 3, 5, 2, -1, -1};
static const int copied_targets[B * T] = {4, 9, 8, 2, 3, 10, 9, -1, 7, 5, 6, 2};

typedef struct {
    const char *settings;                  /* "name=value ..": beside those of a small model */
    const char *cross, *encoder, *decoder; /* attentions; NULL: scaled-dot */
    const char *output, *activation;       /* NULL: words, gelu */
    bool vectors;
} variant;

static inline void set(at_model *m, const char *text)
{
    at_option_set all = {m->kind->options, m->settings};
    attend_error err;
    char name[32], value[32];
    int used;
    while (text && sscanf(text, " %31[^=]=%31s%n", name, value, &used) == 2) {
        void *fields;
        const at_option *o = at_option_find(&all, 1, name, &fields);
        assert_non_null(o);
        assert_true(at_option_assign(o, value, fields, name, &err) >= 0);
        text += used;
    }
}

static inline attend_status try(const variant *v, at_model **out, attend_error *err)
{
    at_model *m = at_model_new(&at_model_transformer, 7);
    at_transformer_settings *s = m->settings;
    assert_true(at_options_defaults(m->kind->options, s, err) >= 0);
    set(m, "hidden=4 layers=2 heads=2 ffn=6 dropout=0");
    set(m, v->settings);
    s->activation = v->activation ? v->activation : "gelu";
    s->attention = v->cross ? v->cross : s->attention;
    s->encoder_attention = v->encoder ? v->encoder : s->encoder_attention;
    s->decoder_attention = v->decoder ? v->decoder : s->decoder_attention;
    s->output = v->output ? v->output : s->output;
    m->width = v->vectors ? F : 0;
    attend_status status = at_model_describe(m, err);
    at_transformer *net = m->net;
    net->source_vocabulary = v->vectors ? 0 : V;
    net->target_vocabulary = V;
    *out = m;
    return status;
}

static inline at_model *make(const variant *v)
{
    attend_error err = {.message = ""};
    at_model *m;
    if (try(v, &m, &err) < 0)
        fail_msg("%s %s: %s", v->settings ? v->settings : "", v->cross ? v->cross : "",
                 err.message);
    return m;
}

/* n sources from `first` on, padded to `longest`; vectors are made of the ids */
static inline void *encode(at_tape *t, const at_model *m, int first, int n, int longest)
{
    int *ids = at_scratch(t, (size_t)(n * longest) * sizeof *ids);
    real *x = at_scratch_reals(t, (size_t)(n * longest * F));
    for (int i = 0; i < n * longest; i++) {
        int j = i % longest;
        ids[i] = j < S ? source[(first + i / longest) * S + j] : 6;
        for (int k = 0; k < F; k++)
            x[i * F + k] = (real)((ids[i] * (k + 2)) % 7 - 3) / 3;
    }
    at_inputs in = {.ids = {SHAPE(n, longest), ids},
                    .vectors = m->width ? x : NULL,
                    .lengths = lengths + first};
    return m->kind->decodes->encode(t, m, &in);
}

static inline at_tensor *build(at_tape *t, at_path s, const void *arg)
{
    const at_model *m = arg;
    const at_decodes *f = m->kind->decodes;
    (void)s;
    at_decode_input in = {
        .source = encode(t, m, 0, B, S), .tokens = {SHAPE(B, T), tokens}, .width = 1};
    at_decoded d = f->decode(t, m, &in);
    at_cross_entropy_options o = {.smoothing = (real)0.1, .ignore = -1};
    if (!d.gate)
        return f->loss(t, m, d.features, (at_mixed_with){.gate = NULL},
                       (at_ids){SHAPE(B, T), targets}, o);
    at_ids goal = {SHAPE(B, T), copied_targets};
    at_mixed_with copying = {.gate = d.gate,
                             .other = f->copied(t, m, &d, (at_ids){SHAPE(B, S), to_copy}, goal)};
    return f->loss(t, m, d.features, copying, goal, o);
}

/* logits [n,T,V] of n sentences: all tokens at once, or on a cache, with `beam` equal hypotheses of
 * each of which the last counts */
static inline void logits_of(const at_model *m, int first, int n, int longest, int beam, real *out)
{
    const at_decodes *f = m->kind->decodes;
    at_tape *t = at_tape_new(m->params, ATTEND_INFER);
    at_cache *cache = beam ? f->cache(m) : NULL;
    attend_error err;
    void *from = encode(t, m, first, n, longest);
    int W = beam ? beam : 1, step = beam ? 1 : T;
    if (cache)
        assert_true(at_cache_join(cache, n * W, &err) >= 0);
    for (int at = 0; at < T; at += step) {
        int ids[B * T * 3];
        for (int i = 0; i < n * W * step; i++)
            ids[i] = tokens[(first + i / step / W) * T + at + i % step];
        at_decode_input in = {.source = from,
                              .cache = cache,
                              .tokens = {SHAPE(n * W, step), ids},
                              .width = W,
                              .position = at};
        at_tensor *y = f->logits(t, m, f->decode(t, m, &in).features);
        if (at_failed(t))
            fail_msg("%s", at_tape_error(t)->message);
        for (int b = 0; b < n; b++)
            memcpy(out + (b * T + at) * V, y->value + ((b + 1) * W - 1) * step * V,
                   (size_t)(step * V) * sizeof *out);
    }
    at_cache_free(cache);
    at_tape_free(t);
}

/* the features [T,D] of T tokens, of which the last is `last` */
static inline void features_with(const at_model *m, int last, real *out)
{
    at_tape *t = at_tape_new(m->params, ATTEND_INFER);
    int ids[T] = {1, 4, 2, last};
    at_decode_input in = {
        .source = encode(t, m, 0, 1, S), .tokens = {SHAPE(1, T), ids}, .width = 1};
    at_tensor *x = m->kind->decodes->decode(t, m, &in).features;
    assert_false(at_failed(t));
    memcpy(out, x->value, x->len * sizeof *out);
    at_tape_free(t);
}

#endif
