#include "attend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/checksum_list.h"
#include "base/json.h"
#include "base/memory.h"
#include "store/safetensors.h"

static char folder[] = "/tmp/attend-verify-XXXXXX";
static const char *const files[] = {"config.json",
                                    "attend-checksums.txt",
                                    "model.safetensors",
                                    "training/settings.yaml",
                                    "training/attend-checksums.txt",
                                    "training/last.safetensors"};

static const char *path_of(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put(const char *name, const char *text)
{
    FILE *f = fopen(path_of(name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void put_tensors(const char *name)
{
    const real values[] = {1, 2, 3};
    const at_to_store list[] = {at_store_values("a", ATTEND_DTYPE_F32, SHAPE(3), values),
                                at_store_values("b", ATTEND_DTYPE_F16, SHAPE(3), values)};
    assert_int_equal(at_safetensors_save(path_of(name), list, 2, NULL, 0, NULL), ATTEND_OK);
}

static int enter(void **state)
{
    (void)state;
    at_json_start();
    if (!mkdtemp(folder) || mkdir(path_of("training"), 0777) < 0)
        return -1;
    put("config.json", "{}");
    put("training/settings.yaml", "lr: 1");
    put_tensors("model.safetensors");
    put_tensors("training/last.safetensors");
    at_checksum_list_save(folder, (const char *const[]){"config.json", NULL}, NULL);
    at_checksum_list_save(path_of("training"), (const char *const[]){"settings.yaml", NULL}, NULL);
    return 0;
}

static int leave(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(path_of(files[i]));
    return rmdir(path_of("training")) || rmdir(folder);
}

typedef struct {
    int intact, none, faults;
} counted;

static attend_status count(void *user, const attend_verified *found, attend_error *err)
{
    (void)err;
    counted *c = user;
    *(found->fault ? &c->faults : found->checksums ? &c->intact : &c->none) += 1;
    return ATTEND_OK;
}

static void everything_is_verified(void **state)
{
    (void)state;
    attend_error err;
    counted c = {0};
    assert_int_equal(attend_verify(folder, count, &c, &err), ATTEND_OK);
    assert_true(c.intact == 4 && c.none == 0 && c.faults == 0);
    put("config.json", "[]");
    put("training/settings.yaml", "lr: 2");
    c = (counted){0};
    assert_int_equal(attend_verify(folder, count, &c, &err), ATTEND_FORMAT);
    assert_true(c.intact == 2 && c.none == 0 && c.faults == 2);
    assert_non_null(strstr(err.message, "config.json: does not match its checksum"));
    assert_int_equal(attend_verify(folder, NULL, NULL, NULL), ATTEND_FORMAT);
    assert_int_equal(attend_checksums_update(folder, &err), ATTEND_OK);
    assert_int_equal(attend_verify(folder, NULL, NULL, &err), ATTEND_OK);
}

static void each_damaged_tensor_is_a_fault(void **state)
{
    (void)state;
    attend_error err;
    counted c = {0};
    FILE *f = fopen(path_of("model.safetensors"), "r+b");
    for (long i = -1; i >= -7; i -= 6) {
        fseek(f, i, SEEK_END);
        fputc(0x55, f);
    }
    fclose(f);
    assert_int_equal(attend_verify(path_of("model.safetensors"), count, &c, &err), ATTEND_FORMAT);
    assert_true(c.intact == 0 && c.faults == 2);
    put_tensors("model.safetensors");
    assert_int_equal(attend_verify(path_of("model.safetensors"), NULL, NULL, &err), ATTEND_OK);
}

static void what_is_no_model_is_refused(void **state)
{
    (void)state;
    attend_error err;
    assert_int_equal(attend_verify("/nowhere", NULL, NULL, &err), ATTEND_FILE);
    assert_int_equal(attend_verify("/proc/self/fd", NULL, NULL, &err), ATTEND_FORMAT);
    assert_non_null(strstr(err.message, "has neither weights nor checksums"));
    assert_int_equal(attend_checksums_update(path_of("config.json"), &err), ATTEND_OPTION);
}

static void every_allocation_may_fail_in_verifying(void **state)
{
    (void)state;
    attend_error err;
    long live = at_alloc_live(), n = 0;
    for (;; n++) {
        at_alloc_fail_after(n);
        attend_status status = attend_verify(folder, NULL, NULL, &err);
        at_alloc_fail_after(-1);
        assert_int_equal(at_alloc_live(), live);
        if (status >= 0)
            break;
        assert_int_equal(status, ATTEND_MEMORY);
    }
    assert_true(n > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_verified),
        cmocka_unit_test(each_damaged_tensor_is_a_fault),
        cmocka_unit_test(what_is_no_model_is_refused),
        cmocka_unit_test(every_allocation_may_fail_in_verifying),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
