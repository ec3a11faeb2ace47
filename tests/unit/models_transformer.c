/* The Transformer, over its options and over the attentions in each of its three places: gradients,
 * padding, batches, beams, the future, and one token at a time against all at once. */
#include "models/transformer.h"

#include "gradient_check.h"
#include "transformer_small.h"

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

static void every_activation_is_taken(void **state)
{
    (void)state;
    static const char *const names[] = {"relu",    "gelu",       "gelu_new", "gelu_fast",
                                        "gelu_10", "quick_gelu", "silu",     "mish",
                                        "tanh",    "sigmoid",    "linear"};
    enum { N = sizeof names / sizeof *names };
    real loss[N];
    for (int i = 0; i < N; i++) {
        at_model *m = make(&(variant){.settings = "norm=pre layers=1", .activation = names[i]});
        at_tape *t = at_tape_new(m->params, ATTEND_INFER);
        loss[i] = build(t, at_root(), m)->value[0];
        assert_false(at_failed(t));
        for (int j = 0; j < i; j++) /* gelu_fast is gelu_new; gelu_10 clips what is above 10 */
            assert_true(loss[i] != loss[j] || strncmp(names[i], "gelu_", 5) == 0);
        at_tape_free(t);
        at_gradcheck c = {.ok = true};
        if (sizeof(real) == sizeof(double))
            c = at_gradient_check(build, m, 1e-6, NULL, NULL);
        if (!c.ok)
            fail_msg("%s: %s", names[i], c.where);
        at_model_free(m);
    }
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
        cmocka_unit_test(every_activation_is_taken),
        cmocka_unit_test(refuses_what_makes_no_sense_with_the_reason),
    };
    return cmocka_run_group_tests_name("models_transformer", tests, NULL, NULL);
}
