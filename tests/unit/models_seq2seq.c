/* The recurrent translators, over the list of presets and over the attentions: gradients, padding,
 * batches, and one word at a time against all at once. */
#include "models/seq2seq.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "gradient_check.h"
#include "models/translator.h"

enum { B = 3, S = 5, T = 4, V = 7, W = 9, F = 3 };

static const int source[B * S] = {3, 1, 4, 1, 5, 2, 6, 5, 0, 0, 3, 5, 2, 0, 0};
static const int lengths[B] = {5, 3, 3};
static const int words[B * T] = {1, 4, 2, 8, 1, 3, 3, 0, 1, 7, 5, 6};
static const int targets[B * T] = {4, 2, 8, 2, 3, 3, 2, -1, 7, 5, 6, 2};
static const int copied[B * S] = {3, 1, 4, 9, 4, 2, 9, 10, -1, -1, 3, 5, 2, -1, -1};
static const int copied_targets[B * T] = {4, 9, 8, 2, 3, 10, 9, -1, 7, 5, 6, 2};

/* a word's vector, where sources are feature vectors */
static const real vectors[V][F] = {{5, -1, 0.2},   {4, 0.5, 0.1}, {6, 1, -0.3}, {5.5, 0, 0.7},
                                   {3, -0.4, 0.4}, {5, 2, -0.6},  {4.5, 1, 0.9}};
static const real mean[F] = {5, 0.5, 0.2}, scale[F] = {0.8, 1.5, 2};

/* a preset, perhaps with another attention, as a small model */
typedef struct {
    const char *preset, *attention;
    int readout; /* 0: the preset's */
    bool copy, tied, features, reversed;
    at_seq2seq model;
} variant;

static void make(variant *v)
{
    at_translator s;
    attend_error err = {.message = ""};
    if (at_translator_preset(&s, v->preset, &err) < 0)
        fail_msg("%s", err.message);
    s.hidden = 4;
    s.embedding = v->tied ? 4 : 3;
    s.dropout = 0;
    s.attention = v->attention ? v->attention : s.attention;
    s.output = v->copy ? "copy" : "words";
    s.tied = v->tied;
    s.readout = v->readout ? v->readout : s.readout;
    s.reversed |= v->reversed;
    attend_status status = v->features ? at_translator_model_features(&s, F, W, &v->model, &err)
                                       : at_translator_model(&s, V, W, &v->model, &err);
    if (status < 0)
        fail_msg("%s %s: %s", v->preset, v->attention ? v->attention : "", err.message);
    v->model.feature_mean = v->features ? mean : NULL;
    v->model.feature_scale = v->features ? scale : NULL;
}

static const variant variants[] = {
    {.preset = "bahdanau"},
    {.preset = "luong"},
    {.preset = "rnn-encdec"},
    {.preset = "sutskever"},
    {.preset = "cho"},
    {.preset = "keras"},
    {.preset = "d2l"},
    {.preset = "bahdanau", .attention = "bilinear/window:1"},
    {.preset = "bahdanau", .attention = "additive/predicted:2"},
    {.preset = "bahdanau",
     .attention = "bilinear/hybrid:window,1",
     .readout = ATTEND_READOUT_MAXOUT},
    {.preset = "bahdanau", .readout = ATTEND_READOUT_ALL, .copy = true},
    {.preset = "cho", .readout = ATTEND_READOUT_DEEP},
    {.preset = "luong", .attention = "additive/expanded:1,2"},
    {.preset = "luong", .attention = "location:8"},
    {.preset = "luong", .attention = "relative"},
    {.preset = "luong", .attention = "relative/hybrid:window,1/soft/2"},
    {.preset = "luong", .attention = "scaled-dot/global/sparse/2"},
    {.preset = "bahdanau", .copy = true},
    {.preset = "luong", .copy = true, .tied = true},
    {.preset = "bahdanau", .features = true},
    {.preset = "luong", .features = true, .reversed = true},
    {.preset = "sutskever", .features = true},
};

/* the sources, [rows,longest], as words or as their vectors */
static at_source encode(at_tape *t, const at_seq2seq *m, int rows, int longest, const int *ids,
                        const int *length)
{
    real x[B * (S + 3) * F];
    if (!m->source_features)
        return at_seq2seq_encode(t, m, (at_ids){SHAPE(rows, longest), ids}, length);
    for (int i = 0; i < rows * longest; i++)
        memcpy(x + i * F, vectors[ids[i]], sizeof vectors[0]);
    return at_seq2seq_encode_features(t, m, at_input(t, SHAPE(rows, longest, F), x), length);
}

