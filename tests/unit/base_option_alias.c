#include "base/option_alias.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void no_alias_is_there_twice_or_of_itself(void **state)
{
    (void)state;
    for (const at_option_alias *a = at_option_aliases; a->alias; a++) {
        assert_ptr_equal(at_option_alias_find(a->alias, strlen(a->alias)), a);
        assert_string_not_equal(a->alias, a->name);
        assert_true(at_option_alias_same(a->alias, a->name));
        assert_null(at_option_refusal(a->alias));
    }
}

static void finds_values_of_their_option_alone(void **state)
{
    (void)state;
    assert_string_equal(at_option_alias_value("when-long", "refuse"), "error");
    assert_string_equal(at_option_alias_value("level", "refuse"), "refuse");
    assert_string_equal(at_option_alias_of_value("level"), "piece");
    assert_null(at_option_alias_of_value("lr"));
}

static void refuses_other_devices(void **state)
{
    (void)state;
    assert_non_null(at_option_refusal("gpu"));
    assert_null(at_option_refusal("lr"));
    assert_null(at_option_alias_find("learning", strlen("learning")));
    assert_false(at_option_alias_same("beam", "lr"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_alias_is_there_twice_or_of_itself),
        cmocka_unit_test(finds_values_of_their_option_alone),
        cmocka_unit_test(refuses_other_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
