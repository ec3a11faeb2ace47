/* The head view: its lines, its size, odd labels, many tokens. */
#include "draw_help.h"

/* curves are the only paths with a curve and a stroke */
static int curves(const attend_attention_map *m)
{
    size_t size;
    attend_panel p = {.heads = m};
    save(&p, "f.svg");
    char *bytes = bytes_of(file_named("f.svg"), &size);
    int n = count_of(bytes, "fill=\"none\"") + count_of(bytes, "fill:none");
    at_free(bytes);
    return n;
}

static void a_line_for_each_weight_that_can_be_seen(void **state)
{
    (void)state;
    attend_attention_map m = attention(3, 1, 1, 0);
    int one = curves(&m);
    m = attention(3, 1, 2, 0);
    assert_int_equal(curves(&m) - one, 9);
    m = attention(3, 1, 2, 1);
    assert_int_equal(curves(&m) - one, 3);
    m = attention(3, 4, 2, 0); /* layers are averaged */
    assert_int_equal(curves(&m) - one, 9);
    weights_made[2] = 0.004;
    assert_int_equal(curves(&m) - one, 3);
}

static void grows_with_tokens_up_to_a_side(void **state)
{
    (void)state;
    int few[2], some[2], many[2];
    attend_attention_map m = attention(3, 1, 4, 0);
    attend_panel p = {.heads = &m};
    sides(&p, few);
    m = attention(40, 1, 4, 0);
    sides(&p, some);
    assert_true(some[1] > 5 * few[1] && some[1] < 15 * few[1]);
    m = attention(120, 1, 1, 1);
    for (int i = 3; i < 120; i++)
        weights_made[i] = 0;
    sides(&p, many);
    assert_true(many[1] > some[1] && many[1] < 5000);
}

static void titles_and_a_legend_take_room(void **state)
{
    (void)state;
    int plain[2], titled[2], one[2];
    attend_attention_map m = attention(5, 1, 8, 0);
    attend_panel p = {.heads = &m};
    sides(&p, plain);
    m.title = "a title";
    m.query_title = "queries";
    sides(&p, titled);
    assert_true(titled[1] > plain[1] + 30);
    m = attention(5, 1, 1, 0);
    sides(&p, one);
    assert_true(one[1] < plain[1]);
}

static void refuses_and_starves_cleanly(void **state)
{
    (void)state;
    attend_attention_map m = attention(4, 2, 3, 1);
    attend_panel p = {.heads = &m};
    check_starved(&p);
    save(&p, "f.pdf");
    p.grid = &m;
    check_refused(&p, "panel 1 must have one drawing");
    p.grid = NULL;
    m.keys = 3;
    check_refused(&p, "the map has 4 queries and 3 keys");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_for_each_weight_that_can_be_seen),
        cmocka_unit_test(grows_with_tokens_up_to_a_side),
        cmocka_unit_test(titles_and_a_legend_take_room),
        cmocka_unit_test(refuses_and_starves_cleanly),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
