/* The strip of frames. */
#include "draw_help.h"

static double numbers[MAX_TOKENS * MAX_TOKENS];

static attend_heat_map map_of(int rows, int columns)
{
    attention(rows > columns ? rows : columns, 1, 1, 0); /* labels */
    for (int i = 0; i < rows * columns; i++)
        numbers[i] = i % 7 / 7.0;
    return (attend_heat_map){.rows = rows,
                             .columns = columns,
                             .weights = numbers,
                             .row_labels = labels_made,
                             .column_labels = labels_made,
                             .high = 1};
}

static void frames_fill_lines_of_the_page(void **state)
{
    (void)state;
    int one[2], two[2], many[2];
    attend_heat_map m = map_of(1, 3);
    attend_panel p = {.steps = &m};
    sides(&p, one);
    m = map_of(2, 3);
    sides(&p, two);
    assert_true(two[0] > 1.5 * one[0] && two[1] == one[1]);
    m = map_of(40, 40);
    sides(&p, many);
    assert_true(many[0] < 2200 && many[1] > 10 * one[1]);
}

/* a frame has a border */
static void a_frame_for_each_row(void **state)
{
    (void)state;
    size_t size;
    attend_heat_map m = map_of(5, 4);
    attend_panel p = {.steps = &m};
    m.hide_scale = 1;
    save(&p, "f.svg");
    char *bytes = bytes_of(file_named("f.svg"), &size);
    assert_int_equal(count_of(bytes, "fill=\"none\"") + count_of(bytes, "fill:none"), 5);
    at_free(bytes);
}

static void columns_without_labels_are_a_bar(void **state)
{
    (void)state;
    int side[2];
    attend_heat_map m = map_of(3, 250);
    attend_panel p = {.steps = &m};
    m.column_labels = NULL;
    sides(&p, side);
    assert_true(side[0] < 2200 && side[1] < 800);
    m = map_of(3, 6);
    check_starved(&p);
    m.row_labels = NULL;
    check_refused(&p, "rows must have labels");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_fill_lines_of_the_page),
        cmocka_unit_test(a_frame_for_each_row),
        cmocka_unit_test(columns_without_labels_are_a_bar),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
