#include "draw/figure.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"

static char folder[] = "/tmp/attend-draw-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[2][300];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static const double weights[] = {0.7, 0.2, 0.1, 0.1, 0.8, 0.1};
static const char *const source[] = {"我们", "散步", "。"};
static const char *const target[] = {"we", "walked"};
static const attend_heat_map map = {.title = "a map",
                                    .rows = 2,
                                    .columns = 3,
                                    .weights = weights,
                                    .row_labels = target,
                                    .column_labels = source,
                                    .row_title = "target",
                                    .column_title = "source",
                                    .high = 1};
static const double xs[] = {0.1, 1, 2, 3, 40}, ys[] = {3, 1, 4, 1, 5};
static const attend_series series[] = {
    {.name = "points", .style = ATTEND_SERIES_POINTS, .count = 5, .x = xs, .y = ys, .color = -1},
    {.name = "line", .count = 5, .x = xs, .y = ys},
    {.name = "both", .style = ATTEND_SERIES_BOTH, .count = 5, .x = ys, .y = xs},
    {.name = "dashes", .style = ATTEND_SERIES_DASHED, .count = 5, .x = xs, .y = ys},
    {.name = "dots", .style = ATTEND_SERIES_DOTTED, .count = 5, .x = xs, .y = ys},
    {.style = ATTEND_SERIES_RULE, .count = 2, .x = xs}};
static const attend_chart chart = {
    .title = "a chart", .x_title = "x", .y_title = "y", .count = 6, .series = series};

static const attend_panel panels[] = {{.chart = &chart}, {.heat_map = &map}};
static const attend_figure figure = {.title = "both", .count = 2, .panels = panels};

static void save(const attend_figure *f, const char *path)
{
    attend_error err;
    if (at_figure_save(f, path, &err) < 0)
        fail_msg("%s", err.message);
}

static char *bytes_of(const char *path, size_t *size)
{
    char *bytes;
    attend_error err;
    if (at_file_read(path, 1 << 26, &bytes, size, &err) < 0)
        fail_msg("%s", err.message);
    return bytes;
}

static void the_end_of_the_name_says_what_is_written(void **state)
{
    (void)state;
    static const char *const names[] = {"f.png", "f.svg", "f.pdf", "F.PNG"};
    static const char *const starts[] = {"\x89PNG\r\n", "<?xml version", "%PDF-1.", "\x89PNG\r\n"};
    for (int i = 0; i < 4; i++) {
        size_t size;
        save(&figure, in_folder(names[i]));
        char *bytes = bytes_of(in_folder(names[i]), &size);
        assert_true(size > 2000);
        assert_memory_equal(bytes, starts[i], strlen(starts[i]));
        at_free(bytes);
    }
}

static void the_same_figure_gives_the_same_bytes(void **state)
{
    (void)state;
    size_t one, two;
    save(&figure, in_folder("one.png"));
    save(&figure, in_folder("two.png"));
    char *a = bytes_of(in_folder("one.png"), &one), *b = bytes_of(in_folder("two.png"), &two);
    assert_int_equal(one, two);
    assert_memory_equal(a, b, one);
    at_free(a);
    at_free(b);
}

/* width and height, from the header of a PNG */
static void sides(const attend_figure *f, int side[2])
{
    size_t size;
    save(f, in_folder("side.png"));
    char *bytes = bytes_of(in_folder("side.png"), &size);
    const unsigned char *p = (const unsigned char *)bytes + 16;
    for (int i = 0; i < 2; i++, p += 4)
        side[i] = p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
    at_free(bytes);
}

static void resolution_and_panels_make_the_size(void **state)
{
    (void)state;
    int usual[2], fine[2], wide[2], high[2];
    attend_panel four[] = {panels[1], panels[1], panels[1], panels[1]};
    attend_figure f = {.count = 1, .panels = four};
    sides(&f, usual);
    f.resolution = 288;
    sides(&f, fine);
    assert_true(fine[0] == 2 * usual[0] && fine[1] == 2 * usual[1]);
    f = (attend_figure){.count = 4, .panels = four};
    sides(&f, wide);
    assert_true(wide[0] > 3.5 * usual[0] && wide[1] == usual[1]);
    f.across = 1;
    sides(&f, high);
    assert_true(high[1] > 3.5 * usual[1] && high[0] == usual[0]);
    four[0].width = 500;
    sides(&f, wide);
    assert_true(wide[0] > high[0] + 500 && wide[1] == high[1]);
}

