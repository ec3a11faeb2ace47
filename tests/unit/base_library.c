#include "base/library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct {
    __typeof__(strlen) *length;
    __typeof__(strcmp) *compare;
} functions;

static void loads_functions_by_name_and_only_once(void **state)
{
    (void)state;
    static const char *const names[] = {"strlen", "strcmp", NULL};
    at_library l = {"libc.so.6", "libc6", names, &functions, false};
    attend_error err;
    assert_int_equal(at_library_load(&l, &err), ATTEND_OK);
    assert_true(l.loaded);
    assert_int_equal(functions.length("four"), 4);
    assert_int_equal(functions.compare("a", "a"), 0);
    functions.length = NULL;
    assert_int_equal(at_library_load(&l, &err), ATTEND_OK);
    assert_null(functions.length); /* it was filled already */
}

static void says_what_to_install_for_a_missing_library(void **state)
{
    (void)state;
    static const char *const names[] = {"strlen", NULL};
    at_library l = {"libattend-nowhere.so.1", "nowhere1", names, &functions, false};
    attend_error err;
    assert_int_equal(at_library_load(&l, &err), ATTEND_FILE);
    assert_non_null(strstr(err.message, "libattend-nowhere.so.1 is needed"));
    assert_non_null(strstr(err.message, "apt install nowhere1"));
    assert_int_equal(at_library_load(&l, NULL), ATTEND_FILE);
}

static void names_a_function_that_is_missing(void **state)
{
    (void)state;
    static const char *const names[] = {"strlen", "attend_no_such_function", NULL};
    at_library l = {"libc.so.6", "libc6", names, &functions, false};
    attend_error err;
    assert_int_equal(at_library_load(&l, &err), ATTEND_FILE);
    assert_false(l.loaded);
    assert_string_equal(err.message,
                        "libc.so.6: has no attend_no_such_function; install a newer libc6");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_functions_by_name_and_only_once),
        cmocka_unit_test(says_what_to_install_for_a_missing_library),
        cmocka_unit_test(names_a_function_that_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
