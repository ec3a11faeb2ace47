/* Animations: well-formed whatever the labels, a frame for each row, nothing half written. */
#include <ctype.h>
#include <errno.h>
#include <math.h>

#include "draw_help.h"

static const double weights[] = {0.9, 0.1, 0, NAN, 0.5, 0.5, 1, -1, INFINITY, 0, 0, 0};
static const attend_heat_map map = {.rows = 4,
                                    .columns = 3,
                                    .weights = weights,
                                    .row_labels = odd_labels,
                                    .column_labels = odd_labels + 3,
                                    .high = 1};

static char *animate(const attend_heat_map *m)
{
    size_t size;
    attend_error err;
    if (at_animation_save(m, file_named("f.svg"), &err) < 0)
        fail_msg("%s", err.message);
    return bytes_of(file_named("f.svg"), &size);
}

/* Are all tags closed, in order, and & and < only where XML has them? */
static void check_well_formed(const char *at)
{
    char open[64][32];
    int depth = 0;
    for (; *at; at++) {
        assert_true((unsigned char)*at >= ' ' || *at == '\n');
        if (*at == '&')
            assert_true(!strncmp(at, "&amp;", 5) || !strncmp(at, "&lt;", 4)
                        || !strncmp(at, "&gt;", 4));
        if (*at != '<')
            continue;
        const char *end = strchr(at, '>');
        assert_non_null(end);
        if (at[1] == '/') {
            assert_true(depth > 0 && !strncmp(open[depth - 1], at + 2, strlen(open[depth - 1])));
            depth--;
        } else if (at[1] != '?' && end[-1] != '/') {
            size_t n = 0;
            assert_true(depth < 64);
            while (n < 31 && isalpha((unsigned char)at[1 + n]))
                n++;
            assert_true(n > 0);
            memcpy(open[depth], at + 1, n);
            open[depth++][n] = '\0';
        }
        at = end;
    }
    assert_int_equal(depth, 0);
}

static void has_text_and_a_frame_for_each_row(void **state)
{
    (void)state;
    char *svg = animate(&map);
    check_well_formed(svg);
    assert_int_equal(count_of(svg, "class=\"frame\""), 4);
    assert_int_equal(count_of(svg, "class=\"past\""), 4);
    assert_non_null(strstr(svg, "&lt;b&gt;&amp;amp;\"'</text>"));
    assert_non_null(strstr(svg, "我们</text>"));
    assert_non_null(strstr(svg, "שלום</text>"));
    assert_non_null(strstr(svg, "prefers-reduced-motion"));
    assert_int_equal(count_of(svg, "rx=\"4\""), 5); /* weights that can be seen */
    at_free(svg);
    attend_heat_map bar = map;
    bar.column_labels = NULL;
    svg = animate(&bar);
    check_well_formed(svg);
    assert_int_equal(count_of(svg, "rx=\"4\""), 0);
    at_free(svg);
}

static void long_texts_continue_on_the_next_line(void **state)
{
    (void)state;
    double width, height;
    attend_heat_map m = {.rows = 60, .columns = 60, .high = 1};
    double *zeros = at_alloc_zero(60 * 60, sizeof *zeros);
    attention(60, 1, 1, 0); /* labels */
    m.weights = zeros;
    m.row_labels = m.column_labels = labels_made;
    char *svg = animate(&m), *at = strstr(svg, "viewBox=\"0 0 ");
    assert_int_equal(sscanf(at, "viewBox=\"0 0 %lf %lf", &width, &height), 2);
    assert_true(width < 620 && height > 150 && height < 600);
    at_free(svg);
    at_free(zeros);
}

static void refuses_what_cannot_be_animated(void **state)
{
    (void)state;
    attend_error err;
    attend_heat_map m = map;
    assert_int_equal(at_animation_save(&map, file_named("f.png"), &err), ATTEND_OPTION);
    assert_non_null(strstr(err.message, "f.png: an animation's name ends in .svg"));
    m.row_labels = NULL;
    assert_int_equal(at_animation_save(&m, file_named("f.svg"), &err), ATTEND_OPTION);
    assert_non_null(strstr(err.message, "rows must have labels"));
    m = map;
    m.rows = 0;
    assert_int_equal(at_animation_save(&m, file_named("f.svg"), &err), ATTEND_OPTION);
    assert_int_equal(at_animation_save(&map, "/nowhere/f.svg", &err), ATTEND_FILE);
}

static void keeps_the_old_file_when_something_fails(void **state)
{
    (void)state;
    attend_status status = ATTEND_MEMORY;
    long live = at_alloc_live();
    char *old = animate(&map);
    for (long n = 0; status < 0; n++) {
        at_alloc_fail_after(n);
        status = at_animation_save(&map, file_named("f.svg"), NULL);
        at_alloc_fail_after(-1);
        assert_true(status >= 0 || status == ATTEND_MEMORY);
    }
    status = ATTEND_FILE;
    for (long n = 0; status < 0; n++) {
        attend_error err;
        size_t size;
        at_file_fail_after(n, ENOSPC);
        status = at_animation_save(&map, file_named("f.svg"), &err);
        at_file_fail_after(-1, 0);
        char *now = bytes_of(file_named("f.svg"), &size);
        assert_string_equal(old, now);
        at_free(now);
    }
    at_free(old);
    assert_int_equal(at_alloc_live(), live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_text_and_a_frame_for_each_row),
        cmocka_unit_test(long_texts_continue_on_the_next_line),
        cmocka_unit_test(refuses_what_cannot_be_animated),
        cmocka_unit_test(keeps_the_old_file_when_something_fails),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