static at_tensor *loss_of(at_tape *t, const at_seq2seq *m)
{
    at_source e = encode(t, m, B, S, source, lengths);
    at_decoder state = at_seq2seq_start(m, &e);
    at_decoded d = at_seq2seq_decode(t, m, &e, &state, (at_ids){SHAPE(B, T), words}, false);
    at_ids goal = {SHAPE(B, T), targets};
    if (m->output != &at_output_copy)
        return at_seq2seq_loss(t, m, d.features, goal, (at_cross_entropy_options){.ignore = -1});
    goal.id = copied_targets;
    at_mixed_with copying = {
        .gate = d.gate, .other = at_seq2seq_copied(t, m, &d, (at_ids){SHAPE(B, S), copied}, goal)};
    return at_seq2seq_copy_loss(t, m, d.features, copying, goal,
                                (at_cross_entropy_options){.smoothing = (real)0.1, .ignore = -1});
}

static at_tensor *build(at_tape *t, at_path s, const void *arg)
{
    (void)s;
    return loss_of(t, &((const variant *)arg)->model);
}

static void gradients_are_right(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        variant v = variants[i];
        make(&v);
        double tolerance = sizeof(real) == sizeof(double) ? 1e-6 : 0.05;
        at_gradcheck c = at_gradient_check(build, &v, tolerance, NULL, NULL);
        if (!c.ok)
            fail_msg("%s %s: %s", v.preset, v.attention ? v.attention : "", c.where);
    }
}

/* the logits of one batch, [rows,T,W], for the caller to free */
static real *logits_of(at_params *params, const at_seq2seq *m, int first, int rows, int longest,
                       bool stepwise)
{
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    real *all = at_alloc((size_t)(rows * T * W) * sizeof *all);
    int *ids = at_alloc((size_t)(rows * longest) * sizeof *ids);
    assert_non_null(t);
    for (int b = 0; b < rows; b++)
        for (int j = 0; j < longest; j++)
            ids[b * longest + j] = j < S ? source[(first + b) * S + j] : 6;
    at_source e = encode(t, m, rows, longest, ids, lengths + first);
    at_decoder state = at_seq2seq_start(m, &e);
    for (int at = 0, n = stepwise ? 1 : T; at < T; at += n) {
        int word[B * T];
        for (int b = 0; b < rows; b++)
            memcpy(word + b * n, words + (first + b) * T + at, (size_t)n * sizeof *word);
        at_decoded d = at_seq2seq_decode(t, m, &e, &state, (at_ids){SHAPE(rows, n), word}, true);
        at_tensor *y = at_seq2seq_logits(t, m, d.features);
        if (at_failed(t))
            fail_msg("%s", at_tape_error(t)->message);
        for (int b = 0; b < rows; b++)
            memcpy(all + (b * T + at) * W, y->value + b * n * W, (size_t)(n * W) * sizeof *all);
    }
    at_tape_free(t);
    at_free(ids);
    return all;
}

static void same_bits(const variant *v, const char *what, const real *a, const real *b, int rows)
{
    if (memcmp(a, b, (size_t)(rows * T * W) * sizeof *a) != 0)
        fail_msg("%s %s: %s", v->preset, v->attention ? v->attention : "", what);
}

static void padding_batch_and_stepping_keep_every_bit(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        variant v = variants[i];
        make(&v);
        at_params *params = at_params_new(7);
        real *whole = logits_of(params, &v.model, 0, B, S, false);
        real *padded = logits_of(params, &v.model, 0, B, S + 3, false);
        real *stepped = logits_of(params, &v.model, 0, B, S, true);
        same_bits(&v, "longer padding changes the result", whole, padded, B);
        same_bits(&v, "a word at a time gives another result", whole, stepped, B);
        for (int b = 0; b < B; b++) {
            real *alone = logits_of(params, &v.model, b, 1, S, true);
            same_bits(&v, "a sentence alone gives another result", whole + b * T * W, alone, 1);
            at_free(alone);
        }
        at_free(whole);
        at_free(padded);
        at_free(stepped);
        at_params_free(params);
    }
}

