/* Recurrent language models: gradients, and text that is read in parts. */
#include "models/language.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gradient_check.h"

enum { B = 2, T = 5, V = 7 };

static const int words[B * T] = {3, 1, 4, 1, 5, 2, 6, 5, 0, 3};
static const int targets[B * T] = {1, 4, 1, 5, 2, 6, 5, 0, 3, -1};

static const at_language models[] = {
    {V, 3, 4, 1, ATTEND_LSTM, 0, false},
    {V, 4, 4, 2, ATTEND_GRU, 0, true},
    {V, 3, 2, 2, ATTEND_RNN_TANH, 0, false},
};

enum { MODELS = sizeof models / sizeof *models };

static at_tensor *build(at_tape *t, at_path s, const void *arg)
{
    (void)s;
    at_tensor *y = at_language_read(t, arg, (at_ids){SHAPE(B, T), words}, NULL, NULL);
    return at_language_loss(t, arg, y, (at_ids){SHAPE(B, T), targets},
                            (at_cross_entropy_options){.ignore = -1});
}

static void gradients_are_right(void **state)
{
    (void)state;
    double tolerance = sizeof(real) == sizeof(double) ? 1e-6 : 0.05;
    for (int i = 0; i < MODELS; i++) {
        at_gradcheck c = at_gradient_check(build, &models[i], tolerance, NULL, NULL);
        if (!c.ok)
            fail_msg("model %d: %s", i, c.where);
    }
}

static void text_read_in_parts_gives_the_same(void **state)
{
    (void)state;
    for (int i = 0; i < MODELS; i++) {
        at_params *params = at_params_new(1);
        at_tape *t = at_tape_new(params, ATTEND_INFER);
        at_cache *parts = at_language_cache(&models[i]);
        attend_error err;
        assert_true(parts && at_cache_join(parts, 1, &err) >= 0);
        at_tensor *all = at_language_logits(
            t, &models[i],
            at_language_read(t, &models[i], (at_ids){SHAPE(1, T), words}, NULL, NULL));
        for (int at = 0; at < T; at++) {
            at_ids one = {SHAPE(1, 1), words + at};
            at_tensor *y = at_language_read(t, &models[i], one, NULL, parts);
            y = at_language_logits(t, &models[i], y);
            if (at_failed(t))
                fail_msg("%s", at_tape_error(t)->message);
            assert_memory_equal(y->value, all->value + at * V, V * sizeof(real));
        }
        at_cache_free(parts);
        at_tape_free(t);
        at_params_free(params);
    }
}

static void tied_weights_need_one_width(void **state)
{
    (void)state;
    at_language_settings s;
    at_language m;
    attend_error err;
    assert_int_equal(at_preset_settings(&at_preset_rnn_lm, &s, &err), ATTEND_OK);
    s.tied = true;
    assert_int_equal(at_language_model(&s, V, &m, &err), ATTEND_OK);
    s.embedding = 3;
    assert_int_equal(at_language_model(&s, V, &m, &err), ATTEND_OPTION);
    assert_non_null(strstr(err.message, "--embedding and --hidden"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_right),
        cmocka_unit_test(text_read_in_parts_gives_the_same),
        cmocka_unit_test(tied_weights_need_one_width),
    };
    return cmocka_run_group_tests_name("models_language", tests, NULL, NULL);
}
