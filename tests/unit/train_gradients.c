/* Sums of gradients over tapes and batches, and their chunks. */
#include "train/gradients.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "attend.h"
#include "base/memory.h"
#include "base/random.h"
#include "grad/ops.h"

enum { COUNT = 3, LARGEST = 50000 };
static const int lengths[COUNT] = {7, LARGEST, 0};

static attend_error err;
static at_params *params;
static at_gradients *g;
static real array[4][LARGEST], out[LARGEST], want[LARGEST];

static int open_set(void **state)
{
    at_random place = {.seed = 5};
    (void)state;
    params = at_params_new(1);
    g = at_gradients_new(params);
    for (int i = 0; i < COUNT; i++) {
        at_parameter *p;
        const char *name[] = {"a", "b", "c"};
        at_params_add(params, name[i], SHAPE(lengths[i]), INIT_NORMAL(1), &p, &err);
    }
    for (uint32_t k = 0; k < 4; k++)
        for (uint32_t i = 0; i < LARGEST; i++) {
            place.use = k;
            array[k][i] = (real)at_random_uniform(place, i) - (real)0.5;
        }
    return params && g ? 0 : -1;
}

static int close_set(void **state)
{
    (void)state;
    at_gradients_free(g);
    at_params_free(params);
    return 0;
}

/* adds array k as the gradient of parameter b, and of a where told so */
static void add(int k, bool both, double weight)
{
    const real *part[COUNT] = {both ? array[k] : NULL, array[k], array[k]};
    assert_int_equal(at_gradients_add_arrays(g, part, weight, &err), ATTEND_OK);
}

static void assert_b_is_want(void)
{
    assert_true(at_gradients_read(g, 1, out));
    assert_memory_equal(out, want, sizeof want);
}

static void has_nothing_at_first(void **state)
{
    (void)state;
    assert_int_equal(at_gradients_count(g), 0);
    assert_int_equal(at_gradients_chunks(g), 0);
    assert_false(at_gradients_read(g, 0, out));
    assert_int_equal(at_gradients_keep(g, &err), ATTEND_OK);
    assert_int_equal(at_gradients_count(g), 0);
}

static void lists_only_what_a_gradient_reached(void **state)
{
    (void)state;
    add(0, false, 1);
    assert_int_equal(at_gradients_count(g), 2);
    assert_int_equal(at_gradients_index(g, 0), 1);
    assert_int_equal(at_gradients_index(g, 1), 2);
    assert_false(at_gradients_read(g, 0, out));
    add(1, true, 1);
    assert_int_equal(at_gradients_count(g), 3);
    assert_true(at_gradients_read(g, 0, out));
    assert_memory_equal(out, array[1], 7 * sizeof(real));
}

static void reads_a_lone_gradient_where_it_lies(void **state)
{
    real buffer[10];
    (void)state;
    add(2, true, 1);
    assert_ptr_equal(at_gradients_block(g, 1, 100, 10, buffer), array[2] + 100);
    assert_true(at_gradients_factor(g, 1) == 1);
    at_gradients_scale(g, 0.5);
    assert_ptr_equal(at_gradients_block(g, 1, 100, 10, buffer), array[2] + 100);
    assert_true(at_gradients_factor(g, 1) == 0.5);
}

static void sums_in_the_order_they_were_added(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++)
        add(k, false, 1);
    for (int i = 0; i < LARGEST; i++)
        want[i] = array[0][i] + array[1][i] + array[2][i] + array[3][i];
    assert_b_is_want();
}

static void weighs_and_scales(void **state)
{
    (void)state;
    add(0, true, 0.25); /* powers of two: products are exact */
    add(1, false, 1);
    add(2, true, 4);
    at_gradients_scale(g, 0.5);
    at_gradients_scale(g, 0.25);
    for (int i = 0; i < LARGEST; i++)
        want[i] = (array[0][i] * (real)0.25 + array[1][i] + array[2][i] * 4) * (real)0.125;
    assert_b_is_want();
    at_gradients_read(g, 0, out);
    assert_true(out[3] == (array[0][3] * (real)0.25 + array[2][3] * 4) * (real)0.125);
}

