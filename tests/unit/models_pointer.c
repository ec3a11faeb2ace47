/* Pointer networks: gradients, steps one by one, and padding that changes nothing. */
#include "models/pointer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "attention/output.h"
#include "decode/point.h"
#include "gradient_check.h"

enum { B = 2, S = 4, T = 4, F = 2 };

static const int lengths[B] = {4, 3};
static const int before[B * T] = {0, 3, 1, 2, 0, 2, 3, 0};
static const int places[B * T] = {3, 1, 2, 0, 2, 3, 0, -1};

static at_pointer model(at_cell cell, bool bidirectional, const char *attention)
{
    at_pointer m = {
        .width = F, .embedding = 3, .hidden = 4, .cell = cell, .bidirectional = bidirectional};
    attend_error err;
    if (at_how_parse(&m.attention, attention, &err) < 0)
        fail_msg("%s", err.message);
    return m;
}

static at_tensor *probabilities(at_tape *t, const at_pointer *m, at_tensor *items)
{
    at_pointing p = at_pointer_read(t, m, items, lengths);
    return at_pointer_point(t, m, &p, (at_ids){SHAPE(B, T), before});
}

static at_tensor *build(at_tape *t, at_path s, const void *arg)
{
    at_tensor *items = at_param(t, s, "x", SHAPE(B, S, F), INIT_NORMAL(1));
    return at_likelihood(t, probabilities(t, arg, items), (at_ids){SHAPE(B, T), places}, -1);
}

static void gradients_are_right(void **state)
{
    (void)state;
    at_pointer models[] = {model(ATTEND_LSTM, true, "additive"), model(ATTEND_GRU, false, "dot"),
                           model(ATTEND_RNN_TANH, false, "scaled-dot/global/soft/2"),
                           model(ATTEND_LSTM, true, "additive/hybrid:window,1")};
    models[1].embedding = 4;
    double tolerance = sizeof(real) == sizeof(double) ? 1e-6 : 0.05;
    for (int i = 0; i < 4; i++) {
        at_gradcheck c = at_gradient_check(build, &models[i], tolerance, NULL, NULL);
        if (!c.ok)
            fail_msg("model %d: %s", i, c.where);
    }
}

static real item(int i) { return (real)((i * 7 + 3) % 11) / 11; }

static void sum_to_1(const at_pointer *m)
{
    at_params *params = at_params_new(2);
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    real x[B * S * F];
    for (int i = 0; i < B * S * F; i++)
        x[i] = item(i);
    at_tensor *p = probabilities(t, m, at_input(t, SHAPE(B, S, F), x));
    assert_false(at_failed(t));
    for (int row = 0; row < B * T; row++) {
        double sum = 0;
        for (int k = 0; k <= S; k++)
            sum += (double)p->value[row * (S + 1) + k];
        assert_true(sum > 0.99999 && sum < 1.00001);
    }
    for (int row = T; row < B * T; row++) /* the second sequence has three items */
        assert_true(p->value[row * (S + 1) + S] == 0);
    at_tape_free(t);
    at_params_free(params);
}

static void places_have_probabilities_that_sum_to_1(void **state)
{
    (void)state;
    at_pointer all = model(ATTEND_LSTM, true, "additive");
    at_pointer near = model(ATTEND_LSTM, true, "additive/hybrid:window,0,0.2");
    sum_to_1(&all);
    sum_to_1(&near);
}

/* the window of a step has 0.8 of the weight: step t looks at item t, the last at the last one */
static void a_window_lies_around_the_item_of_the_step(void **state)
{
    (void)state;
    at_pointer m = model(ATTEND_LSTM, true, "additive/hybrid:window,0,0.2");
    at_params *params = at_params_new(2);
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    at_tensor *p = probabilities(t, &m, at_zeros(t, SHAPE(B, S, F)));
    assert_false(at_failed(t));
    for (int row = 0; row < B * T; row++) {
        int step = 1 + row % T, last = lengths[row / T];
        assert_true(p->value[row * (S + 1) + (step < last ? step : last)] > (real)0.8);
    }
    at_tape_free(t);
    at_params_free(params);
}

