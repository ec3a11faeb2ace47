#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "attend.h"

static const double weights[] = {1, 0, 0.25, 0.75};
static const attend_heat_map map = {.rows = 2, .columns = 2, .weights = weights, .hide_scale = 1};

static void text_is_plain_utf8_unless_told_otherwise(void **state)
{
    (void)state;
    char *text;
    attend_error err;
    assert_int_equal(attend_heat_map_text(&map, NULL, &text, &err), ATTEND_OK);
    assert_string_equal(text, "   0 ██·\n   1 ░░▓▓\n     0 1\n");
    attend_free(text);
    attend_free(NULL);
    attend_heat_map none = {.rows = 0};
    assert_int_equal(attend_heat_map_text(&none, NULL, &text, &err), ATTEND_OPTION);
    assert_null(text);
}

static void a_figure_is_written_and_bad_names_are_known_before(void **state)
{
    (void)state;
    char path[100];
    attend_error err;
    attend_panel panel = {.heat_map = &map};
    attend_figure figure = {.count = 1, .panels = &panel};
    snprintf(path, sizeof path, "/tmp/attend-api-draw-%ld.svg", (long)getpid());
    assert_int_equal(attend_figure_check_path(path, &err), ATTEND_OK);
    assert_int_equal(attend_figure_save(&figure, path, &err), ATTEND_OK);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(attend_figure_check_path("figure.gif", &err), ATTEND_OPTION);
    assert_string_equal(err.message, "figure.gif: a figure's name ends in .png, .svg or .pdf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_plain_utf8_unless_told_otherwise),
        cmocka_unit_test(a_figure_is_written_and_bad_names_are_known_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