static void keeping_after_each_batch_changes_nothing(void **state)
{
    (void)state;
    add(0, true, 1);
    add(1, false, 0.5);
    assert_int_equal(at_gradients_keep(g, &err), ATTEND_OK);
    assert_int_equal(at_gradients_keep(g, &err), ATTEND_OK);
    add(2, true, 2);
    assert_int_equal(at_gradients_keep(g, &err), ATTEND_OK);
    add(3, true, 1);
    at_gradients_scale(g, 0.25);
    for (int i = 0; i < LARGEST; i++)
        want[i] = (array[0][i] + array[1][i] * (real)0.5 + array[2][i] * 2 + array[3][i])
                  * (real)0.25;
    assert_b_is_want();
    at_gradients_read(g, 0, out);
    assert_true(out[6] == (array[0][6] + array[2][6] * 2 + array[3][6]) * (real)0.25);
}

static void kept_sums_do_not_need_their_sources(void **state)
{
    static real passing[LARGEST];
    const real *part[COUNT] = {NULL, passing, NULL};
    (void)state;
    memcpy(passing, array[0], sizeof passing);
    memcpy(want, array[0], sizeof want);
    at_gradients_add_arrays(g, part, 1, &err);
    at_gradients_keep(g, &err);
    memset(passing, 1, sizeof passing);
    assert_b_is_want();
}

static void starts_afresh_when_cleared(void **state)
{
    (void)state;
    add(0, true, 3);
    at_gradients_keep(g, &err);
    at_gradients_scale(g, 7);
    at_gradients_clear(g);
    assert_int_equal(at_gradients_count(g), 0);
    add(1, false, 1);
    at_gradients_keep(g, &err);
    assert_int_equal(at_gradients_count(g), 2);
    assert_false(at_gradients_read(g, 0, out));
    memcpy(want, array[1], sizeof want);
    assert_b_is_want();
}

static void rounds_of_the_same_size_allocate_nothing(void **state)
{
    (void)state;
    long before = 0;
    for (int round = 0; round < 4; round++) {
        if (round == 1)
            before = at_alloc_count();
        add(0, true, 1);
        add(1, false, 1);
        at_gradients_keep(g, &err);
        add(2, true, 1);
        at_gradients_clear(g);
    }
    assert_int_equal(at_alloc_count(), before);
}

static void takes_parameters_that_came_later(void **state)
{
    at_parameter *p;
    (void)state;
    add(0, true, 1);
    at_gradients_keep(g, &err);
    for (int i = 0; i < 100; i++) {
        char name[] = {'n', (char)('0' + i / 10), (char)('0' + i % 10), 0};
        assert_int_equal(at_params_add(params, name, SHAPE(2), INIT_ZERO, &p, &err), ATTEND_OK);
    }
    const real *part[COUNT + 100] = {0};
    part[COUNT + 99] = array[3];
    assert_int_equal(at_gradients_add_arrays(g, part, 1, &err), ATTEND_OK);
    assert_int_equal(at_gradients_keep(g, &err), ATTEND_OK);
    assert_int_equal(at_gradients_count(g), COUNT + 1);
    assert_true(at_gradients_read(g, COUNT + 99, out));
    assert_memory_equal(out, array[3], 2 * sizeof(real));
    memcpy(want, array[0], sizeof want);
    assert_b_is_want();
}

static void leaves_out_frozen_parameters(void **state)
{
    (void)state;
    at_params_at(params, 1)->frozen = true;
    add(0, true, 1);
    assert_int_equal(at_gradients_count(g), 2);
    assert_false(at_gradients_read(g, 1, out));
    at_params_at(params, 1)->frozen = false;
}

static void a_failed_add_leaves_the_sum_as_it_was(void **state)
{
    const real *part[COUNT + 100] = {array[1], array[1], array[1], array[1]};
    at_parameter *p;
    (void)state;
    add(0, true, 1);
    for (int i = 0; i < 100; i++) { /* so many that all memory must grow */
        char name[] = {'n', (char)('0' + i / 10), (char)('0' + i % 10), 0};
        at_params_add(params, name, SHAPE(LARGEST), INIT_ZERO, &p, &err);
    }
    memcpy(want, array[0], sizeof want);
    attend_status status = ATTEND_MEMORY;
    for (long n = 0; status != ATTEND_OK; n++) {
        assert_b_is_want();
        assert_int_equal(at_gradients_count(g), COUNT);
        at_alloc_fail_after(n);
        status = at_gradients_add_arrays(g, part, 1, &err);
        at_alloc_fail_after(-1);
        assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
    }
    for (int i = 0; i < LARGEST; i++)
        want[i] = array[0][i] + array[1][i];
    assert_b_is_want();
    assert_int_equal(at_gradients_count(g), COUNT + 1);
}

