#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attend.h"

static void every_kind_has_entries_with_name_and_formula(void **state)
{
    (void)state;
    attend_entry kind, entry;
    int kinds = 0;
    for (; attend_list("kinds", kinds, &kind); kinds++) {
        int entries = 0;
        for (; attend_list(kind.name, entries, &entry); entries++) {
            assert_true(entry.name && *entry.name);
            assert_true(entry.formula && *entry.formula);
        }
        assert_true(entries > 0);
    }
    assert_true(kinds >= 3);
}

static void names_are_used_once_in_a_list(void **state)
{
    (void)state;
    attend_entry kind, one, other;
    for (int k = 0; attend_list("kinds", k, &kind); k++)
        for (int i = 0; attend_list(kind.name, i, &one); i++)
            for (int j = 0; j < i && attend_list(kind.name, j, &other); j++)
                assert_string_not_equal(one.name, other.name);
}

static void what_is_not_there_is_not_found(void **state)
{
    (void)state;
    attend_entry entry = {.name = "untouched"};
    assert_int_equal(attend_list("nothing", 0, &entry), 0);
    assert_int_equal(attend_list("ops", -1, &entry), 0);
    assert_int_equal(attend_list("ops", 1000000, &entry), 0);
    assert_int_equal(attend_list("kinds", 1000000, &entry), 0);
    assert_int_equal(attend_list(NULL, 0, &entry), 0);
    assert_int_equal(attend_list("ops", 0, NULL), 0);
    assert_string_equal(entry.name, "untouched");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_entries_with_name_and_formula),
        cmocka_unit_test(names_are_used_once_in_a_list),
        cmocka_unit_test(what_is_not_there_is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
