#include "data/record_store.h"

#include <signal.h>
#include <sys/resource.h>

#include "data_help.h"

/* record i: i % 50 + 1 numbers i */
static attend_status fill(at_record_store *s, uint32_t count, attend_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t record[50];
        for (uint32_t k = 0; k <= i % 50; k++)
            record[k] = i;
        attend_status status = at_record_store_add(s, record, (i % 50 + 1) * sizeof *record, err);
        if (status < 0)
            return status;
    }
    return at_record_store_close(s, err);
}

static void check(const at_record_store *s, uint32_t count)
{
    assert_int_equal(at_record_store_count(s), count);
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t *record = at_record_store_at(s, i);
        assert_int_equal((uintptr_t)record % 8, 0);
        for (uint32_t k = 0; k <= i % 50; k++)
            assert_int_equal(record[k], i);
    }
}

static void finds_records_in_memory_and_on_disk(void **state)
{
    (void)state;
    attend_error err;
    const size_t memory[] = {0, 1 << 20, 4096, 1};
    for (int i = 0; i < 4; i++) {
        at_record_store *s = at_record_store_new(memory[i]);
        assert_non_null(s);
        assert_int_equal(fill(s, 20000, &err), ATTEND_OK);
        check(s, 20000);
        assert_int_equal(at_record_store_on_disk(s), i > 0);
        at_record_store_free(s);
    }
}

static void an_empty_shelf_is_well(void **state)
{
    (void)state;
    attend_error err;
    at_record_store *s = at_record_store_new(0);
    assert_int_equal(at_record_store_close(s, &err), ATTEND_OK);
    assert_int_equal(at_record_store_count(s), 0);
    at_record_store_free(s);
    at_record_store_free(NULL);
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    attend_error err;
    struct rlimit before, small;
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 1 << 20;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    at_record_store *s = at_record_store_new(1000);
    attend_status status = fill(s, 100000, &err);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(status, ATTEND_FILE);
    assert_says(&err, "cannot write a temporary file there");
    at_record_store_free(s);
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    attend_error err;
    char *kept = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    setenv("TMPDIR", "/nowhere/at/all", 1);
    at_record_store *s = at_record_store_new(1000);
    assert_int_equal(fill(s, 1000, &err), ATTEND_FILE);
    assert_says(&err, "/nowhere/at/all: cannot create a temporary file");
    at_record_store_free(s);
    if (kept)
        setenv("TMPDIR", kept, 1);
    else
        unsetenv("TMPDIR");
    free(kept);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    long live = at_alloc_live();
    for (int n = 0;; n++) {
        attend_error err;
        at_alloc_fail_after(n);
        at_record_store *s = at_record_store_new(1 << 16);
        attend_status status = s ? fill(s, 3000, &err) : ATTEND_MEMORY;
        at_alloc_fail_after(-1);
        if (status >= 0)
            check(s, 3000);
        at_record_store_free(s);
        assert_int_equal(at_alloc_live(), live);
        if (status >= 0)
            break;
        assert_int_equal(status, ATTEND_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_records_in_memory_and_on_disk),
        cmocka_unit_test(an_empty_shelf_is_well),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(a_folder_that_is_not_there_is_an_error),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