static void many_words_make_a_larger_picture(void **state)
{
    (void)state;
    enum { FEW = 60, MANY = 120 };
    static double zeros[MANY * MANY];
    const char *labels[MANY];
    int few[2], many[2];
    for (int i = 0; i < MANY; i++)
        labels[i] = "word";
    attend_heat_map m = {.rows = FEW,
                         .columns = FEW,
                         .weights = zeros,
                         .high = 1,
                         .row_labels = labels,
                         .column_labels = labels};
    attend_panel p = {.heat_map = &m};
    attend_figure f = {.count = 1, .panels = &p};
    sides(&f, few);
    m.rows = m.columns = MANY;
    sides(&f, many);
    assert_true(many[0] > 1.5 * few[0] && many[1] > 1.5 * few[1]);
}

/* characters that were drawn: an SVG file has a use of a glyph for each */
static int characters(const attend_heat_map *m)
{
    attend_panel p = {.heat_map = m};
    size_t size;
    int count = 0;
    save(&(attend_figure){.count = 1, .panels = &p}, in_folder("f.svg"));
    char *bytes = bytes_of(in_folder("f.svg"), &size);
    for (const char *at = bytes; (at = strstr(at, "<use ")); at++)
        count++;
    at_free(bytes);
    return count;
}

static void a_scale_has_two_marks_at_least(void **state)
{
    (void)state;
    static const double low[] = {0, 0.1, 0.2, 0.3, 0.4, 0.47};
    attend_heat_map m = {
        .rows = 2, .columns = 3, .weights = low, .row_labels = target, .column_labels = source};
    int with = characters(&m);
    m.hide_scale = 1;
    assert_true(with - characters(&m) >= 2 * (int)strlen("0.0"));
}

static int warnings;
static char warning[500];

static void count_warnings(void *user, attend_log_level level, const char *message)
{
    (void)user;
    warnings += level == ATTEND_LOG_WARNING;
    snprintf(warning, sizeof warning, "%s", message);
}

static void warns_of_characters_that_no_font_has(void **state)
{
    (void)state;
    const char *const labels[] = {"a", "\xCD\xB8"}; /* U+0378: not assigned */
    attend_heat_map m = map;
    attend_panel p = {.heat_map = &m};
    m.row_labels = labels;
    m.column_labels = target;
    m.columns = 2;
    warnings = 0;
    attend_set_log(count_warnings, NULL);
    save(&(attend_figure){.count = 1, .panels = &p}, in_folder("f.png"));
    m.row_labels = target;
    int after = warnings;
    save(&(attend_figure){.count = 1, .panels = &p}, in_folder("f.png"));
    attend_set_log(NULL, NULL);
    assert_int_equal(after, 1);
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(warning, "no font here has 1 of the characters"));
}

static void draws_what_is_odd(void **state)
{
    (void)state;
    enum { BIG = 150 };
    static double big[BIG * BIG];
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0, 1e300, -1e300};
    const char *const labels[] = {"\xFF\xFE broken", "line\nbreak\x07", NULL};
    attend_heat_map maps[] = {
        {.rows = 1, .columns = 1, .weights = odd},
        {.rows = 2, .columns = 3, .weights = odd, .row_labels = labels, .digits = 2},
        {.rows = 3, .columns = 2, .weights = odd, .row_labels = labels, .row_range = {5, 5}},
        {.rows = BIG, .columns = BIG, .weights = big, .row_range = {9, -9}, .hide_scale = 1},
        {.rows = 1, .columns = BIG * BIG, .weights = big, .low = -1, .high = 1}};
    attend_series odds[] = {{.count = 6, .x = odd, .y = odd, .style = ATTEND_SERIES_BOTH},
                            {.count = 6, .x = odd, .style = ATTEND_SERIES_RULE, .name = ""},
                            {.count = BIG * BIG, .x = big, .y = big, .color = 99}};
    attend_chart charts[] = {{.count = 0},
                             {.count = 3, .series = odds},
                             {.count = 3, .series = odds, .log_x = 1, .log_y = 1},
                             {.count = 2, .series = odds, .x_range = {0, 1}, .y_range = {-1, 1}}};
    attend_panel all[9] = {{.width = 0}};
    for (int i = 0; i < 5; i++)
        all[i].heat_map = &maps[i];
    for (int i = 0; i < 4; i++)
        all[5 + i].chart = &charts[i];
    attend_figure f = {.count = 9, .panels = all, .across = 3};
    save(&f, in_folder("f.png"));
    save(&f, in_folder("f.svg"));
    save(&f, in_folder("f.pdf"));
}

