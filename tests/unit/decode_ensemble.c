/* Ensembles: the mean of probabilities and of weights. */
#include "decode/ensemble.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { V = 3, ROWS = 2, S = 2 };

typedef struct {
    real log_p[ROWS * V], weights[ROWS * S];
    int steps;
} fixed;

static attend_status step(void *self, int width, const int *from, const int *words, real **log_p,
                          const real **weights, attend_error *err)
{
    fixed *f = self;
    (void)width, (void)from, (void)words, (void)err;
    f->steps++;
    *log_p = f->log_p;
    *weights = f->weights;
    return ATTEND_OK;
}

static fixed of(double a, double b, double w)
{
    fixed f = {.steps = 0};
    for (int row = 0; row < ROWS; row++) {
        double p[] = {a, b, 1 - a - b};
        for (int i = 0; i < V; i++)
            f.log_p[row * V + i] = (real)log(p[(i + row) % V]);
        f.weights[row * S] = (real)w;
        f.weights[row * S + 1] = (real)(1 - w);
    }
    return f;
}

static at_searched searched(fixed *f, int source)
{
    return (at_searched){
        .self = f, .sentences = 1, .vocabulary = V, .source = source, .step = step};
}

static void probabilities_and_weights_are_averaged(void **state)
{
    fixed a = of(0.5, 0.3, 0.9), b = of(0.1, 0.3, 0.5), c = of(0.3, 0.6, 0);
    at_searched members[] = {searched(&a, S), searched(&c, 0), searched(&b, S)}, all;
    const int none[ROWS] = {0};
    real *log_p;
    const real *weights;
    at_ensemble e;
    attend_error err;
    (void)state;
    members[2].logits = true; /* which say the same with anything added */
    for (int i = 0; i < ROWS * V; i++)
        b.log_p[i] += 3;
    assert_int_equal(at_ensemble_of(&e, 3, members, ROWS, &all, &err), ATTEND_OK);
    assert_int_equal(all.source, S);
    assert_false(all.logits);
    assert_int_equal(all.step(all.self, ROWS, none, none, &log_p, &weights, &err), ATTEND_OK);
    assert_true(fabs(exp((double)log_p[0]) - 0.3) < 1e-6);
    assert_true(fabs(exp((double)log_p[1]) - 0.4) < 1e-6);
    assert_true(fabs(exp((double)log_p[V]) - 0.4) < 1e-6); /* the second row begins with b */
    assert_true(fabs((double)weights[0] - 0.7) < 1e-6);    /* of the two that read */
    assert_true(fabs((double)weights[3] - 0.3) < 1e-6);
    assert_int_equal(a.steps + b.steps + c.steps, 3);
    at_ensemble_free(&e);
}

static void one_model_is_left_as_it_is(void **state)
{
    fixed a = of(0.5, 0.3, 0.9);
    at_searched one = searched(&a, S), all;
    at_ensemble e;
    attend_error err;
    (void)state;
    assert_int_equal(at_ensemble_of(&e, 1, &one, ROWS, &all, &err), ATTEND_OK);
    assert_ptr_equal(all.self, &a);
    at_ensemble_free(&e);
}

static void what_no_model_thinks_likely_stays_finite(void **state)
{
    fixed a = of(0.5, 0.5, 0.9), b = a;
    at_searched members[] = {searched(&a, S), searched(&b, S)}, all;
    const int none[ROWS] = {0};
    real *log_p;
    const real *weights;
    at_ensemble e;
    attend_error err;
    (void)state;
    a.log_p[2] = b.log_p[2] = -200;
    assert_int_equal(at_ensemble_of(&e, 2, members, ROWS, &all, &err), ATTEND_OK);
    assert_int_equal(all.step(all.self, ROWS, none, none, &log_p, &weights, &err), ATTEND_OK);
    assert_true(log_p[2] < -80 && isfinite((double)log_p[2]));
    at_ensemble_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probabilities_and_weights_are_averaged),
        cmocka_unit_test(one_model_is_left_as_it_is),
        cmocka_unit_test(what_no_model_thinks_likely_stays_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