static void steps_one_by_one_give_the_same(void **state)
{
    (void)state;
    at_pointer models[] = {model(ATTEND_LSTM, true, "additive"),
                           model(ATTEND_LSTM, false, "relative"),
                           model(ATTEND_LSTM, true, "additive/hybrid:window,0,0.2")};
    real x[S * F];
    for (int i = 0; i < S * F; i++)
        x[i] = item(i);
    for (int k = 0; k < 3; k++) {
        const at_pointer *m = &models[k];
        at_params *params = at_params_new(2);
        at_tape *t = at_tape_new(params, ATTEND_INFER);
        at_tensor *items = at_input(t, SHAPE(1, S, F), x);
        at_pointing whole = at_pointer_read(t, m, items, NULL), parts = whole;
        at_tensor *all = at_pointer_point(t, m, &whole, (at_ids){SHAPE(1, T), before});
        for (int i = 0; i < T; i++) {
            at_tensor *one = at_pointer_point(t, m, &parts, (at_ids){SHAPE(1, 1), before + i});
            assert_false(at_failed(t));
            assert_memory_equal(one->value, all->value + i * (S + 1), (S + 1) * sizeof(real));
        }
        at_tape_free(t);
        at_params_free(params);
    }
}

static void no_item_is_pointed_to_twice(void **state)
{
    (void)state;
    at_pointer m = model(ATTEND_LSTM, true, "additive");
    at_params *params = at_params_new(5);
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    real x[S * F];
    for (int i = 0; i < S * F; i++)
        x[i] = item(i);
    int found[2 * S], count;
    double log_p;
    bool taken[S] = {false};
    at_point_options o = {.repeat = false};
    at_model whole = {.kind = &at_model_pointer, .net = &m, .params = params, .width = F};
    assert_int_equal(at_point(t, &whole, S, x, &o, found, &count, &log_p, NULL), ATTEND_OK);
    assert_true(count <= S && log_p <= 0);
    for (int i = 0; i < count; i++) {
        assert_false(taken[found[i]]);
        taken[found[i]] = true;
    }
    o.repeat = true;
    assert_int_equal(at_point(t, &whole, S, x, &o, found, &count, &log_p, NULL), ATTEND_OK);
    assert_true(count <= 2 * S);
    at_tape_free(t);
    at_params_free(params);
}

/* the preset's encoder reads in both directions */
static void keys_must_be_as_wide_as_scores_need(void **state)
{
    static const char *const same[] = {"dot",    "scaled-dot", "gaussian", "gaussian-w",
                                       "cosine", "key-value",  "relative"};
    (void)state;
    at_pointer_settings s;
    at_pointer m;
    attend_error err;
    assert_int_equal(at_preset_settings(&at_preset_pointer_net, &s, &err), ATTEND_OK);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        s.attention = same[i];
        s.bidirectional = true;
        assert_int_equal(at_pointer_model(&s, F, &m, &err), ATTEND_OPTION);
        assert_non_null(strstr(err.message, "twice as wide"));
        s.bidirectional = false;
        assert_int_equal(at_pointer_model(&s, F, &m, &err), ATTEND_OK);
    }
    s.bidirectional = true;
    s.attention = "scaled-dot/global/soft/2";
    assert_int_equal(at_pointer_model(&s, F, &m, &err), ATTEND_OK);
}

static void attention_that_loses_weight_cannot_point(void **state)
{
    (void)state;
    at_pointer_settings s;
    at_pointer m;
    attend_error err;
    assert_int_equal(at_preset_settings(&at_preset_pointer_net, &s, &err), ATTEND_OK);
    assert_int_equal(at_pointer_model(&s, F, &m, &err), ATTEND_OK);
    s.attention = "additive/global/sparse";
    assert_true(at_pointer_model(&s, F, &m, &err) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_right),
        cmocka_unit_test(places_have_probabilities_that_sum_to_1),
        cmocka_unit_test(a_window_lies_around_the_item_of_the_step),
        cmocka_unit_test(steps_one_by_one_give_the_same),
        cmocka_unit_test(no_item_is_pointed_to_twice),
        cmocka_unit_test(keys_must_be_as_wide_as_scores_need),
        cmocka_unit_test(attention_that_loses_weight_cannot_point),
    };
    return cmocka_run_group_tests_name("models_pointer", tests, NULL, NULL);
}