static void check_refused(attend_figure f, const char *name, const char *part)
{
    attend_error err;
    assert_int_equal(at_figure_save(&f, in_folder(name), &err), ATTEND_OPTION);
    if (!strstr(err.message, part))
        fail_msg("%s", err.message);
}

static void refuses_what_cannot_be_drawn(void **state)
{
    (void)state;
    check_refused(figure, "f.jpg", "f.jpg: a figure's name ends in .png, .svg or .pdf");
    check_refused(figure, "f", "a figure's name ends");
    check_refused((attend_figure){.count = 0}, "f.png", "0 panels");
    check_refused((attend_figure){.count = 1, .panels = panels, .resolution = -1}, "f.png",
                  "resolution");
    attend_panel p = {.width = 0};
    attend_figure f = {.count = 1, .panels = &p};
    check_refused(f, "f.png", "panel 1 must have one drawing");
    p = (attend_panel){.heat_map = &map, .chart = &chart};
    check_refused(f, "f.png", "panel 1 must have one drawing");
    p = (attend_panel){.heat_map = &map, .width = 1e9};
    check_refused(f, "f.png", "sides of 0 to 5000");
    attend_heat_map empty = {.rows = 0};
    p = (attend_panel){.heat_map = &empty};
    check_refused(f, "f.png", "0 rows");
    attend_series s = {.count = 3};
    attend_chart c = {.count = 1, .series = &s};
    p = (attend_panel){.chart = &c};
    check_refused(f, "f.png", "series 1 has 3 points, and no numbers");
    s = (attend_series){.style = (attend_series_style)77};
    check_refused(f, "f.png", "unknown style 77");
    c = (attend_chart){.x_range = {2, 1}};
    check_refused(f, "f.png", "a range rises");
    c = (attend_chart){.y_range = {-1, 1}, .log_y = 1};
    check_refused(f, "f.png", "positive on a logarithmic axis");
    p = (attend_panel){.heat_map = &map, .width = 5000};
    f.resolution = 2400;
    check_refused(f, "f.png", "too large");
}

static void keeps_the_old_file_when_the_disk_is_full(void **state)
{
    (void)state;
    attend_status status = ATTEND_FILE;
    size_t before, after;
    save(&figure, in_folder("kept.png"));
    char *old = bytes_of(in_folder("kept.png"), &before);
    for (long n = 0; status < 0; n++) {
        attend_error err;
        at_file_fail_after(n, ENOSPC);
        status = at_figure_save(&figure, in_folder("kept.png"), &err);
        at_file_fail_after(-1, 0);
        char *now = bytes_of(in_folder("kept.png"), &after);
        assert_int_equal(before, after);
        assert_memory_equal(old, now, before);
        assert_true(status >= 0 || status == ATTEND_FILE);
        at_free(now);
    }
    at_free(old);
    attend_error err;
    assert_int_equal(at_figure_save(&figure, "/nowhere/f.png", &err), ATTEND_FILE);
}

static void reports_every_allocation_that_fails(void **state)
{
    (void)state;
    attend_status status = ATTEND_MEMORY;
    long n = 0, live = at_alloc_live();
    for (; status != ATTEND_OK; n++) {
        at_alloc_fail_after(n);
        status = at_figure_save(&figure, in_folder("f.svg"), NULL);
        at_alloc_fail_after(-1);
        assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
        assert_int_equal(at_alloc_live(), live);
    }
    assert_true(n > 3);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"f.png",   "f.svg",   "f.pdf",    "F.PNG",
                                        "one.png", "two.png", "side.png", "kept.png"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(in_folder(names[i]));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_of_the_name_says_what_is_written),
        cmocka_unit_test(the_same_figure_gives_the_same_bytes),
        cmocka_unit_test(resolution_and_panels_make_the_size),
        cmocka_unit_test(many_words_make_a_larger_picture),
        cmocka_unit_test(a_scale_has_two_marks_at_least),
        cmocka_unit_test(warns_of_characters_that_no_font_has),
        cmocka_unit_test(draws_what_is_odd),
        cmocka_unit_test(refuses_what_cannot_be_drawn),
        cmocka_unit_test(keeps_the_old_file_when_the_disk_is_full),
        cmocka_unit_test(reports_every_allocation_that_fails),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