/* ---- chunks ----------------------------------------------------------------------------- */

static void mark(void *arg, const at_gradient_chunk *c)
{
    real *seen = arg;
    if (c->number >= 0 && c->number < at_gradients_chunks(g)) /* no assertion in a thread */
        at_gradients_partial(g)[c->number] = (double)c->len;
    for (size_t i = 0; i < c->len; i++)
        seen[(c->index == 0 ? 0 : lengths[0]) + (int)(c->offset + i)] += 1;
}

static void chunks_cover_every_element_once(void **state)
{
    static real seen[LARGEST + 7];
    (void)state;
    add(0, true, 1);
    for (int threads = 1; threads <= 4; threads++) {
        double all = 0;
        memset(seen, 0, sizeof seen);
        attend_set_threads(threads);
        at_gradients_each(g, mark, seen);
        for (int i = 0; i < LARGEST + 7; i++)
            assert_true(seen[i] == 1);
        for (ptrdiff_t i = 0; i < at_gradients_chunks(g); i++)
            all += at_gradients_partial(g)[i];
        assert_true(all == LARGEST + 7);
    }
    attend_set_threads(0);
}

/* ---- tapes ------------------------------------------------------------------------------ */

/* loss = sum of a * array[k], so that array[k] is the gradient of a */
static at_tape *tape_of(at_params *set, int k)
{
    at_tape *t = at_tape_new(set, ATTEND_TRAIN);
    at_tensor *a = at_param(t, at_root(), "a", SHAPE(7), INIT_ZERO);
    at_tensor *loss = at_sum(t, at_multiply(t, a, at_input(t, SHAPE(7), array[k])));
    assert_true(at_backward(t, loss));
    return t;
}

static void adds_the_gradients_of_tapes(void **state)
{
    (void)state;
    at_tape *one = tape_of(params, 0), *two = tape_of(params, 1);
    assert_int_equal(at_gradients_add(g, one, 1, &err), ATTEND_OK);
    assert_int_equal(at_gradients_keep(g, &err), ATTEND_OK);
    at_tape_reset(one);
    assert_int_equal(at_gradients_add(g, two, 1, &err), ATTEND_OK);
    assert_int_equal(at_gradients_count(g), 1);
    at_gradients_read(g, 0, out);
    for (int i = 0; i < 7; i++)
        assert_true(out[i] == array[0][i] + array[1][i]);
    at_tape_free(one);
    at_tape_free(two);
}

static void refuses_a_failed_tape(void **state)
{
    (void)state;
    at_tape *t = tape_of(params, 0);
    at_fail(t, "the %s broke", "cat");
    assert_int_not_equal(at_gradients_add(g, t, 1, &err), ATTEND_OK);
    assert_non_null(strstr(err.message, "the cat broke"));
    assert_int_equal(at_gradients_count(g), 0);
    at_tape_free(t);
}

static void refuses_a_tape_of_other_parameters(void **state)
{
    (void)state;
    at_params *other = at_params_new(2);
    at_tape *t = tape_of(other, 0);
    assert_int_equal(at_gradients_add(g, t, 1, &err), ATTEND_SHAPE);
    at_tape_free(t);
    at_params_free(other);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_set, close_set)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(has_nothing_at_first),
        TEST(lists_only_what_a_gradient_reached),
        TEST(reads_a_lone_gradient_where_it_lies),
        TEST(sums_in_the_order_they_were_added),
        TEST(weighs_and_scales),
        TEST(keeping_after_each_batch_changes_nothing),
        TEST(kept_sums_do_not_need_their_sources),
        TEST(starts_afresh_when_cleared),
        TEST(rounds_of_the_same_size_allocate_nothing),
        TEST(takes_parameters_that_came_later),
        TEST(leaves_out_frozen_parameters),
        TEST(a_failed_add_leaves_the_sum_as_it_was),
        TEST(chunks_cover_every_element_once),
        TEST(adds_the_gradients_of_tapes),
        TEST(refuses_a_failed_tape),
        TEST(refuses_a_tape_of_other_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
