/* Classifiers of texts, over presets and attentions: gradients, padding, batches, weights. */
#include "models/classifier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gradient_check.h"

enum { B = 3, T = 6, V = 9, K = 4, MOST = 9 };

static const int words[B * T] = {3, 1, 4, 1, 5, 8, 2, 6, 5, 0, 0, 0, 7, 0, 0, 0, 0, 0};
static const int lengths[B] = {6, 3, 1};
static const int classes[B] = {2, 0, 3};

typedef struct {
    const char *preset, *attention, *widths;
    int cell, layers, pool, query;
    at_classifier model;
} variant;

static attend_status make(variant *v, attend_error *err)
{
    at_classifier_settings s;
    const at_preset *p = at_preset_find(v->preset, err);
    assert_non_null(p);
    assert_int_equal(at_preset_settings(p, &s, err), ATTEND_OK);
    s.hidden = 3;
    s.embedding = 4;
    s.dropout = 0;
    s.attention = v->attention ? v->attention : s.attention;
    s.widths = v->widths ? v->widths : s.widths;
    s.cell = v->cell ? v->cell : s.cell;
    s.layers = v->layers ? v->layers : s.layers;
    s.pool = v->pool ? v->pool - 1 : s.pool;
    s.query = v->query ? v->query - 1 : s.query;
    return at_classifier_model(&s, V, K, &v->model, err);
}

enum { LSTM = 2, ATTENTION = 1, MAX = 2, ENDS = 2 };

static const variant variants[] = {
    {.preset = "rnn-classifier"},
    {.preset = "rnn-classifier", .query = ENDS, .cell = LSTM, .layers = 2},
    {.preset = "rnn-classifier", .attention = "scaled-dot/global/soft/2"},
    {.preset = "rnn-classifier", .attention = "bilinear/global/sparse"},
    {.preset = "rnn-classifier", .attention = "additive/predicted:2"},
    {.preset = "rnn-classifier", .attention = "additive/hybrid:predicted,2"},
    {.preset = "rnn-classifier", .pool = MAX},
    {.preset = "cnn-classifier"},
    {.preset = "cnn-classifier", .widths = "2,3", .pool = ATTENTION},
};

enum { VARIANTS = sizeof variants / sizeof *variants };

static at_tensor *build(at_tape *t, at_path s, const void *arg)
{
    (void)s;
    at_classified c = at_classify(t, arg, (at_ids){SHAPE(B, T), words}, lengths, false, NULL);
    return at_cross_entropy(t, c.logits, (at_ids){SHAPE(B), classes},
                            (at_cross_entropy_options){.ignore = -1});
}

static void gradients_are_right(void **state)
{
    (void)state;
    double tolerance = sizeof(real) == sizeof(double) ? 1e-6 : 0.05;
    for (int i = 0; i < VARIANTS; i++) {
        variant v = variants[i];
        attend_error err;
        assert_int_equal(make(&v, &err), ATTEND_OK);
        at_gradcheck c = at_gradient_check(build, &v.model, tolerance, NULL, NULL);
        if (!c.ok)
            fail_msg("%s %s: %s", v.preset, v.attention ? v.attention : "", c.where);
    }
}

/* one text alone, with another text's words behind its end */
static void a_text_does_not_depend_on_padding_and_neighbours(void **state)
{
    (void)state;
    for (int i = 0; i < VARIANTS; i++) {
        variant v = variants[i];
        attend_error err;
        assert_int_equal(make(&v, &err), ATTEND_OK);
        at_params *params = at_params_new(1);
        at_tape *t = at_tape_new(params, ATTEND_INFER);
        at_classified all = at_classify(t, &v.model, (at_ids){SHAPE(B, T), words}, lengths, true,
                                        NULL);
        for (int b = 0; b < B; b++) {
            int padded[MOST] = {8, 8, 8, 8, 8, 8, 8, 8, 8};
            memcpy(padded, words + b * T, (size_t)lengths[b] * sizeof *padded);
            at_classified one = at_classify(t, &v.model, (at_ids){SHAPE(1, MOST), padded},
                                            lengths + b, true, NULL);
            if (at_failed(t))
                fail_msg("%s", at_tape_error(t)->message);
            assert_memory_equal(one.logits->value, all.logits->value + b * K, K * sizeof(real));
            assert_memory_equal(one.weights->value, all.weights->value + b * T,
                                (size_t)lengths[b] * sizeof(real));
        }
        at_tape_free(t);
        at_params_free(params);
    }
}

