/* Outputs: the likelihood of a target under a distribution; the copy output's loss and log p
 * against the distribution itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "attention/output.h"

enum { V = 3 };

/* -log p[target] of one row; gradient[V] receives its derivative */
static double surprise(const real p[V], int target, double gradient[V])
{
    at_params *params = at_params_new(1);
    at_tape *t = at_tape_new(params, ATTEND_GRAD);
    at_tensor *x = at_variable(t, SHAPE(1, V), p);
    at_tensor *y = at_sum(t, at_likelihood(t, x, (at_ids){SHAPE(1), &target}, -1));
    assert_true(at_backward(t, y));
    for (int i = 0; i < V; i++)
        gradient[i] = (double)at_grad_of(x)[i];
    double loss = (double)y->value[0];
    at_tape_free(t);
    at_params_free(params);
    return loss;
}

static void a_likely_target_costs_its_logarithm(void **state)
{
    (void)state;
    const real p[V] = {(real)0.5, (real)0.25, (real)0.25};
    double g[V];
    assert_true(fabs(surprise(p, 1, g) - log(4)) < 1e-6);
    assert_true(g[0] == 0 && fabs(g[1] + 4) < 1e-6 && g[2] == 0);
    assert_true(surprise(p, -1, g) == 0);
}

/* a sparse or hard pick, a window, or a softmax that rounds to 0 */
static void an_impossible_target_costs_much_but_not_infinitely(void **state)
{
    (void)state;
    const real p[V] = {1, 0, (real)1e-36};
    double g[V], impossible = surprise(p, 1, g);
    assert_true(impossible > 60 && impossible < 100);
    for (int i = 0; i < V; i++)
        assert_true(g[i] == 0);
    assert_true(surprise(p, 2, g) < impossible && fabs(g[2] / -1e36 - 1) < 1e-6);
}

/* ---- copy ---------------------------------------------------------------------------------- */

enum { B = 2, T = 2, S = 4, W = 5, OWN = 2 };

static const int from[B * S] = {1, 5, 1, 6, 4, 5, -1, -1}; /* 5, 6: words that W lacks */
static const int own[B] = {2, 1};
static const real logits[B * T * W] = {1,  2, 3,  4, 5, 0, 0, 1, 0, 0,
                                       -1, 2, -3, 4, 9, 3, 3, 3, 3, 3};
static const real gates[B * T] = {0, 2, -1, (real)0.5};
static const real looks[B * T * S] = {(real)0.1, (real)0.2, (real)0.3, (real)0.4, 0, 0, 1, 0,
                                      (real)0.5, (real)0.5, 0,         0,         1, 0, 0, 0};

/* the whole distribution [B*T,W+OWN], from the formula's own op */
static const real *distribution(at_tape *t)
{
    int source[B * T * S];
    for (int i = 0; i < B * T * S; i++) {
        int x = from[i / (T * S) * S + i % S];
        source[i] = x < 0 ? 0 : x; /* with a weight of 0 */
    }
    at_tensor *p = at_output_copied(t, at_input(t, SHAPE(B * T, W), logits),
                                    at_input(t, SHAPE(B * T, S), looks),
                                    at_input(t, SHAPE(B * T, 1), gates), source, OWN);
    assert_false(at_failed(t));
    return p->value;
}

static void copying_is_the_same_for_searching(void **state)
{
    (void)state;
    at_params *params = at_params_new(1);
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    const real *p = distribution(t);
    at_copies copies = {{SHAPE(B, S), from}, own, OWN};
    at_tensor *y = at_output_copied_log(t, at_input(t, SHAPE(B * T, W), logits),
                                        at_input(t, SHAPE(B * T, S), looks),
                                        at_input(t, SHAPE(B * T, 1), gates), &copies);
    assert_false(at_failed(t));
    for (int i = 0; i < B * T * (W + OWN); i++) {
        bool lacks = i / (W + OWN) / T == 1 && i % (W + OWN) == W + 1;
        double log_p = (double)y->value[i], right = (double)p[i];
        if (lacks)
            assert_true(y->value[i] == -INFINITY);
        else if (right == 0)
            assert_true(log_p > -100 && log_p < -80);
        else
            assert_true(fabs(log_p - log(right)) < 1e-5);
    }
    at_tape_free(t);
    at_params_free(params);
}

static void copying_is_the_same_for_a_loss(void **state)
{
    (void)state;
    static const int targets[B * T] = {1, 6, 5, 0};
    static const real one[W * W] = {
        [0] = 1, [W + 1] = 1, [2 * W + 2] = 1, [3 * W + 3] = 1, [4 * W + 4] = 1};
    at_params *params = at_params_new(1);
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    const real *p = distribution(t);
    real nll[B * T];
    at_ids goal = {SHAPE(B, T), targets};
    at_tensor *mass = at_output_copied_mass(t, at_input(t, SHAPE(B, T, S), looks),
                                            (at_ids){SHAPE(B, S), from}, goal);
    at_mixed_with with = {at_input(t, SHAPE(B, T), gates), mass, nll};
    at_cross_entropy_options o = {.ignore = -1};
    at_tensor *loss = at_linear_mixture(t, at_input(t, SHAPE(B, T, W), logits),
                                        at_input(t, SHAPE(W, W), one), NULL, ATTEND_OUT_IN, with,
                                        goal, o);
    double sum = 0;
    assert_false(at_failed(t));
    for (int i = 0; i < B * T; i++) {
        double right = fmax((double)p[i * (W + OWN) + targets[i]], 1e-37);
        assert_true(fabs((double)nll[i] + log(right)) < 1e-4);
        sum -= log(right);
    }
    assert_true(fabs((double)loss->value[0] - sum / (B * T)) < 1e-4);
    at_tape_free(t);
    at_params_free(params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_likely_target_costs_its_logarithm),
        cmocka_unit_test(an_impossible_target_costs_much_but_not_infinitely),
        cmocka_unit_test(copying_is_the_same_for_searching),
        cmocka_unit_test(copying_is_the_same_for_a_loss),
    };
    return cmocka_run_group_tests_name("attention_output", tests, NULL, NULL);
}
