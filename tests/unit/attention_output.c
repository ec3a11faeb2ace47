/* Outputs: the likelihood of a target under a distribution. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_likely_target_costs_its_logarithm),
        cmocka_unit_test(an_impossible_target_costs_much_but_not_infinitely),
    };
    return cmocka_run_group_tests_name("attention_output", tests, NULL, NULL);
}
