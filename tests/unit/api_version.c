#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "attend.h"
#include "base/cpu.h"
#include "base/real.h"

static void version_is_that_of_the_header(void **state)
{
    (void)state;
    char expected[40];
    snprintf(expected, sizeof expected, "%d.%d.%d", ATTEND_VERSION_MAJOR, ATTEND_VERSION_MINOR,
             ATTEND_VERSION_PATCH);
    assert_string_equal(attend_version(), expected);
}

/* the value of a line "name: value", in a buffer */
static const char *value(const char *name)
{
    static char text[1000];
    char start[40];
    snprintf(start, sizeof start, "%s: ", name);
    const char *line = strstr(attend_build_info(), start);
    assert_non_null(line);
    line += strlen(start);
    snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
    return text;
}

static void build_info_has_a_line_for_everything(void **state)
{
    (void)state;
    assert_string_equal(value("version"), attend_version());
    assert_true(*value("compiler"));
    assert_string_equal(value("numbers"), sizeof(real) == 4 ? "float" : "double");
    assert_true(*value("best instructions"));
    assert_non_null(strstr(value("libraries"), "libc.so"));
    const char *info = attend_build_info();
    assert_int_equal(info[strlen(info) - 1], '\n');
    for (; *info; info = strchr(info, '\n') + 1)
        assert_true(strcspn(info, ":") < strcspn(info, "\n"));
}

static void build_info_follows_threads_and_instruction_set(void **state)
{
    (void)state;
    attend_set_threads(3);
    assert_string_equal(value("threads"), "3");
    attend_set_threads(0);
    assert_true(at_cpu_use(ATTEND_ISA_BASE));
    assert_string_equal(value("instructions"), "base");
    assert_true(at_cpu_use(at_cpu_best()));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_is_that_of_the_header),
        cmocka_unit_test(build_info_has_a_line_for_everything),
        cmocka_unit_test(build_info_follows_threads_and_instruction_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
