/* The loss of many logits, in several blocks that share packed weights: that of the separate ops.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "grad/ops.h"

enum { ROWS = 700, CLASSES = 3500, WIDTH = 6 }; /* more logits than one block has */

typedef struct {
    at_params *params;
    at_tape *tape;
    at_tensor *loss, *x, *weight, *bias;
} result;

static result run(at_layout layout, bool fused)
{
    static int id[ROWS];
    for (int i = 0; i < ROWS; i++)
        id[i] = i % 9 == 0 ? -1 : i * 37 % CLASSES;
    at_shape shape = layout == ATTEND_OUT_IN ? SHAPE(CLASSES, WIDTH) : SHAPE(WIDTH, CLASSES);
    at_ids targets = {SHAPE(ROWS), id};
    at_cross_entropy_options o = {.smoothing = (real)0.1, .ignore = -1};
    result r = {.params = at_params_new(3)};
    at_tape *t = r.tape = at_tape_new(r.params, ATTEND_GRAD);
    r.x = at_param(t, at_root(), "x", SHAPE(ROWS, WIDTH), INIT_NORMAL(1));
    r.weight = at_param(t, at_root(), "weight", shape, INIT_NORMAL(1));
    r.bias = at_param(t, at_root(), "bias", SHAPE(CLASSES), INIT_NORMAL(1));
    r.loss = fused ? at_linear_cross_entropy(t, r.x, r.weight, r.bias, layout, targets, o)
                   : at_cross_entropy(t, at_affine(t, r.x, r.weight, r.bias, layout), targets, o);
    assert_true(at_backward(t, r.loss));
    return r;
}

static void assert_near(const at_tensor *a, const at_tensor *b)
{
    double difference = 0, size = 0;
    for (size_t i = 0; i < a->len; i++) {
        difference = fmax(difference, fabs((double)a->grad[i] - (double)b->grad[i]));
        size = fmax(size, fabs((double)b->grad[i]));
    }
    assert_true(size > 0);
    if (difference > 1e-5 * size)
        fail_msg("gradients of at most %g differ by %g", size, difference);
}

static void blocks_give_what_the_separate_ops_give(void **state)
{
    (void)state;
    for (int layout = 0; layout < 2; layout++) {
        result one = run((at_layout)layout, true), two = run((at_layout)layout, false);
        double loss = (double)one.loss->value[0], other = (double)two.loss->value[0];
        assert_true(fabs(loss - other) < 1e-5 * fabs(other));
        assert_near(one.x, two.x);
        assert_near(one.weight, two.weight);
        assert_near(one.bias, two.bias);
        at_tape_free(one.tape);
        at_tape_free(two.tape);
        at_params_free(one.params);
        at_params_free(two.params);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_give_what_the_separate_ops_give)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
