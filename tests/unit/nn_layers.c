/* Every layer of the list: gradient check. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradient_check.h"
#include "nn/layers.h"

#ifdef ATTEND_REAL_DOUBLE
static const double tolerance = 1e-6;
#else
static const double tolerance = 1e-3;
#endif

static void gradients_agree_with_differences(void **state)
{
    (void)state;
    for (int i = 0; i < at_layer_count; i++) {
        at_gradcheck c = at_gradient_check(at_layers[i]->sample, NULL, tolerance, NULL, NULL);
        print_message("%-14s worst %.1e at %s\n", at_layers[i]->name, c.worst, c.where);
        if (!c.ok)
            fail_msg("%s: error %g at %s", at_layers[i]->name, c.worst, c.where);
    }
}

static void the_stack_has_the_names_of_pytorch(void **state)
{
    (void)state;
    at_params *p = at_params_new(1);
    at_tape *t = at_tape_new(p, ATTEND_INFER);
    at_stack_options o = {.cell = ATTEND_GRU, .hidden = 3, .layers = 2, .bidirectional = true};
    at_stack_result r = at_recurrent_stack(t, at_in(at_root(), "rnn"), at_zeros(t, SHAPE(2, 4, 5)),
                                           NULL, &o);
    assert_null(at_tape_error(t));
    assert_int_equal(r.states, 4);
    assert_int_equal(at_params_count(p), 16);
    at_parameter *w = at_params_find(p, "rnn.weight_ih_l1_reverse");
    assert_non_null(w);
    assert_true(at_shape_equal(w->shape, SHAPE(9, 6)));
    at_tape_free(t);
    at_params_free(p);
}

/* the upper layer sees nothing of x [2,4,5] through a mask of zeros, all of it through ones */
static void masks_stand_between_layers_at_all_steps(void **state)
{
    (void)state;
    at_params *p = at_params_new(1);
    at_tape *t = at_tape_new(p, ATTEND_TRAIN);
    real one[2 * 3], x[2 * 4 * 5];
    for (int i = 0; i < 2 * 3; i++)
        one[i] = 1;
    for (int i = 0; i < 2 * 4 * 5; i++)
        x[i] = (real)(i % 7) / 7;
    at_tensor *mask[] = {at_input(t, SHAPE(2, 1, 3), one), at_zeros(t, SHAPE(2, 1, 3))};
    at_stack_options o = {.cell = ATTEND_GRU, .hidden = 3, .layers = 2};
    at_tensor *y[4], *in[] = {at_input(t, SHAPE(2, 4, 5), x), at_zeros(t, SHAPE(2, 4, 5))};
    y[0] = at_recurrent_stack(t, at_root(), in[0], NULL, &o).output;
    o.dropout = (real)0.5;
    o.masks = &mask[0];
    y[1] = at_recurrent_stack(t, at_root(), in[0], NULL, &o).output;
    o.masks = &mask[1];
    for (int i = 0; i < 2; i++)
        y[2 + i] = at_recurrent_stack(t, at_root(), in[i], NULL, &o).output;
    assert_null(at_tape_error(t));
    assert_memory_equal(y[0]->value, y[1]->value, y[0]->len * sizeof(real));
    assert_memory_equal(y[2]->value, y[3]->value, y[2]->len * sizeof(real));
    assert_memory_not_equal(y[0]->value, y[2]->value, y[0]->len * sizeof(real));
    at_tape_free(t);
    at_params_free(p);
}

static void too_many_positions_are_refused(void **state)
{
    (void)state;
    at_params *p = at_params_new(1);
    at_tape *t = at_tape_new(p, ATTEND_INFER);
    at_add_positions(t, at_root(), at_zeros(t, SHAPE(1, 5, 2)), 4, 8, 1);
    assert_non_null(at_tape_error(t));
    assert_int_equal(at_params_count(p), 0);
    at_tape_free(t);
    at_params_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_agree_with_differences),
        cmocka_unit_test(the_stack_has_the_names_of_pytorch),
        cmocka_unit_test(masks_stand_between_layers_at_all_steps),
        cmocka_unit_test(too_many_positions_are_refused),
    };
    return cmocka_run_group_tests_name("nn_layers", tests, NULL, NULL);
}
