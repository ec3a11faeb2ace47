/* Fitted curves as models: opened by at_model_open, saved byte for byte, refused elsewhere. */
#include "store/pooling_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "model_fixtures.h"
#include "models/pooling.h"
#include "store/model_folder.h"

static const char earlier[] = "tests/fixtures/models-0.1/pooling/pooling.safetensors";

static at_model *open_earlier(void)
{
    attend_error err;
    at_model *m;
    if (at_model_open(earlier, &m, &err) < 0)
        fail_msg("%s", err.message);
    return m;
}

static void a_file_of_an_earlier_version_is_a_model_that_regresses(void **state)
{
    (void)state;
    at_model *m = open_earlier();
    const at_pooling *p = m->net;
    assert_ptr_equal(m->kind, &at_model_pooling);
    assert_int_equal(m->kind->can, ATTEND_CAN_REGRESS);
    assert_int_equal(p->rows, 6);
    assert_int_equal(p->columns, 1);
    assert_true(p->settings->learned && p->settings->each && p->settings->width == 1);
    assert_string_equal(p->settings->kernel->about.name, "gaussian");
    assert_string_equal(p->names[0], "x");
    assert_string_equal(p->names[1], "y");
    assert_true(p->weight[0] > 0);
    assert_int_equal(at_params_count(m->params), 1);
    at_model_free(m);
}

static void a_model_is_saved_as_it_was(void **state)
{
    (void)state;
    char path[] = "/tmp/attend-pooling-XXXXXX", *a, *b;
    size_t a_size, b_size;
    attend_error err;
    at_model *m = open_earlier();
    close(mkstemp(path));
    assert_int_equal(at_model_save(m, path, &err), ATTEND_OK);
    assert_int_equal(at_file_read(earlier, 1 << 20, &a, &a_size, &err), ATTEND_OK);
    assert_int_equal(at_file_read(path, 1 << 20, &b, &b_size, &err), ATTEND_OK);
    const at_pooling *p = m->net;
    size_t numbers = (size_t)(p->rows * 2 + 1) * sizeof(double); /* at the end; the header differs
                                                                    by its checksum */
    assert_memory_equal(a + a_size - numbers, b + b_size - numbers, numbers);
    at_model *again;
    assert_int_equal(at_model_open(path, &again, &err), ATTEND_OK);
    assert_memory_equal(again->settings, m->settings, sizeof *p->settings);
    at_model_free(again);
    at_model_free(m);
    at_free(a);
    at_free(b);
    unlink(path);
}

static void weights_of_a_folder_are_not_a_model(void **state)
{
    (void)state;
    attend_error err;
    at_model *m;
    char *path = at_file_join(fixture("copy"), "model.safetensors");
    assert_false(at_pooling_file_is(path));
    assert_false(at_pooling_file_is(fixture("copy")));
    assert_int_equal(at_model_open(path, &m, &err), ATTEND_OPTION);
    assert_non_null(strstr(err.message, "is a file; a model is the whole folder"));
    at_free(path);
}

static void names_must_be_utf8(void **state)
{
    (void)state;
    attend_error err;
    at_model *m = open_earlier();
    const at_pooling *p = m->net;
    assert_int_equal(at_pooling_set_names(m, (const char *const[]){"a", "\xff"}, &err),
                     ATTEND_OPTION);
    assert_string_equal(p->names[0], "x");
    assert_int_equal(at_pooling_set_names(m, (const char *const[]){"a", "b"}, &err), ATTEND_OK);
    assert_string_equal(p->names[1], "b");
    at_model_free(m);
}

static void without_memory_nothing_is_left(void **state)
{
    (void)state;
    at_model_free(open_earlier());
    long live = at_alloc_live(), n = 0;
    for (attend_status status = ATTEND_MEMORY; status != ATTEND_OK; n++) {
        at_model *m;
        attend_error err;
        at_alloc_fail_after(n);
        status = at_pooling_file_open(earlier, &m, &err);
        at_alloc_fail_after(-1);
        at_model_free(m);
        assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
        assert_int_equal(at_alloc_live(), live);
    }
    assert_true(n > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_an_earlier_version_is_a_model_that_regresses),
        cmocka_unit_test(a_model_is_saved_as_it_was),
        cmocka_unit_test(weights_of_a_folder_are_not_a_model),
        cmocka_unit_test(names_must_be_utf8),
        cmocka_unit_test(without_memory_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
