/* Weights of the last validations, and their mean. */
#include "train/retained.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "store/average.h"
#include "store/weights.h"

static char folder[] = "/tmp/attend-kept-......";

static int enter(void **state)
{
    (void)state;
    memset(folder + strlen(folder) - 6, 'X', 6); /* as mkdtemp wants it */
    return mkdtemp(folder) ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    at_retained_clear(folder);
    return rmdir(folder); /* nothing else may be in it */
}

/* two parameters, of which one is all value */
static at_params *weights(real value)
{
    at_parameter *p;
    at_params *set = at_params_new(1);
    assert_int_equal(at_params_add(set, "same", SHAPE(2, 3), INIT_ONE, &p, NULL), ATTEND_OK);
    assert_int_equal(at_params_add(set, "moves", SHAPE(4), INIT_CONSTANT(value), &p, NULL),
                     ATTEND_OK);
    return set;
}

static void save(int64_t step, int keep)
{
    at_params *set = weights((real)step);
    attend_error err;
    if (at_retained_save(folder, step, set, keep, &err) < 0)
        fail_msg("%s", err.message);
    at_params_free(set);
}

static void the_last_ones_are_kept(void **state)
{
    (void)state;
    int64_t step[10];
    for (int64_t i = 1; i <= 12; i++)
        save(100 * i, 3);
    assert_int_equal(at_retained_steps(folder, step, 10), 3);
    assert_int_equal(step[0], 1200);
    assert_int_equal(step[2], 1000);
    assert_int_equal(at_retained_steps(folder, step, 2), 2);
    assert_int_equal(step[1], 1100);
}

static void those_a_killed_run_left_behind_go(void **state)
{
    (void)state;
    int64_t step[10];
    save(10, 5);
    save(20, 5);
    save(30, 5);
    save(15, 5);
    assert_int_equal(at_retained_steps(folder, step, 10), 2);
    assert_int_equal(step[0], 15);
    assert_int_equal(step[1], 10);
}

static void other_files_are_left_alone(void **state)
{
    (void)state;
    const char *names[] = {"step-12.safetensors.old", "step-x.safetensors", "step-7.json"};
    int64_t step[10];
    save(1, 1);
    for (int i = 0; i < 3; i++) {
        char *path = at_file_join(folder, names[i]);
        fclose(fopen(path, "w"));
        at_free(path);
    }
    save(2, 1);
    assert_int_equal(at_retained_steps(folder, step, 10), 1);
    for (int i = 0; i < 3; i++) {
        char *path = at_file_join(folder, names[i]);
        assert_int_equal(unlink(path), 0);
        at_free(path);
    }
}

static void their_mean_is_the_mean_of_each_number(void **state)
{
    (void)state;
    attend_error err;
    int64_t step[10];
    at_params *mean = at_params_new(0);
    save(3, 4);
    save(7, 4);
    save(20, 4);
    int count = at_retained_steps(folder, step, 10);
    if (at_retained_average(folder, step, count, mean, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(at_params_count(mean), 2);
    for (int i = 0; i < 4; i++)
        assert_true(at_params_find(mean, "moves")->value[i] == 10);
    for (int i = 0; i < 6; i++)
        assert_true(at_params_find(mean, "same")->value[i] == 1);
    at_params_free(mean);
}

static void weights_of_another_model_have_no_mean(void **state)
{
    (void)state;
    attend_error err;
    at_parameter *p;
    const int64_t step[] = {1, 2};
    save(1, 2);
    for (int kind = 0; kind < 3; kind++) {
        at_params *other = at_params_new(1), *mean = at_params_new(0);
        at_params_add(other, "same", kind == 0 ? SHAPE(3, 2) : SHAPE(2, 3), INIT_ONE, &p, NULL);
        if (kind != 1)
            at_params_add(other, kind == 2 ? "moved" : "moves", SHAPE(4), INIT_ONE, &p, NULL);
        char *path = at_file_join(folder, "step-000002.safetensors");
        assert_int_equal(at_weights_save(path, other, &err), ATTEND_OK);
        assert_int_equal(at_retained_average(folder, step, 2, mean, &err), ATTEND_SHAPE);
        assert_non_null(strstr(err.message, "only weights of one model"));
        at_free(path);
        at_params_free(other);
        at_params_free(mean);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_last_ones_are_kept, enter, leave),
        cmocka_unit_test_setup_teardown(those_a_killed_run_left_behind_go, enter, leave),
        cmocka_unit_test_setup_teardown(other_files_are_left_alone, enter, leave),
        cmocka_unit_test_setup_teardown(their_mean_is_the_mean_of_each_number, enter, leave),
        cmocka_unit_test_setup_teardown(weights_of_another_model_have_no_mean, enter, leave),
    };
    return cmocka_run_group_tests_name("train_retained", tests, NULL, NULL);
}
