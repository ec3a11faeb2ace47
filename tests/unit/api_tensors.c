#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "attend.h"

#include "base/memory.h"

static char folder[] = "/tmp/attend-tensors-XXXXXX", path[100];

static void write_model(void)
{
    static const char header[] =
        "{\"__metadata__\":{\"a\":\"b\"},"
        "\"empty\":{\"dtype\":\"F16\",\"shape\":[0,7],\"data_offsets\":[0,0]},"
        "\"scalar\":{\"dtype\":\"F64\",\"shape\":[],\"data_offsets\":[0,8]},"
        "\"table\":{\"dtype\":\"I32\",\"shape\":[2,1,3],\"data_offsets\":[8,32]}}";
    unsigned char length[8] = {sizeof header - 1};
    char zeros[32] = {0};
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(length, 1, 8, file);
    fwrite(header, 1, sizeof header - 1, file);
    fwrite(zeros, 1, sizeof zeros, file);
    assert_int_equal(fclose(file), 0);
}

static void check_contents(const char *of)
{
    attend_tensors *t;
    attend_tensor_info info;
    attend_error err;
    const char *name, *text;
    size_t seen = 0;
    assert_int_equal(attend_tensors_open(of, &t, &err), ATTEND_OK);
    assert_int_equal(attend_tensors_count(t), 3);
    for (size_t i = 0; attend_tensors_info(t, i, &info); i++) {
        seen++;
        if (strcmp(info.name, "scalar") == 0)
            assert_true(info.rank == 0 && info.count == 1 && info.bytes == 8);
        if (strcmp(info.name, "empty") == 0)
            assert_true(info.rank == 2 && info.shape[1] == 7 && info.count == 0);
        if (strcmp(info.name, "table") == 0) {
            assert_string_equal(info.dtype, "I32");
            assert_true(info.shape[0] == 2 && info.shape[1] == 1 && info.shape[2] == 3);
            assert_true(info.count == 6 && info.bytes == 24);
        }
    }
    assert_int_equal(seen, 3);
    assert_int_equal(attend_tensors_info(t, (size_t)-1, &info), 0);
    assert_int_equal(attend_tensors_note(t, 0, &name, &text), 1);
    assert_string_equal(name, "a");
    assert_string_equal(text, "b");
    assert_int_equal(attend_tensors_note(t, 1, &name, &text), 0);
    attend_tensors_free(t);
}

static void shows_the_tensors_of_a_file_and_of_a_folder(void **state)
{
    (void)state;
    check_contents(path);
    check_contents(folder);
}

static void refuses_what_is_not_there_or_not_a_model(void **state)
{
    (void)state;
    attend_tensors *t;
    attend_error err;
    assert_int_equal(attend_tensors_open("/nowhere", &t, &err), ATTEND_FILE);
    assert_null(t);
    assert_int_equal(attend_tensors_open("/", &t, &err), ATTEND_FILE);
    assert_non_null(strstr(err.message, "model.safetensors"));
    assert_int_equal(attend_tensors_open("/etc/passwd", &t, NULL), ATTEND_FORMAT);
    assert_null(t);
}

static void reports_every_allocation_that_fails(void **state)
{
    (void)state;
    attend_status status = ATTEND_MEMORY;
    long n = 0;
    for (; status != ATTEND_OK; n++) {
        attend_tensors *t;
        at_alloc_fail_after(n);
        status = attend_tensors_open(folder, &t, NULL);
        at_alloc_fail_after(-1);
        attend_tensors_free(t);
        assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
        assert_int_equal(at_alloc_live(), 0);
    }
    assert_true(n > 3);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    write_model();
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return unlink(path) | rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_the_tensors_of_a_file_and_of_a_folder),
        cmocka_unit_test(refuses_what_is_not_there_or_not_a_model),
        cmocka_unit_test(reports_every_allocation_that_fails),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
