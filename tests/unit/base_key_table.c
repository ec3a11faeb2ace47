#include "base/key_table.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/memory.h"

static uint64_t spread(uint64_t i) { return i * UINT64_C(0x9E3779B97F4A7C15); }

static void remembers_the_first(void **state)
{
    (void)state;
    at_key_table s = {0};
    for (uint64_t i = 1; i <= 100000; i++)
        assert_int_equal(at_key_table_find_or_add(&s, spread(i), i), 0);
    for (uint64_t i = 1; i <= 100000; i++)
        assert_int_equal(at_key_table_find_or_add(&s, spread(i), 7), i);
    assert_int_equal(s.count, 100000);
    assert_false(s.full);
    at_key_table_free(&s);
}

static void keys_that_fall_together_are_told_apart(void **state)
{
    (void)state;
    at_key_table s = {0};
    for (uint64_t i = 1; i <= 1000; i++)
        assert_int_equal(at_key_table_find_or_add(&s, i << 40, i), 0);
    for (uint64_t i = 1; i <= 1000; i++)
        assert_int_equal(at_key_table_find_or_add(&s, i << 40, 1), i);
    at_key_table_free(&s);
}

static void memory_is_bounded(void **state)
{
    (void)state;
    at_key_table s = {.limit = 1 << 18};
    for (uint64_t i = 1; i <= 100000; i++)
        at_key_table_find_or_add(&s, spread(i), i);
    assert_true(s.full);
    assert_true(s.slots * 16 <= 1 << 18);
    assert_int_equal(at_key_table_find_or_add(&s, spread(1), 9), 1);
    assert_int_equal(at_key_table_find_or_add(&s, spread(100000), 9), 0);
    at_key_table_free(&s);
}

static void says_how_many_it_remembers(void **state)
{
    (void)state;
    at_key_table s = {.limit = 1 << 18};
    size_t most = at_key_table_capacity(&s);
    for (uint64_t i = 1; i <= most; i++)
        assert_int_equal(at_key_table_find_or_add(&s, spread(i), i), 0);
    assert_false(s.full);
    at_key_table_find_or_add(&s, spread(most + 1), 1);
    assert_true(s.full);
    at_key_table_free(&s);
}

static void runs_on_without_memory(void **state)
{
    (void)state;
    for (int n = 0; n < 4; n++) {
        at_key_table s = {0};
        at_alloc_fail_after(n);
        for (uint64_t i = 1; i <= 5000; i++)
            assert_int_equal(at_key_table_find_or_add(&s, spread(i), i), 0);
        at_alloc_fail_after(-1);
        assert_true(s.full);
        at_key_table_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(remembers_the_first),
        cmocka_unit_test(keys_that_fall_together_are_told_apart),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(says_how_many_it_remembers),
        cmocka_unit_test(runs_on_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
