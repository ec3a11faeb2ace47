/* Hard attention learns: the estimate agrees with the exact gradient of the expected loss. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "attention/attention.h"
#include "train/reinforce.h"

enum { K = 4, N = 20000 };
static const real scores[K] = {(real)0.3, (real)-0.8, (real)1.1, 0};
static const double loss_of[K] = {1.5, 0.2, 2.5, 0.9}; /* when place j is drawn */

/* one draw: which place, and d(log p or what else)/d(scores) of the surrogate loss */
static int draw(at_tape *t, uint32_t step, const at_baseline *b, bool through, double gradient[K])
{
    at_how how = {.pick = &at_pick_hard, .pick_values = {.given = through}};
    at_tape_reset(t);
    at_tape_seed(t, 42, step, 0);
    at_tensor *e = at_variable(t, SHAPE(1, 1, K), scores);
    at_picked p = how.pick->pick(t, &how, e, NULL);
    int s = 0;
    while (p.weights->value[s] == 0)
        s++;
    real nll = (real)loss_of[s];
    at_tensor *loss;
    if (through) { /* the loss is linear in the weights: sum_j w_j loss_j */
        real each[K];
        for (int j = 0; j < K; j++)
            each[j] = (real)loss_of[j];
        loss = at_sum(t, at_multiply(t, p.weights, at_input(t, SHAPE(1, 1, K), each)));
    } else {
        loss = at_reinforce(t, at_reshape(t, p.log_p, SHAPE(1, 1, 1)),
                            at_reshape(t, p.entropy, SHAPE(1, 1, 1)), &nll, NULL, b,
                            (at_reinforce_options){.entropy = 0, .weight = 1});
    }
    assert_true(at_backward(t, loss));
    for (int j = 0; j < K; j++)
        gradient[j] = (double)at_grad_of(e)[j];
    return s;
}

static void exact(double p[K], double gradient[K])
{
    double sum = 0, mean = 0;
    for (int j = 0; j < K; j++)
        sum += p[j] = exp((double)scores[j]);
    for (int j = 0; j < K; j++)
        mean += (p[j] /= sum) * loss_of[j];
    for (int j = 0; j < K; j++)
        gradient[j] = p[j] * (loss_of[j] - mean);
}

static void check_estimate(const at_baseline *b, double *variance)
{
    at_params *params = at_params_new(1);
    at_tape *t = at_tape_new(params, ATTEND_TRAIN);
    double p[K], want[K], sum[K] = {0}, square[K] = {0}, g[K];
    int drawn[K] = {0};
    exact(p, want);
    for (uint32_t i = 0; i < N; i++) {
        drawn[draw(t, i, b, false, g)]++;
        for (int j = 0; j < K; j++) {
            sum[j] += g[j];
            square[j] += g[j] * g[j];
        }
    }
    *variance = 0;
    for (int j = 0; j < K; j++) {
        double mean = sum[j] / N, spread = square[j] / N - mean * mean, error = sqrt(spread / N);
        if (fabs(mean - want[j]) > 4 * error)
            fail_msg("score %d: %g +- %g, exactly %g", j, mean, error, want[j]);
        if (fabs((double)drawn[j] / N - p[j]) > 4 * sqrt(p[j] * (1 - p[j]) / N))
            fail_msg("place %d was drawn %d times of %d, with probability %g", j, drawn[j], N,
                     p[j]);
        *variance += spread;
    }
    at_tape_free(t);
    at_params_free(params);
}

static void the_estimate_agrees_with_the_expected_gradient(void **state)
{
    (void)state;
    double plain, calm;
    at_baseline none = {0}, mean = {0};
    at_baseline_update(&mean, 15, 10);
    check_estimate(&none, &plain);
    check_estimate(&mean, &calm);
    print_message("variance %.3f without, %.3f with a baseline\n", plain, calm);
    assert_true(calm < plain);
}

/* forward the draw, backward as if the weights were p */
static void straight_through_is_its_definition(void **state)
{
    (void)state;
    at_params *params = at_params_new(1);
    at_tape *t = at_tape_new(params, ATTEND_TRAIN);
    at_baseline none = {0};
    double p[K], want[K], g[K];
    exact(p, want);
    for (uint32_t i = 0; i < 20; i++) {
        draw(t, i, &none, true, g);
        for (int j = 0; j < K; j++)
            assert_true(fabs(g[j] - want[j]) < 1e-6);
    }
    at_tape_free(t);
    at_params_free(params);
}

static void each_draw_is_paid_for_what_comes_after_it(void **state)
{
    (void)state;
    at_params *params = at_params_new(1);
    at_tape *t = at_tape_new(params, ATTEND_GRAD);
    real zeros[6] = {0}, nll[6] = {1, 2, 4, 3, 5, 99};
    int lengths[2] = {3, 2};
    at_baseline b = {0};
    at_baseline_update(&b, 6, 4); /* 1.5 a word */
    at_tensor *log_p = at_variable(t, SHAPE(2, 1, 3), zeros);
    at_tensor *h = at_variable(t, SHAPE(2, 1, 3), zeros);
    at_tensor *loss = at_reinforce(t, log_p, h, nll, lengths, &b,
                                   (at_reinforce_options){.entropy = (real)0.01, .weight = 2});
    assert_true(at_backward(t, loss));
    const double want[6] = {2 * (7 - 4.5), 2 * (6 - 3),   2 * (4 - 1.5),
                            2 * (8 - 3),   2 * (5 - 1.5), 0};
    for (int i = 0; i < 6; i++) {
        assert_true(fabs((double)at_grad_of(log_p)[i] - want[i]) < 1e-5);
        assert_true(fabs((double)at_grad_of(h)[i] - (i < 5 ? -0.02 : 0)) < 1e-6);
    }
    at_baseline_update(&b, 20, 4);
    assert_true(fabs(b.mean - (0.9 * 1.5 + 0.1 * 5)) < 1e-12);
    at_tape_free(t);
    at_params_free(params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_estimate_agrees_with_the_expected_gradient),
        cmocka_unit_test(straight_through_is_its_definition),
        cmocka_unit_test(each_draw_is_paid_for_what_comes_after_it),
    };
    return cmocka_run_group_tests_name("train_reinforce", tests, NULL, NULL);
}