static void weights_of_a_text_sum_to_one(void **state)
{
    (void)state;
    for (int i = 0; i < VARIANTS; i++) {
        variant v = variants[i];
        attend_error err;
        assert_int_equal(make(&v, &err), ATTEND_OK);
        const at_how *how = &v.model.attention;
        if (at_how_local(how)->loses_mass)
            continue;
        at_params *params = at_params_new(1);
        at_tape *t = at_tape_new(params, ATTEND_INFER);
        at_classified c = at_classify(t, &v.model, (at_ids){SHAPE(B, T), words}, lengths, true,
                                      NULL);
        for (int b = 0; b < B; b++) {
            double sum = 0;
            for (int j = 0; j < T; j++) {
                sum += (double)c.weights->value[b * T + j];
                assert_true(j < lengths[b] || c.weights->value[b * T + j] == 0);
            }
            assert_true(sum > 0.9999 && sum < 1.0001);
        }
        at_tape_free(t);
        at_params_free(params);
    }
}

/* With all weights of the filters at 0 a filter finds its bias, or nothing, everywhere: the first
 * word has the weight of those that found something, and none where all are silent. */
static void filters_that_find_nothing_give_no_weight(void **state)
{
    (void)state;
    variant v = {.preset = "cnn-classifier", .widths = "3"};
    attend_error err;
    assert_int_equal(make(&v, &err), ATTEND_OK);
    at_params *params = at_params_new(1);
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    at_ids text = {SHAPE(B, T), words};
    at_classify(t, &v.model, text, lengths, true, NULL); /* makes the parameters */
    at_parameter *weight = at_params_find(params, "convolution.3.weight");
    at_parameter *bias = at_params_find(params, "convolution.3.bias");
    assert_non_null(weight);
    assert_non_null(bias);
    size_t size;
    assert_true(at_shape_len(weight->shape, &size));
    memset(weight->value, 0, size * sizeof(real));
    for (int loud = 0; loud < 2; loud++) {
        for (int i = 0; i < v.model.hidden; i++)
            bias->value[i] = i < loud ? 1 : -1;
        at_tape_reset(t);
        at_classified c = at_classify(t, &v.model, text, lengths, true, NULL);
        assert_false(at_failed(t));
        for (int i = 0; i < B * T; i++)
            assert_true(c.weights->value[i] == (i % T == 0 ? loud : 0));
    }
    at_tape_free(t);
    at_params_free(params);
}

static void senseless_settings_are_refused(void **state)
{
    (void)state;
    static const struct {
        variant v;
        const char *says;
    } wrong[] = {
        {{.preset = "rnn-classifier", .attention = "additive/window:2"}, "a window lies around"},
        {{.preset = "rnn-classifier", .attention = "additive/hybrid:window,2"}, "a window lies"},
        {{.preset = "rnn-classifier", .attention = "additive/hybrid:expanded,1,2"}, "a window"},
        {{.preset = "rnn-classifier", .attention = "additive/global/hard"}, "straight-through"},
        {{.preset = "cnn-classifier", .pool = ATTENTION, .query = ENDS}, "no last states"},
        {{.preset = "cnn-classifier", .widths = "3,x"}, "--widths 3,x"},
        {{.preset = "cnn-classifier", .widths = "3,3"}, "different"},
        {{.preset = "cnn-classifier", .widths = "1,2,3,4,5,6,7,8,9"}, "up to 8"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        variant v = wrong[i].v;
        attend_error err;
        assert_int_equal(make(&v, &err), ATTEND_OPTION);
        if (!strstr(err.message, wrong[i].says))
            fail_msg("%s: does not say '%s'", err.message, wrong[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_right),
        cmocka_unit_test(a_text_does_not_depend_on_padding_and_neighbours),
        cmocka_unit_test(weights_of_a_text_sum_to_one),
        cmocka_unit_test(filters_that_find_nothing_give_no_weight),
        cmocka_unit_test(senseless_settings_are_refused),
    };
    return cmocka_run_group_tests_name("models_classifier", tests, NULL, NULL);
}
