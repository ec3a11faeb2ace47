#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nn/layers.h"

static int make_tape(void **state)
{
    at_params *params = at_params_new(1);
    *state = params ? at_tape_new(params, ATTEND_INFER) : NULL;
    return *state ? 0 : -1;
}

static int free_tape(void **state)
{
    at_params *params = at_tape_params(*state);
    at_tape_free(*state);
    at_params_free(params);
    return 0;
}

static void interleaves_sines_and_cosines(void **state)
{
    at_tensor *y = at_position_sinusoidal(*state, ATTEND_SINUSOIDS_INTERLEAVED, 0, 30, 4);
    const real *row = y->value + 29 * 4;
    assert_true(at_shape_equal(y->shape, SHAPE(30, 4)));
    assert_float_equal(y->value[0], 0, 0);
    assert_float_equal(y->value[1], 1, 0);
    assert_float_equal(row[0], sin(29.0), 1e-7);
    assert_float_equal(row[1], cos(29.0), 1e-7);
    assert_float_equal(row[2], sin(0.29), 1e-7);
    assert_float_equal(row[3], cos(0.29), 1e-7);
}

static void ends_an_odd_width_with_a_sine(void **state)
{
    at_tensor *y = at_position_sinusoidal(*state, ATTEND_SINUSOIDS_INTERLEAVED, 1, 1, 3);
    assert_float_equal(y->value[2], sin(pow(10000, -2.0 / 3)), 1e-7);
}

static void gives_a_position_the_same_row_wherever_it_starts(void **state)
{
    at_tensor *all = at_position_sinusoidal(*state, ATTEND_SINUSOIDS_INTERLEAVED, 0, 9, 6);
    at_tensor *late = at_position_sinusoidal(*state, ATTEND_SINUSOIDS_INTERLEAVED, 7, 2, 6);
    assert_memory_equal(late->value, all->value + 7 * 6, 2 * 6 * sizeof(real));
}

static void may_be_empty(void **state)
{
    assert_int_equal(at_position_sinusoidal(*state, ATTEND_SINUSOIDS_INTERLEAVED, 5, 0, 6)->len, 0);
    assert_false(at_failed(*state));
}

static void are_added_to_every_sentence(void **state)
{
    at_tensor *rows = at_position_sinusoidal(*state, ATTEND_SINUSOIDS_INTERLEAVED, 3, 2, 6);
    at_tensor *y = at_add_sinusoids(*state, ATTEND_SINUSOIDS_INTERLEAVED,
                                    at_zeros(*state, SHAPE(2, 2, 6)), 3);
    assert_memory_equal(y->value, rows->value, 2 * 6 * sizeof(real));
    assert_memory_equal(y->value + 2 * 6, rows->value, 2 * 6 * sizeof(real));
}

static void refuses_positions_before_the_first(void **state)
{
    at_add_sinusoids(*state, ATTEND_SINUSOIDS_INTERLEAVED, at_zeros(*state, SHAPE(1, 2, 6)), -1);
    assert_true(at_failed(*state));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(interleaves_sines_and_cosines, make_tape, free_tape),
        cmocka_unit_test_setup_teardown(ends_an_odd_width_with_a_sine, make_tape, free_tape),
        cmocka_unit_test_setup_teardown(gives_a_position_the_same_row_wherever_it_starts, make_tape,
                                        free_tape),
        cmocka_unit_test_setup_teardown(may_be_empty, make_tape, free_tape),
        cmocka_unit_test_setup_teardown(are_added_to_every_sentence, make_tape, free_tape),
        cmocka_unit_test_setup_teardown(refuses_positions_before_the_first, make_tape, free_tape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