/* each row of [n,..] so many times, one after the other */
static at_tensor *times(at_tape *t, at_tensor *x, int n)
{
    int *row = at_scratch(t, (size_t)(B * n) * sizeof *row);
    for (int i = 0; row && i < B * n; i++)
        row[i] = i / n;
    return !x || at_failed(t) ? x : at_embedding(t, x, (at_ids){SHAPE(B * n), row});
}

/* the logits [B,T,W] of the last of `beam` hypotheses of each sentence, all with the same words */
static real *logits_in_beam(at_params *params, const at_seq2seq *m, int beam)
{
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    real *all = at_alloc(B * T * W * sizeof *all);
    at_source e = encode(t, m, B, S, source, lengths);
    at_decoder state = at_seq2seq_start(m, &e);
    e.width = beam;
    for (int i = 0; i < m->decoder_layers; i++) {
        state.h[i] = times(t, state.h[i], beam);
        state.c[i] = times(t, state.c[i], beam);
    }
    for (int at = 0; at < T; at++) {
        int word[B * T];
        for (int i = 0; i < B * beam; i++)
            word[i] = words[i / beam * T + at];
        at_ids one = {SHAPE(B * beam, 1), word};
        at_decoded d = at_seq2seq_decode(t, m, &e, &state, one, true);
        at_tensor *y = at_seq2seq_logits(t, m, d.features);
        if (at_failed(t))
            fail_msg("%s", at_tape_error(t)->message);
        for (int b = 0; b < B; b++)
            memcpy(all + (b * T + at) * W, y->value + ((b + 1) * beam - 1) * W, W * sizeof *all);
    }
    at_tape_free(t);
    return all;
}

static void hypotheses_of_a_beam_are_at_one_step(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        variant v = variants[i];
        make(&v);
        at_params *params = at_params_new(7);
        real *alone = logits_of(params, &v.model, 0, B, S, true);
        real *last = logits_in_beam(params, &v.model, 3);
        same_bits(&v, "the last hypothesis of a beam gives another result", alone, last, B);
        at_free(alone);
        at_free(last);
        at_params_free(params);
    }
}

/* a reversed source is read as 5 4 3 2 1: step t still looks at its word t, or at the last one */
static void windows_of_a_reversed_source_begin_with_its_first_word(void **unused)
{
    (void)unused;
    variant v = {.preset = "luong", .attention = "bilinear/window:0", .reversed = true};
    make(&v);
    at_params *params = at_params_new(7);
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    at_source e = encode(t, &v.model, B, S, source, lengths);
    at_decoder state = at_seq2seq_start(&v.model, &e);
    at_decoded d = at_seq2seq_decode(t, &v.model, &e, &state, (at_ids){SHAPE(B, T), words}, true);
    assert_false(at_failed(t));
    for (int b = 0; b < B; b++)
        for (int i = 0; i < T; i++) {
            int word = i < lengths[b] ? i : lengths[b] - 1;
            assert_true(d.weights->value[(b * T + i) * S + lengths[b] - 1 - word] == 1);
        }
    at_tape_free(t);
    at_params_free(params);
}

/* Variational dropout is drawn with the source: what is decoded twice is the same, and a word at a
 * time as all at once. */
static void one_mask_is_for_all_steps_of_a_sentence(void **unused)
{
    (void)unused;
    variant v = {.preset = "luong"};
    make(&v);
    v.model.layers = v.model.decoder_layers = 2;
    v.model.variational = true;
    v.model.dropout = (real)0.5;
    at_params *params = at_params_new(7);
    at_tape *t = at_tape_new(params, ATTEND_TRAIN);
    at_source e = encode(t, &v.model, B, S, source, lengths);
    at_decoder state = at_seq2seq_start(&v.model, &e), again = state;
    at_decoded d = at_seq2seq_decode(t, &v.model, &e, &state, (at_ids){SHAPE(B, T), words}, false);
    for (int i = 0; i < T; i++) {
        int word[B];
        for (int b = 0; b < B; b++)
            word[b] = words[b * T + i];
        at_decoded one = at_seq2seq_decode(t, &v.model, &e, &again, (at_ids){SHAPE(B, 1), word},
                                           false);
        assert_false(at_failed(t));
        size_t R = (size_t)at_shape_last(d.features->shape);
        for (size_t b = 0; b < B; b++)
            assert_memory_equal(one.features->value + b * R,
                                d.features->value + (b * T + (size_t)i) * R, R * sizeof(real));
    }
    at_tape_free(t);
    at_params_free(params);
}

