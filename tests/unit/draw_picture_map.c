/* Weights over a picture. */
#include "draw_help.h"

static unsigned char rgb[4 * 4 * 3];
static const attend_picture picture = {4, 4, rgb};
static const double numbers[] = {1, 0, 0, 0, 0.25, 0.25, 0.25, 0.25, 0, 0, 0, 1};
static const char *const labels[] = {"a", "red", "circle"};
static const attend_heat_map weights = {
    .rows = 3, .columns = 4, .weights = numbers, .row_labels = labels, .high = 1};

static void a_copy_of_the_picture_for_each_row(void **state)
{
    size_t size;
    int side[2];
    attend_picture_map m = {&picture, 2, 2, &weights};
    attend_panel p = {.picture = &m};
    (void)state;
    save(&p, "f.svg");
    char *bytes = bytes_of(file_named("f.svg"), &size);
    assert_int_equal(count_of(bytes, "<image"), 3);
    at_free(bytes);
    sides(&p, side);
    assert_true(side[0] > 2 * side[1] && side[0] < 2200);
    check_starved(&p);
}

static void what_does_not_fit_is_refused(void **state)
{
    attend_heat_map bare = weights;
    attend_picture none = {0, 4, rgb};
    attend_picture_map m = {&picture, 3, 2, &weights};
    attend_panel p = {.picture = &m};
    (void)state;
    check_refused(&p, "a grid of 2x3 has 6 patches, and the source 4");
    m.rows = 2;
    m.picture = &none;
    check_refused(&p, "there are no pixels");
    m.picture = &picture;
    bare.row_labels = NULL;
    m.weights = &bare;
    check_refused(&p, "must have labels");
    m.weights = NULL;
    check_refused(&p, "has no weights");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_of_the_picture_for_each_row),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
