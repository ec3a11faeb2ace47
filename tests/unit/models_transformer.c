/* The Transformer, over its options and over the attentions in each of its three places: gradients,
 * padding, batches, beams, the future, and one token at a time against all at once. */
#include "models/transformer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "gradient_check.h"

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

static const variant variants[] = {
    {.settings = "norm=post"},
    {.settings = "norm=pre"},
    {.settings = "norm=post final-norm=yes attention-bias=no", .activation = "silu"},
    {.settings = "norm=pre positions=halves decoder-layers=1 tied=yes"},
    {.settings = "norm=post positions=opennmt shared=yes", .activation = "gelu_new"},
    {.settings = "norm=pre positions=learned max-positions=8 shared=yes tied=yes"},
    {.settings = "embedding-scale=one layers=1 decoder-layers=3", .activation = "tanh"},
    {.settings = "norm=pre", .vectors = true},
    {.settings = "norm=pre", .output = "copy"},
    {.settings = "norm=post shared=yes tied=yes", .output = "copy"},
    {.settings = "norm=pre", .cross = "additive", .encoder = "additive", .decoder = "additive"},
    {.settings = "norm=pre",
     .cross = "bilinear/window:1",
     .encoder = "bilinear/window:1",
     .decoder = "bilinear/window:1"},
    {.settings = "norm=pre",
     .cross = "cosine/predicted:2",
     .encoder = "dot/predicted:2",
     .decoder = "cosine/predicted:2"},
    {.settings = "norm=pre",
     .cross = "additive/expanded:1,2",
     .encoder = "scaled-dot/expanded:1,2",
     .decoder = "scaled-dot/expanded:1,2"},
    {.settings = "norm=pre",
     .cross = "dot/hybrid:window,1",
     .encoder = "gaussian/hybrid:window,1",
     .decoder = "gaussian-w/hybrid:window,1,0.5"},
    {.settings = "norm=pre", .cross = "relative", .encoder = "relative", .decoder = "relative"},
    {.settings = "norm=pre", .cross = "location:8", .encoder = "location:8"},
    {.settings = "norm=pre",
     .cross = "key-value",
     .encoder = "key-value",
     .decoder = "key-value/global/soft/1"},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static void set(at_model *m, const char *text)
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

static attend_status try(const variant *v, at_model **out, attend_error *err)
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

static at_model *make(const variant *v)
{
    attend_error err = {.message = ""};
    at_model *m;
    if (try(v, &m, &err) < 0)
        fail_msg("%s %s: %s", v->settings ? v->settings : "", v->cross ? v->cross : "",
                 err.message);
    return m;
}

/* n sources from `first` on, padded to `longest`; vectors are made of the ids */
static void *encode(at_tape *t, const at_model *m, int first, int n, int longest)
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

static at_tensor *build(at_tape *t, at_path s, const void *arg)
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

/* In floats, differences of so many norms of width 4 are mostly noise: the double build checks. */
static void gradients_are_right(void **state)
{
    (void)state;
    if (sizeof(real) != sizeof(double))
        skip();
    for (int i = 0; i < VARIANTS; i++) {
        at_model *m = make(&variants[i]);
        at_gradcheck c = at_gradient_check(build, m, 1e-6, NULL, NULL);
        if (!c.ok)
            fail_msg("%d %s: %s", i, variants[i].settings, c.where);
        at_model_free(m);
    }
}

/* logits [n,T,V] of n sentences: all tokens at once, or on a cache, with `beam` equal hypotheses of
 * each of which the last counts */
static void logits_of(const at_model *m, int first, int n, int longest, int beam, real *out)
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

static void same_bits(int i, const char *what, const real *a, const real *b, int n)
{
    if (memcmp(a, b, (size_t)(n * T * V) * sizeof *a) != 0)
        fail_msg("%d %s %s: %s", i, variants[i].settings,
                 variants[i].cross ? variants[i].cross : "", what);
}

static void padding_batch_cache_and_beam_keep_every_bit(void **state)
{
    (void)state;
    for (int i = 0; i < VARIANTS; i++) {
        at_model *m = make(&variants[i]);
        bool limited = variants[i].encoder && strncmp(variants[i].encoder, "location", 8) == 0;
        real whole[B * T * V], other[B * T * V];
        logits_of(m, 0, B, S, 0, whole);
        logits_of(m, 0, B, limited ? S + 2 : S + 3, 0, other);
        same_bits(i, "longer padding changes the result", whole, other, B);
        logits_of(m, 0, B, S, 1, other);
        same_bits(i, "a token at a time gives another result", whole, other, B);
        logits_of(m, 0, B, S, 3, other);
        same_bits(i, "the last hypothesis of a beam gives another result", whole, other, B);
        for (int b = 0; b < B; b++) {
            logits_of(m, b, 1, S, 1, other);
            same_bits(i, "a sentence alone gives another result", whole + b * T * V, other, 1);
        }
        at_model_free(m);
    }
}

/* the features of T tokens, of which the last is `last` */
static void features_with(const at_model *m, int last, real *out)
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

static void nothing_depends_on_the_future(void **state)
{
    (void)state;
    enum { D = 4 };
    for (int i = 0; i < VARIANTS; i++) {
        at_model *m = make(&variants[i]);
        real a[T * D], b[T * D];
        features_with(m, 3, a);
        features_with(m, 8, b);
        assert_memory_equal(a, b, (T - 1) * D * sizeof *a);
        assert_memory_not_equal(a + (T - 1) * D, b + (T - 1) * D, D * sizeof *a);
        at_model_free(m);
    }
}

static void every_layer_and_head_is_recorded(void **state)
{
    (void)state;
    static const int layers[] = {[ATTEND_ATTENTION_ENCODER] = 2,
                                 [ATTEND_ATTENTION_DECODER] = 3,
                                 [ATTEND_ATTENTION_CROSS] = 3};
    at_model *m = make(&(variant){.settings = "decoder-layers=3"});
    at_tape *t = at_tape_new(m->params, ATTEND_INFER);
    at_attention_record r = {.kinds = ~0u, .layer = -1, .head = -1};
    at_inputs in = {.ids = {SHAPE(B, S), source}, .lengths = lengths, .record = &r};
    at_decode_input d = {.source = m->kind->decodes->encode(t, m, &in),
                         .tokens = {SHAPE(B, T), tokens},
                         .width = 1,
                         .record = &r};
    m->kind->decodes->decode(t, m, &d);
    assert_false(at_failed(t));
    int found[3] = {0};
    for (int i = 0; i < r.count; i++) {
        bool encoder = r.item[i].kind == ATTEND_ATTENTION_ENCODER;
        bool decoder = r.item[i].kind == ATTEND_ATTENTION_DECODER;
        at_shape want = SHAPE(B, 2, encoder ? S : T, decoder ? T : S);
        assert_int_equal(r.item[i].layer, found[r.item[i].kind]++);
        assert_true(at_shape_equal(r.item[i].weights->shape, want));
    }
    for (int k = 0; k < 3; k++)
        assert_int_equal(found[k], layers[k]);
    at_tape_free(t);
    at_model_free(m);
}

/* each of the four places draws its own numbers */
static void dropout_is_at_its_four_places(void **state)
{
    (void)state;
    static const char *const places[] = {"dropout=0.5 embedding-dropout=0", "embedding-dropout=0.5",
                                         "attention-dropout=0.5", "activation-dropout=0.5",
                                         "dropout=0.5"};
    real want = 0;
    for (int i = -1; i < 5; i++) {
        for (int sparse = 0; sparse < 2; sparse++) {
            const char *how = sparse ? "scaled-dot/global/sparse" : NULL;
            at_model *m = make(&(variant){
                .settings = i < 0 ? "" : places[i], .cross = how, .encoder = how, .decoder = how});
            at_tape *t = at_tape_new(m->params, ATTEND_TRAIN);
            real train = build(t, at_root(), m)->value[0];
            at_tape_free(t);
            t = at_tape_new(m->params, ATTEND_INFER);
            real infer = build(t, at_root(), m)->value[0];
            assert_false(at_failed(t));
            assert_true(i < 0 ? train == infer : train != infer);
            want = i < 0 ? infer : want;
            at_tape_free(t);
            at_model_free(m);
        }
    }
    assert_true(want > 0);
}

static void refuses_what_makes_no_sense_with_the_reason(void **state)
{
    (void)state;
    static const struct {
        variant v;
        const char *says;
    } wrong[] = {
        {{.encoder = "scaled-dot/global/hard"}, "--encoder-attention: the pick hard draws"},
        {{.decoder = "scaled-dot/global/hard"}, "--decoder-attention: the pick hard draws"},
        {{.decoder = "location:8"}, "grows past any"},
        {{.cross = "scaled-dot/global/soft/3"}, "cannot be cut into 3 heads"},
        {{.settings = "heads=3"}, "cannot be cut into 3 heads"},
        {{.activation = "maxout"}, "unknown activation 'maxout'"},
        {{.output = "pointer"}, "words or copy"},
        {{.output = "copy", .cross = "scaled-dot/predicted:2"}, "predicted"},
        {{.settings = "shared=yes", .vectors = true}, "--no-shared"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        attend_error err = {.message = ""};
        at_model *m;
        assert_true(try(&wrong[i].v, &m, &err) < 0);
        if (!strstr(err.message, wrong[i].says))
            fail_msg("%zu: \"%s\" does not say \"%s\"", i, err.message, wrong[i].says);
        at_model_free(m);
    }
    at_model *m = make(&(variant){.encoder = "dot/global/hard:straight-through"});
    at_model_free(m);
    m = make(&(variant){.cross = "dot/global/hard"});
    assert_true(m->kind->decodes->samples(m));
    at_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_right),
        cmocka_unit_test(padding_batch_cache_and_beam_keep_every_bit),
        cmocka_unit_test(nothing_depends_on_the_future),
        cmocka_unit_test(every_layer_and_head_is_recorded),
        cmocka_unit_test(dropout_is_at_its_four_places),
        cmocka_unit_test(refuses_what_makes_no_sense_with_the_reason),
    };
    return cmocka_run_group_tests_name("models_transformer", tests, NULL, NULL);
}
