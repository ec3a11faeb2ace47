/* The grid of layers and heads. */
#include "draw_help.h"

static void has_a_map_for_each_layer_and_head(void **state)
{
    (void)state;
    int one[2], wide[2], high[2];
    attend_attention_map m = attention(6, 1, 1, 0);
    attend_panel p = {.grid = &m};
    sides(&p, one);
    m = attention(6, 1, 4, 0);
    sides(&p, wide);
    assert_true(wide[0] > 2 * one[0] && wide[1] == one[1]);
    m = attention(6, 4, 1, 0);
    sides(&p, high);
    assert_true(high[1] > 2 * one[1] && high[0] == one[0]);
}

/* glyphs are drawn for "head 0", "layer 0", the scale and tokens */
static int glyphs(const attend_attention_map *m)
{
    size_t size;
    attend_panel p = {.grid = m};
    save(&p, "f.svg");
    char *bytes = bytes_of(file_named("f.svg"), &size);
    int n = count_of(bytes, "<use ");
    at_free(bytes);
    return n;
}

static void names_tokens_where_they_can_be_read(void **state)
{
    (void)state;
    attend_attention_map m = attention(20, 1, 1, 0);
    int named = glyphs(&m);
    m = attention(40, 1, 1, 0);
    assert_true(named > 100 && glyphs(&m) < 40);
}

static void draws_many_tokens_and_starves_cleanly(void **state)
{
    (void)state;
    attend_attention_map m = attention(MAX_TOKENS, 4, 8, 1);
    attend_panel p = {.grid = &m};
    int side[2];
    sides(&p, side);
    assert_true(side[0] < 3000 && side[1] < 3000);
    m = attention(1, 2, 2, 0);
    check_starved(&p);
    m = attention(70, 1, 2, 0);
    check_starved(&p);
    save(&p, "f.pdf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_a_map_for_each_layer_and_head),
        cmocka_unit_test(names_tokens_where_they_can_be_read),
        cmocka_unit_test(draws_many_tokens_and_starves_cleanly),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
