#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "draw/figure.h"

static const double weights[] = {1, 0.1, 0, 0, 0.6, 0.4, 0, 0.2, 0.9};
static const char *const source[] = {"il", "fait", "froid"};
static const char *const target[] = {"it", "was", "cold"};
static const attend_heat_map alignment = {.rows = 3,
                                          .columns = 3,
                                          .weights = weights,
                                          .row_labels = target,
                                          .column_labels = source,
                                          .high = 1,
                                          .hide_scale = 1};
static const attend_text_style plain = {.columns = 80, .utf8 = 1};

static char *text_of(const attend_heat_map *map, attend_text_style style)
{
    at_str out = {0};
    attend_error err;
    if (at_heat_map_text(&out, map, style, &err) < 0)
        fail_msg("%s", err.message);
    return at_str_take(&out);
}

static void check_text(const attend_heat_map *map, attend_text_style style, const char *expected)
{
    char *text = text_of(map, style);
    assert_string_equal(text, expected);
    at_free(text);
}

static void shows_an_alignment(void **state)
{
    (void)state;
    check_text(&alignment, plain,
               "     ┌ il\n"
               "     │ ┌ fait\n"
               "     │ │ ┌ froid\n"
               "  it ██░░·\n"
               " was · ▓▓▒▒\n"
               "cold · ░░██\n");
}

static void writes_ascii_where_there_is_no_more(void **state)
{
    (void)state;
    attend_heat_map map = alignment;
    const char *const wide[] = {"il", "très", "中文"};
    map.column_labels = wide;
    map.hide_scale = 0;
    check_text(&map, (attend_text_style){.columns = 80},
               "     , il\n"
               "     | , tr?s\n"
               "     | | , ??\n"
               "  it ##::.\n"
               " was . **++\n"
               "cold . ::##\n"
               "     . 0  :: 0.06  ++ 0.3  ** 0.55  ## 0.8\n");
}

static void marks_cells_and_leaves_blank_what_is_no_number(void **state)
{
    (void)state;
    static const double few[] = {1, NAN, 0.5, 0};
    static const unsigned char marks[] = {1, 0, 0, 1};
    attend_heat_map map = {.rows = 2,
                           .columns = 2,
                           .weights = few,
                           .row_labels = target,
                           .column_labels = source,
                           .marks = marks,
                           .title = "a title",
                           .column_title = "source",
                           .hide_scale = 1};
    check_text(&map, plain,
               "a title\n"
               "source\n"
               "     ┌ il\n"
               "     │ ┌ fait\n"
               "  it █◆\n"
               " was ▒▒·◆\n");
}

static void numbers_its_axes_without_labels(void **state)
{
    (void)state;
    double one[7 * 11];
    for (int i = 0; i < 7 * 11; i++)
        one[i] = i / 11 == i % 11;
    attend_heat_map map = {.rows = 7,
                           .columns = 11,
                           .weights = one,
                           .column_range = {0, 5},
                           .column_title = "key x",
                           .hide_scale = 1};
    check_text(&map, plain,
               "   0 ██· · · · · · · · · ·\n"
               "     · ██· · · · · · · · ·\n"
               "     · · ██· · · · · · · ·\n"
               "     · · · ██· · · · · · ·\n"
               "     · · · · ██· · · · · ·\n"
               "   5 · · · · · ██· · · · ·\n"
               "     · · · · · · ██· · · ·\n"
               "     0                   5\n"
               "     key x\n");
}

static int widest_line(const char *text)
{
    int most = 0;
    for (const char *p = text; *p;) {
        size_t length = strcspn(p, "\n");
        char *line = strndup(p, length);
        int columns = at_str_columns(line);
        free(line);
        most = columns > most ? columns : most;
        p += length + (p[length] == '\n');
    }
    return most;
}

static void fits_the_terminal_whatever_the_map(void **state)
{
    (void)state;
    enum { MOST = 150 };
    static double all[MOST * MOST];
    const char *words[MOST];
    for (int i = 0; i < MOST * MOST; i++)
        all[i] = i % 97 / 96.0;
    for (int i = 0; i < MOST; i++)
        words[i] = i % 3 ? "注意力机制的历史与未来以及更多" : "internationalisation of words";
    for (int size = 1; size <= MOST; size += 1 + size / 2)
        for (int columns = 30; columns <= 120; columns += 7)
            for (int kind = 0; kind < 4; kind++) {
                attend_heat_map map = {.rows = size, .columns = size, .weights = all};
                map.row_labels = kind & 1 ? words : NULL;
                map.column_labels = kind & 2 ? words : NULL;
                char *text = text_of(&map, (attend_text_style){.columns = columns, .utf8 = 1});
                if (widest_line(text) > columns)
                    fail_msg("%d columns, size %d, kind %d: %d\n%s", columns, size, kind,
                             widest_line(text), text);
                at_free(text);
            }
}

