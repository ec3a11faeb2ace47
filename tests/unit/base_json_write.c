#include "base/json_write.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/memory.h"

static void expect(at_str *out, const char *json)
{
    assert_false(out->failed);
    assert_string_equal(at_str_text(out), json);
    at_str_free(out);
    assert_int_equal(at_alloc_live(), 0);
}

static void separates_members_and_elements_at_every_depth(void **state)
{
    (void)state;
    at_str out = {0};
    at_json_out j = {.out = &out};
    at_json_object(&j, NULL);
    at_json_array(&j, "a");
    at_json_array(&j, NULL);
    at_json_end(&j);
    at_json_object(&j, NULL);
    at_json_end(&j);
    at_json_int(&j, NULL, -7);
    at_json_end(&j);
    at_json_object(&j, "b");
    at_json_bool(&j, "yes", true);
    at_json_bool(&j, "no", false);
    at_json_null(&j, "none");
    at_json_end(&j);
    at_json_raw(&j, NULL, "\"c\": 1", 6);
    at_json_int(&j, "d", 9007199254740993);
    at_json_end(&j);
    expect(&out, "{\"a\": [[], {}, -7], \"b\": {\"yes\": true, \"no\": false, \"none\": null}, "
                 "\"c\": 1, \"d\": 9007199254740993}");
}

static void remembers_sixty_brackets(void **state)
{
    (void)state;
    at_str out = {0};
    at_json_out j = {.out = &out};
    for (int i = 0; i < 30; i++) {
        at_json_array(&j, NULL);
        at_json_object(&j, NULL);
        at_str_add(&out, "\"k\": ");
    }
    at_json_int(&j, NULL, 1);
    for (int i = 0; i < 60; i++)
        at_json_end(&j);
    json_t *json;
    assert_int_equal(at_json_parse("", out.text, out.length, &json, NULL), ATTEND_OK);
    json_decref(json);
    at_str_free(&out);
}

static void escapes_keys_and_strings(void **state)
{
    (void)state;
    at_str out = {0};
    at_json_out j = {.out = &out};
    at_json_object(&j, NULL);
    at_json_string(&j, "\"\\", "a\"b\\c/");
    at_json_string(&j, "\n", "\t\x01\x1f\x7f");
    at_json_bytes(&j, "zero", "a\0b", 3);
    at_json_string(&j, "é", "中😀\xff!");
    at_json_end(&j);
    expect(&out, "{\"\\\"\\\\\": \"a\\\"b\\\\c/\", \"\\u000a\": \"\\u0009\\u0001\\u001f\\u007f\", "
                 "\"zero\": \"a\\u0000b\", \"é\": \"中😀\xEF\xBF\xBD!\"}");
}

static void writes_numbers_that_are_not_finite_as_null(void **state)
{
    (void)state;
    at_str out = {0};
    at_json_out j = {.out = &out};
    at_json_array(&j, NULL);
    at_json_real(&j, NULL, NAN, 0);
    at_json_real(&j, NULL, INFINITY, 3);
    at_json_real(&j, NULL, -INFINITY, 17);
    at_json_real(&j, NULL, 0.1, 0);
    at_json_real(&j, NULL, 2.0 / 3, 3);
    at_json_real(&j, NULL, 0.1, 17);
    at_json_real(&j, NULL, 1e300, 6);
    at_json_end(&j);
    expect(&out, "[null, null, null, 0.1, 0.667, 0.10000000000000001, 1e+300]");
}

static void begins_lines_where_it_is_told(void **state)
{
    (void)state;
    at_str out = {0};
    at_json_out j = {.out = &out};
    at_json_array(&j, NULL);
    at_json_line(&j, 2);
    at_json_int(&j, NULL, 1);
    at_json_line(&j, 2);
    at_json_int(&j, NULL, 2);
    at_json_int(&j, NULL, 3);
    at_json_line(&j, 0);
    at_json_end(&j);
    expect(&out, "[\n  1,\n  2, 3\n]");
}

static void writes_trees_of_jansson(void **state)
{
    (void)state;
    at_str out = {0};
    at_json_out j = {.out = &out};
    at_json_start();
    json_t *tree = json_pack("{s:[i,b]}", "x", 1, 1);
    at_json_object(&j, NULL);
    at_json_tree(&j, "t", tree);
    at_json_end(&j);
    json_decref(tree);
    expect(&out, "{\"t\": {\"x\":[1,true]}}");
    j = (at_json_out){.out = &out};
    at_json_tree(&j, NULL, NULL); /* as after memory ran out */
    assert_true(out.failed);
    at_str_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separates_members_and_elements_at_every_depth),
        cmocka_unit_test(remembers_sixty_brackets),
        cmocka_unit_test(escapes_keys_and_strings),
        cmocka_unit_test(writes_numbers_that_are_not_finite_as_null),
        cmocka_unit_test(begins_lines_where_it_is_told),
        cmocka_unit_test(writes_trees_of_jansson),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
