/* Rows of attention: their mean, and what is refused. */
#include "draw/attention_map.h"

#include <math.h>

#include "draw_help.h"

static const double first[] = {0.5, 0.5}, second[] = {1, 0}, causal[] = {0.25};
static const char *const labels[] = {"a", "b"};
static const attend_attention_row rows[] = {
    {ATTEND_ATTENTION_CROSS, 3, 1, 0, 2, first},    {ATTEND_ATTENTION_CROSS, 3, 5, 0, 2, second},
    {ATTEND_ATTENTION_CROSS, 0, 1, 1, 1, causal},   {ATTEND_ATTENTION_ENCODER, 0, 0, 0, 2, second},
    {ATTEND_ATTENTION_DECODER, 9, 9, 9, 9, second},
};
static const attend_attention_map map = {.kind = ATTEND_ATTENTION_CROSS,
                                         .queries = 2,
                                         .keys = 2,
                                         .query_labels = labels,
                                         .key_labels = labels,
                                         .row_count = 5,
                                         .rows = rows};

static void the_mean_is_over_layers_and_heads_that_have_a_weight(void **state)
{
    (void)state;
    double w[4];
    assert_int_equal(at_attention_mean(&map, w, NULL), ATTEND_OK);
    assert_true(w[0] == 0.75 && w[1] == 0.25 && w[2] == 0.25 && isnan(w[3]));
    attend_attention_map encoder = map;
    encoder.kind = ATTEND_ATTENTION_ENCODER;
    assert_int_equal(at_attention_mean(&encoder, w, NULL), ATTEND_OK);
    assert_true(w[0] == 1 && w[1] == 0 && isnan(w[2]) && isnan(w[3]));
}

static void the_index_has_the_numbers_that_occur(void **state)
{
    (void)state;
    at_attention_index a;
    assert_true(at_attention_index_new(&a, &map));
    assert_int_equal(a.layers, 2);
    assert_int_equal(a.heads, 2);
    assert_true(a.layer[0] == 0 && a.layer[1] == 3 && a.head[0] == 1 && a.head[1] == 5);
    assert_true(at_attention_weight(&a, 1, 1, 0, 0) == 1);
    assert_true(isnan(at_attention_weight(&a, 0, 1, 0, 0)));
    assert_true(at_attention_over_layers(&a, 0, 1, 0) == 0.25);
    at_attention_index_free(&a);
}

static void check_bad(attend_attention_map m, const char *part)
{
    double w[4];
    attend_error err;
    assert_int_equal(at_attention_mean(&m, w, &err), ATTEND_OPTION);
    if (!strstr(err.message, part))
        fail_msg("%s", err.message);
}

static void refuses_what_does_not_fit(void **state)
{
    (void)state;
    attend_attention_map m = map;
    m.queries = 0;
    check_bad(m, "0 queries and 2 keys; both can be 1 to 4096");
    m = map;
    m.kind = ATTEND_ATTENTION_CONTENT;
    check_bad(m, "none of the 5 rows is of the kind");
    m.kind = ATTEND_ATTENTION_DECODER;
    check_bad(m, "row 4 has query 9 and 9 keys");
    m = map;
    m.key_labels = NULL;
    check_bad(m, "are NULL");
    attend_attention_row far = rows[0];
    far.layer = 1 << 20;
    m = map;
    m.rows = &far;
    m.row_count = 1;
    check_bad(m, "layer 1048576 and head 1; both can be 0 to 1023");
}

static void fails_without_memory(void **state)
{
    (void)state;
    double w[4];
    long n = 0, live = at_alloc_live();
    attend_status status = ATTEND_MEMORY;
    for (; status != ATTEND_OK; n++) {
        at_alloc_fail_after(n);
        status = at_attention_mean(&map, w, NULL);
        at_alloc_fail_after(-1);
        assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
        assert_int_equal(at_alloc_live(), live);
    }
    assert_int_equal(n, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mean_is_over_layers_and_heads_that_have_a_weight),
        cmocka_unit_test(the_index_has_the_numbers_that_occur),
        cmocka_unit_test(refuses_what_does_not_fit),
        cmocka_unit_test(fails_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
