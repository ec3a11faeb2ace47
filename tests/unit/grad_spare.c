/* Memory that the way back gives up is cut, joined and used again, and never twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "grad/tape_inside.h"

enum { SIZE = 1 << 20, LINE = 64 / sizeof(real) };

typedef struct {
    at_params *params;
    at_tape *tape;
    real *memory;
} bench;

static bench start(void)
{
    at_params *p = at_params_new(1);
    bench b = {p, at_tape_new(p, ATTEND_TRAIN), at_alloc(SIZE * sizeof(real))};
    assert_non_null(b.memory);
    at_spare_nothing(b.tape);
    return b;
}

static void stop(bench *b)
{
    at_tape_free(b->tape);
    at_params_free(b->params);
    at_free(b->memory);
}

static void gradients_take_the_place_of_others_of_their_size(void **state)
{
    (void)state;
    bench b = start();
    at_spare_gradient(b.tape, b.memory, 100);
    at_spare_gradient(b.tape, b.memory + 100, 50);
    assert_null(at_spare_take(b.tape, 60));
    assert_ptr_equal(at_spare_take(b.tape, 50), b.memory + 100);
    assert_null(at_spare_take(b.tape, 50));
    assert_ptr_equal(at_spare_take(b.tape, 100), b.memory);
    stop(&b);
}

static void blocks_are_cut_at_lines(void **state)
{
    (void)state;
    bench b = start();
    size_t want = 20001, next = (want + LINE - 1) / LINE * LINE;
    at_tape_spare(b.tape, b.memory, 100000);
    assert_null(at_spare_take(b.tape, 100001));
    assert_null(at_spare_take(b.tape, 100)); /* no crumbs */
    assert_ptr_equal(at_spare_take(b.tape, want), b.memory);
    assert_ptr_equal(at_spare_take(b.tape, want), b.memory + next);
    assert_ptr_equal(at_spare_take(b.tape, 100000 - 2 * next), b.memory + 2 * next);
    assert_null(at_spare_take(b.tape, want));
    stop(&b);
}

static void the_smallest_block_that_fits_is_taken(void **state)
{
    (void)state;
    bench b = start();
    at_tape_spare(b.tape, b.memory, 400000);
    at_tape_spare(b.tape, b.memory + 500000, 50000);
    at_tape_spare(b.tape, b.memory + 600000, 90000);
    assert_ptr_equal(at_spare_take(b.tape, 45000), b.memory + 500000);
    assert_ptr_equal(at_spare_take(b.tape, 90000), b.memory + 600000);
    assert_ptr_equal(at_spare_take(b.tape, 90000), b.memory);
    stop(&b);
}

static void neighbours_are_joined(void **state)
{
    (void)state;
    bench b = start();
    at_tape_spare(b.tape, b.memory, 100000);
    at_tape_spare(b.tape, b.memory + 200000, 100000);
    assert_null(at_spare_take(b.tape, 250000));
    at_tape_spare(b.tape, b.memory + 100000, 100000);
    assert_ptr_equal(at_spare_take(b.tape, 300000), b.memory);
    stop(&b);
}

/* of many blocks the largest are remembered */
static void small_blocks_give_way(void **state)
{
    (void)state;
    bench b = start();
    for (size_t i = 0; i < ATTEND_MOST_BLOCKS; i++)
        at_tape_spare(b.tape, b.memory + i * 20000, 17000);
    at_tape_spare(b.tape, b.memory + 700000, 16500);
    assert_int_equal(b.tape->blocks, ATTEND_MOST_BLOCKS);
    at_tape_spare(b.tape, b.memory + 800000, 100000);
    assert_int_equal(b.tape->blocks, ATTEND_MOST_BLOCKS);
    assert_ptr_equal(at_spare_take(b.tape, 99999), b.memory + 800000);
    stop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_take_the_place_of_others_of_their_size),
        cmocka_unit_test(blocks_are_cut_at_lines),
        cmocka_unit_test(the_smallest_block_that_fits_is_taken),
        cmocka_unit_test(neighbours_are_joined),
        cmocka_unit_test(small_blocks_give_way),
    };
    return cmocka_run_group_tests_name("grad_spare", tests, NULL, NULL);
}