static const at_parameter *found(at_params *params, const char *name)
{
    const at_parameter *p = at_params_find(params, name);
    assert_non_null(p);
    return p;
}

/* A word's vector is W (x - mean) * scale + b of its features: then all else is the same. Weights
 * begin by their names alone, so both models have the same others. */
static void features_are_words_with_these_vectors(void **state)
{
    (void)state;
    for (int reversed = 0; reversed < 2; reversed++) {
        variant f = {.preset = "bahdanau", .features = true, .reversed = reversed};
        variant w = {.preset = "bahdanau", .reversed = reversed};
        make(&f);
        make(&w);
        at_params *params = at_params_new(7), *others = at_params_new(7);
        real *one = logits_of(params, &f.model, 0, B, S, false);
        const real *weight = found(params, "features.weight")->value;
        const real *bias = found(params, "features.bias")->value;
        int E = f.model.embedding;
        at_parameter *table;
        attend_error err;
        assert_true(
            at_params_add(others, "encoder.embedding.weight", SHAPE(V, E), INIT_NOT, &table, &err)
            >= 0);
        for (int v = 0; v < V; v++)
            for (int e = 0; e < E; e++) {
                real sum = bias[e];
                for (int k = 0; k < F; k++)
                    sum += weight[e * F + k] * (vectors[v][k] - mean[k]) * scale[k];
                table->value[v * E + e] = sum;
            }
        real *other = logits_of(others, &w.model, 0, B, S, false);
        for (int i = 0; i < B * T * W; i++)
            assert_true(real_abs(one[i] - other[i]) < 1e-5);
        at_free(one);
        at_free(other);
        at_params_free(params);
        at_params_free(others);
    }
}

static void features_have_no_words_to_share_or_copy(void **state)
{
    at_translator s;
    at_seq2seq m;
    attend_error err = {.message = ""};
    (void)state;
    assert_true(at_translator_preset(&s, "bahdanau", &err) >= 0);
    s.output = "copy";
    assert_true(at_translator_model_features(&s, F, W, &m, &err) < 0);
    assert_non_null(strstr(err.message, "output copy needs words"));
    s.output = "words";
    s.shared = true;
    assert_true(at_translator_model_features(&s, F, W, &m, &err) < 0);
    assert_non_null(strstr(err.message, "a shared embedding needs words"));
}

static void refuses_what_does_not_go_together(void **state)
{
    static const struct {
        const char *preset, *attention, *output;
        bool tied;
        const char *says;
    } wrong[] = {
        {"rnn-encdec", "additive", "copy", false, "needs attention"},
        {"bahdanau", "additive/predicted:2", "copy", false, "does not go with"},
        {"luong", "dot", "words", true, "tied"},
        {"bahdanau", "additve", "words", false, "additive"},
        {"bahdanau", "dot", "words", false, "twice as wide"},
        {"bahdanau", "additive", "pointer", false, "words or copy"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        at_translator s;
        at_seq2seq m;
        attend_error err = {.message = ""};
        assert_true(at_translator_preset(&s, wrong[i].preset, &err) >= 0);
        s.attention = wrong[i].attention;
        s.output = wrong[i].output;
        s.tied = wrong[i].tied;
        s.embedding = 100;
        assert_true(at_translator_model(&s, V, W, &m, &err) < 0);
        if (!strstr(err.message, wrong[i].says))
            fail_msg("'%s' does not say '%s'", err.message, wrong[i].says);
    }
    at_translator s;
    at_seq2seq m;
    attend_error err = {.message = ""};
    assert_true(at_translator_preset(&s, "bahdanau", &err) >= 0);
    s.output = "copy";
    assert_true(at_translator_model_features(&s, 3, W, &m, &err) < 0);
    assert_non_null(strstr(err.message, "output copy needs words"));
    assert_null(at_preset_find("bahdanu", &err));
    assert_non_null(strstr(err.message, "bahdanau"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_right),
        cmocka_unit_test(padding_batch_and_stepping_keep_every_bit),
        cmocka_unit_test(hypotheses_of_a_beam_are_at_one_step),
        cmocka_unit_test(windows_of_a_reversed_source_begin_with_its_first_word),
        cmocka_unit_test(one_mask_is_for_all_steps_of_a_sentence),
        cmocka_unit_test(features_are_words_with_these_vectors),
        cmocka_unit_test(features_have_no_words_to_share_or_copy),
        cmocka_unit_test(refuses_what_does_not_go_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