static void says_when_cells_share_weights(void **state)
{
    (void)state;
    enum { N = 100 };
    static double all[N * N];
    all[57 * N + 91] = 1;
    attend_heat_map map = {.rows = N, .columns = N, .weights = all};
    char *text = text_of(&map, plain);
    assert_non_null(strstr(text, "100 by 100 weights; a cell shows the largest of its share"));
    assert_non_null(strstr(text, "█")); /* a single weight is not lost */
    at_free(text);
}

static void continues_below_what_does_not_fit(void **state)
{
    (void)state;
    enum { N = 40 };
    static double all[N * N];
    const char *words[N];
    for (int i = 0; i < N; i++)
        words[i] = i == 39 ? "last" : "word";
    attend_heat_map map = {
        .rows = N, .columns = N, .weights = all, .row_labels = words, .column_labels = words};
    char *text = text_of(&map, plain);
    assert_non_null(strstr(text, "\n\n     ┌ word"));
    assert_non_null(strstr(text, "┌ last\n"));
    at_free(text);
}

static void colours_cells_when_asked(void **state)
{
    (void)state;
    char *text = text_of(&alignment, (attend_text_style){.columns = 80, .utf8 = 1, .color = 1});
    assert_non_null(strstr(text, "\x1b[48;5;231;38;5;16m  \x1b[0m"));
    assert_null(strstr(text, "█"));
    at_free(text);
}

static void nothing_from_a_label_steers_the_terminal(void **state)
{
    (void)state;
    attend_heat_map map = alignment;
    const char *const nasty[] = {"\x1b[31mred", "a\nb", "\xFF\xFE"};
    map.row_labels = map.column_labels = nasty;
    char *text = text_of(&map, plain);
    assert_null(strchr(text, '\x1b'));
    assert_null(strchr(text, '\xFF'));
    assert_int_equal(widest_line(text) > 80, 0);
    at_free(text);
}

static void check_refused(attend_heat_map map, const char *part)
{
    at_str out = {0};
    attend_error err;
    assert_int_equal(at_heat_map_text(&out, &map, plain, &err), ATTEND_OPTION);
    assert_non_null(strstr(err.message, part));
    at_str_free(&out);
}

static void refuses_maps_that_make_no_sense(void **state)
{
    (void)state;
    attend_heat_map map = alignment;
    map.rows = 0, check_refused(map, "0 rows"), map = alignment;
    map.columns = 1 << 20, check_refused(map, "1048576 columns"), map = alignment;
    map.weights = NULL, check_refused(map, "of weights"), map = alignment;
    map.low = 2, check_refused(map, "a scale from 2 to 1"), map = alignment;
    map.digits = 9, check_refused(map, "at most 6"), map = alignment;
    map.row_range[1] = NAN, check_refused(map, "not finite");
}

static void reports_memory_that_runs_out(void **state)
{
    (void)state;
    attend_status status = ATTEND_MEMORY;
    long n = 0, live = at_alloc_live();
    for (; status != ATTEND_OK; n++) {
        at_str out = {0};
        at_alloc_fail_after(n);
        status = at_heat_map_text(&out, &alignment, plain, NULL);
        at_alloc_fail_after(-1);
        at_str_free(&out);
        assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
        assert_int_equal(at_alloc_live(), live);
    }
    assert_true(n > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_an_alignment),
        cmocka_unit_test(writes_ascii_where_there_is_no_more),
        cmocka_unit_test(marks_cells_and_leaves_blank_what_is_no_number),
        cmocka_unit_test(numbers_its_axes_without_labels),
        cmocka_unit_test(fits_the_terminal_whatever_the_map),
        cmocka_unit_test(says_when_cells_share_weights),
        cmocka_unit_test(continues_below_what_does_not_fit),
        cmocka_unit_test(colours_cells_when_asked),
        cmocka_unit_test(nothing_from_a_label_steers_the_terminal),
        cmocka_unit_test(refuses_maps_that_make_no_sense),
        cmocka_unit_test(reports_memory_that_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
