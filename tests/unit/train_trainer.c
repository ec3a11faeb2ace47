/* Steps of training: what is measured, and what it does not change. */
#include "train/trainer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "attend.h"
#include "base/threads.h"
#include "grad/ops.h"

enum { ROWS = 4, IN = 3, CLASSES = 5 };
static const real inputs[ROWS * IN] = {1, 2, -1, 0, 1, 1, -2, 1, 0, 3, -1, 2};
static const int targets[ROWS] = {1, 4, 0, 2};

static at_tensor *loss(void *user, at_tape *t, int shard)
{
    (void)user;
    (void)shard;
    at_tensor *x = at_input(t, SHAPE(ROWS, IN), inputs);
    at_tensor *w = at_param(t, at_root(), "w", SHAPE(CLASSES, IN), INIT_GLOROT);
    return at_linear_cross_entropy(t, x, w, NULL, ATTEND_OUT_IN, (at_ids){SHAPE(ROWS), targets},
                                   (at_cross_entropy_options){.ignore = -1});
}

/* Some updates; the weights afterwards, and the norm of the last step. */
static double train(double clip, int accumulate, real *weights)
{
    static const int first[] = {0};
    attend_error err;
    at_trainer *trainer;
    at_step_result r = {.norm = 0};
    at_trainer_options o = {.clip = clip, .accumulate = accumulate, .seed = 1};
    at_params *params = at_params_new(3);
    if (at_optim_options_parse(&o.optim, "adam", &err) < 0
        || at_rate_parse(&o.rate, "constant", 0.1, &err) < 0
        || at_trainer_new(params, &o, &trainer, &err) < 0)
        fail_msg("%s", err.message);
    for (int i = 0; i < 3 * accumulate; i++)
        if (at_trainer_step(trainer, 1, first, loss, NULL, &r, &err) < 0)
            fail_msg("%s", err.message);
    assert_int_equal(at_trainer_updates(trainer), 3);
    memcpy(weights, at_params_at(params, 0)->value, CLASSES * IN * sizeof *weights);
    at_trainer_free(trainer);
    at_params_free(params);
    return r.norm;
}

static void the_norm_is_measured_only_to_clip(void **state)
{
    (void)state;
    for (int accumulate = 1; accumulate <= 2; accumulate++) {
        real plain[CLASSES * IN], loose[CLASSES * IN], tight[CLASSES * IN];
        assert_true(train(0, accumulate, plain) == 0);
        assert_true(train(1e6, accumulate, loose) > 0);
        assert_true(train(1e-6, accumulate, tight) > 1e-6);
        assert_memory_equal(plain, loose, sizeof plain);
        assert_memory_not_equal(plain, tight, sizeof plain);
    }
}

/* how many threads a product inside each shard would get */
static at_tensor *count_threads(void *user, at_tape *t, int shard)
{
    ((int *)user)[shard] = at_threads();
    return loss(NULL, t, shard);
}

static void one_shard_has_all_threads(void **state)
{
    static const int first[] = {0, 2};
    attend_error err;
    at_trainer *trainer;
    at_step_result r;
    (void)state;
    attend_set_threads(3);
    for (int shards = 1; shards <= 2; shards++) {
        at_trainer_options o = {.accumulate = 1};
        at_params *params = at_params_new(3);
        int threads[2] = {0, 0};
        if (at_optim_options_parse(&o.optim, "sgd", &err) < 0
            || at_rate_parse(&o.rate, "constant", 0.1, &err) < 0
            || at_trainer_new(params, &o, &trainer, &err) < 0)
            fail_msg("%s", err.message);
        for (int i = 0; i < 2; i++) /* the first step runs its shards one by one */
            assert_true(at_trainer_step(trainer, shards, first, count_threads, threads, &r, &err)
                        >= 0);
        assert_int_equal(threads[0], shards == 1 ? 3 : 1);
        assert_int_equal(threads[1], shards == 1 ? 0 : 1);
        at_trainer_free(trainer);
        at_params_free(params);
    }
    attend_set_threads(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_norm_is_measured_only_to_clip),
        cmocka_unit_test(one_shard_has_all_threads),
    };
    return cmocka_run_group_tests_name("train_trainer", tests, NULL, NULL);
}
