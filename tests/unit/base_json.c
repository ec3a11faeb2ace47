#include "base/json.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"

static char folder[] = "/tmp/attend-json-......", path[100];
static long live_before;

static int enter(void **state)
{
    (void)state;
    at_json_start();
    live_before = at_alloc_live();
    memset(folder + strlen(folder) - 6, 'X', 6); /* as mkdtemp wants it */
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/config.json", folder);
    return 0;
}

static int leave(void **state)
{
    (void)state;
    at_alloc_fail_after(-1);
    at_file_fail_after(-1, 0);
    unlink(path);
    return rmdir(folder) || at_alloc_live() != live_before; /* nothing else may be in it */
}

static void put(const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void assert_says(const attend_error *err, const char *part)
{
    if (!strstr(err->message, part))
        fail_msg("\"%s\" does not say \"%s\"", err->message, part);
}

static json_t *parsed(const char *text)
{
    json_t *json;
    attend_error err;
    assert_int_equal(at_json_parse("text", text, strlen(text), &json, &err), ATTEND_OK);
    return json;
}

/* ---- loading and saving ---------------------------------------------------------------- */

static void loads_a_file(void **state)
{
    (void)state;
    json_t *json;
    attend_error err;
    put("{\"a\": [1, 2.5, \"größe\", null, true]}\n");
    assert_int_equal(at_json_load(path, &json, &err), ATTEND_OK);
    assert_int_equal(json_array_size(json_object_get(json, "a")), 5);
    json_decref(json);
}

static void passes_by_a_byte_order_mark(void **state)
{
    (void)state;
    json_t *json;
    attend_error err;
    put("\xef\xbb\xbf{\"a\": 1}");
    assert_int_equal(at_json_load(path, &json, &err), ATTEND_OK);
    json_decref(json);
}

static void refuses(const char *text, const char *place, const char *cause)
{
    json_t *json;
    attend_error err;
    char message[200];
    put(text);
    assert_int_equal(at_json_load(path, &json, &err), ATTEND_FORMAT);
    assert_null(json);
    snprintf(message, sizeof message, "%s:%s: ", path, place);
    assert_says(&err, message);
    assert_says(&err, cause);
    assert_says(&err, "; correct the file");
    assert_int_equal(at_json_load(path, &json, NULL), ATTEND_FORMAT);
}

static void faults_are_shown_with_line_and_column(void **state)
{
    (void)state;
    refuses("{\"a\": 1,\n \"b\" 2}", "2:6", "':' expected");
    refuses("{\"a\": 1,\n \"a\": 2}", "2:4", "duplicate object key");
    refuses("", "1:0", "'[' or '{' expected near end of file");
    refuses("{\"a\": 1} x", "1:10", "end of file expected");
    refuses("{\"a\": \"\xff\"}", "1:7", "unable to decode byte 0xff");
    refuses("{\"a\": 99999999999999999999}", "1:26", "too big integer");
    refuses("{\"a\": 1e999}", "1:11", "real number overflow");
    refuses("{\"a\": \"\\u0000\"}", "1:14", "\\u0000 is not allowed");
    refuses("[1, 2", "1:5", "']' expected");
    refuses("12", "1:2", "'[' or '{' expected");
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    char *deep = malloc(100001);
    memset(deep, '[', 100000);
    deep[100000] = 0;
    refuses(deep, "1:2049", "maximum parsing depth");
    free(deep);
}

static void what_a_terminal_would_obey_is_not_repeated(void **state)
{
    (void)state;
    json_t *json;
    attend_error err;
    put("{\"a\": \033[31m}");
    assert_int_equal(at_json_load(path, &json, &err), ATTEND_FORMAT);
    assert_null(strchr(err.message, '\033'));
}

static void missing_files_are_named(void **state)
{
    (void)state;
    json_t *json;
    attend_error err;
    assert_int_equal(at_json_load(path, &json, &err), ATTEND_FILE);
    assert_says(&err, path);
    assert_null(json);
}

static void saved(const char *text, const char *expected)
{
    json_t *json = parsed(text), *again;
    attend_error err;
    char *found;
    assert_int_equal(at_json_save(path, json, &err), ATTEND_OK);
    assert_int_equal(at_file_read(path, 10000, &found, NULL, &err), ATTEND_OK);
    assert_string_equal(found, expected);
    at_free(found);
    assert_int_equal(at_json_load(path, &again, &err), ATTEND_OK);
    assert_true(json_equal(json, again));
    json_decref(json);
    json_decref(again);
}

static void saves_keys_in_order_and_numbers_short(void **state)
{
    (void)state;
    saved(
        "{\"b\": 0.1, \"a\": 1e-12, \"c\": [1, true, \"ö\\n\"]}",
        "{\n  \"b\": 0.1,\n  \"a\": 1e-12,\n  \"c\": [\n    1,\n    true,\n    \"ö\\n\"\n  ]\n}\n");
    saved("{}", "{}\n");
    saved("[0.5, -3.0]", "[\n  0.5,\n  -3.0\n]\n");
    saved("[0.1, 0.1234567891]", "[\n  0.1,\n  0.1234567891\n]\n");
}

static void every_number_survives_saving(void **state)
{
    (void)state;
    const double numbers[] = {1.0 / 3,        0.1 + 0.2, 1e300 / 3, 5e-324,  1.7976931348623157e308,
                              123456789.1234, 1e-12 / 7, -0.0,      16777217};
    for (int i = 0; i < 9; i++) {
        json_t *json = json_pack("{s:f,s:[f]}", "a", 0.5, "b", numbers[i]), *again;
        attend_error err;
        assert_int_equal(at_json_save(path, json, &err), ATTEND_OK);
        assert_int_equal(at_json_load(path, &again, &err), ATTEND_OK);
        double x = json_number_value(json_array_get(json_object_get(again, "b"), 0));
        assert_true(x == numbers[i] && !signbit(x) == !signbit(numbers[i]));
        json_decref(json);
        json_decref(again);
    }
}

static void a_full_disk_keeps_the_old_file(void **state)
{
    (void)state;
    json_t *json = parsed("{\"a\": 1}");
    attend_error err;
    int n = 0;
    for (;; n++) {
        put("{\"old\": true}");
        at_file_fail_after(n, ENOSPC);
        attend_status status = at_json_save(path, json, &err);
        at_file_fail_after(-1, 0);
        if (status >= 0)
            break;
        assert_int_equal(status, ATTEND_FILE);
        json_t *old;
        assert_int_equal(at_json_load(path, &old, &err), ATTEND_OK);
        json_decref(old);
    }
    assert_true(n >= 6);
    json_decref(json);
}

static void every_allocation_may_fail_in_loading(void **state)
{
    (void)state;
    json_t *json;
    attend_error err;
    put("{\"a\": [1, 2.5, \"text\", {\"b\": null, \"c\": []}], \"long\": \""
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\", \"1\": 1, "
        "\"2\": 2, \"3\": 3, \"4\": 4, \"5\": 5, \"6\": 6, \"7\": 7, \"8\": 8, \"9\": 9}");
    int n = 0;
    for (;; n++) {
        at_alloc_fail_after(n);
        attend_status status = at_json_load(path, &json, &err);
        at_alloc_fail_after(-1);
        if (status >= 0)
            break;
        assert_int_equal(status, ATTEND_MEMORY);
        assert_null(json);
        assert_int_equal(at_alloc_live(), live_before);
    }
    assert_true(n > 30);
    json_decref(json);
}

static void every_allocation_may_fail_in_saving(void **state)
{
    (void)state;
    json_t *json = parsed("{\"a\": [1, {\"b\": 0.1}], \"c\": {\"d\": [\"text\"]}}");
    attend_error err;
    long live = at_alloc_live();
    int n = 0;
    for (;; n++) {
        at_alloc_fail_after(n);
        attend_status status = at_json_save(path, json, &err);
        at_alloc_fail_after(-1);
        if (status >= 0)
            break;
        assert_int_equal(status, ATTEND_MEMORY);
        assert_false(at_file_exists(path));
        assert_int_equal(at_alloc_live(), live);
    }
    assert_true(n > 2);
    json_decref(json);
    assert_int_equal(at_json_save(path, NULL, &err), ATTEND_MEMORY);
}

/* ---- fields ---------------------------------------------------------------------------- */

static void fields_have_their_values(void **state)
{
    (void)state;
    attend_error err;
    json_t *json = parsed("{\"i\": 12, \"x\": 0.5, \"whole\": 3, \"yes\": true, \"no\": false, "
                          "\"s\": \"text\", \"list\": [1, 2], \"act\": \"silu\", \"in\": "
                          "{\"deep\": {\"i\": -7}}}");
    at_fields f = at_fields_of(json, "config.json", &err);
    assert_int_equal(at_field_int(&f, "i", 0, 12, 12), 12);
    assert_true(at_field_number(&f, "x", 0, 0, 1) == 0.5);
    assert_true(at_field_number(&f, "whole", 0, -INFINITY, INFINITY) == 3);
    assert_true(at_field_bool(&f, "yes", false));
    assert_false(at_field_bool(&f, "no", true));
    assert_string_equal(at_field_string(&f, "s", NULL), "text");
    assert_int_equal(json_array_size(at_field_array(&f, "list")), 2);
    at_fields in = at_fields_in(&f, "in"), deep = at_fields_in(&in, "deep");
    assert_int_equal(at_field_int(&deep, "i", 0, INT64_MIN, INT64_MAX), -7);
    at_fields_need(&f, "i");
    assert_int_equal(f.status, ATTEND_OK);
    json_decref(json);
}

static void missing_and_null_fields_have_the_default(void **state)
{
    (void)state;
    attend_error err;
    json_t *json = parsed("{\"null\": null}");
    at_fields f = at_fields_of(json, "config.json", &err);
    const char *keys[] = {"null", "missing"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(at_field_int(&f, keys[i], 5, 100, 200), 5);
        assert_true(at_field_number(&f, keys[i], 0.25, 1, 2) == 0.25);
        assert_true(at_field_bool(&f, keys[i], true));
        assert_null(at_field_string(&f, keys[i], NULL));
        assert_null(at_field_array(&f, keys[i]));
        at_fields in = at_fields_in(&f, keys[i]);
        assert_int_equal(at_field_int(&in, "x", 6, 0, 9), 6);
    }
    assert_int_equal(f.status, ATTEND_OK);
    json_decref(json);
}

static at_fields fresh(const json_t *json, attend_error *err)
{
    at_fields f = at_fields_of(json, "config.json", err);
    assert_int_equal(f.status, ATTEND_OK);
    return f;
}

static void assert_failed(const at_fields *f, const attend_error *err, const char *message)
{
    assert_int_equal(f->status, ATTEND_FORMAT);
    assert_int_equal(err->status, ATTEND_FORMAT);
    assert_string_equal(err->message, message);
}

static void wrong_fields_are_named_with_what_is_wanted(void **state)
{
    (void)state;
    attend_error e;
    json_t *json = parsed("{\"hidden_size\": \"many\", \"layers\": 0, \"heads\": 12.0, \"p\": 2, "
                          "\"in\": [], \"o\": {}, \"big\": 4000000000, \"act\": \"swish\", "
                          "\"long\": \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}");
    at_fields f = fresh(json, &e);
    assert_int_equal(at_field_int(&f, "hidden_size", 768, 1, INT32_MAX), 768);
    assert_failed(&f, &e,
                  "config.json: key 'hidden_size' must be a positive integer, not "
                  "\"many\"; correct it");
    f = fresh(json, &e);
    at_field_int(&f, "layers", 1, 1, 100);
    assert_failed(&f, &e,
                  "config.json: key 'layers' must be a positive integer, not 0; correct it");
    f = fresh(json, &e);
    at_field_int(&f, "heads", 1, 0, 100);
    assert_failed(&f, &e,
                  "config.json: key 'heads' must be an integer from 0 to 100, not 12.0; "
                  "correct it");
    f = fresh(json, &e);
    at_field_int(&f, "big", 1, 1, INT32_MAX);
    assert_failed(&f, &e,
                  "config.json: key 'big' must be an integer from 1 to 2147483647, not "
                  "4000000000; correct it");
    f = fresh(json, &e);
    assert_true(at_field_number(&f, "p", 0.1, 0, 1) == 0.1);
    assert_failed(&f, &e, "config.json: key 'p' must be a number from 0 to 1, not 2; correct it");
    f = fresh(json, &e);
    at_field_number(&f, "o", 0, -INFINITY, INFINITY);
    assert_failed(&f, &e, "config.json: key 'o' must be a number, not an object; correct it");
    f = fresh(json, &e);
    assert_true(at_field_bool(&f, "p", true));
    assert_failed(&f, &e, "config.json: key 'p' must be true or false, not 2; correct it");
    f = fresh(json, &e);
    assert_string_equal(at_field_string(&f, "p", "x"), "x");
    assert_failed(&f, &e, "config.json: key 'p' must be a string, not 2; correct it");
    f = fresh(json, &e);
    assert_null(at_field_array(&f, "o"));
    assert_failed(&f, &e, "config.json: key 'o' must be an array, not an object; correct it");
    f = fresh(json, &e);
    at_fields_need(&f, "vocab_size");
    assert_failed(&f, &e, "config.json: key 'vocab_size' is missing; add it");
    f = fresh(json, &e);
    at_fields_in(&f, "in");
    assert_failed(&f, &e, "config.json: key 'in' must be an object, not an array; correct it");
    f = fresh(json, &e);
    at_field_int(&f, "long", 0, 1, 2);
    assert_failed(&f, &e,
                  "config.json: key 'long' must be a positive integer, not "
                  "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...; correct it");
    f = fresh(json, &e);
    at_field_fail(&f, "p", NULL, "a multiple of %d", 64);
    assert_failed(&f, &e, "config.json: key 'p' must be a multiple of 64, not 2; correct it");
    json_decref(json);
}

static void inner_failures_are_the_outer_ones_too(void **state)
{
    (void)state;
    attend_error err;
    json_t *json = parsed("{\"a\": {\"b\": {\"c\": \"x\"}}}");
    at_fields f = fresh(json, &err), a = at_fields_in(&f, "a"), b = at_fields_in(&a, "b");
    at_field_int(&b, "c", 0, 1, 9);
    assert_failed(&f, &err,
                  "config.json: key 'a.b.c' must be a positive integer, not \"x\"; "
                  "correct it");
    assert_int_equal(a.status, ATTEND_FORMAT);
    at_fields late = at_fields_in(&f, "a");
    assert_int_equal(late.status, ATTEND_FORMAT);
    assert_null(late.object);
    json_decref(json);
}

static void the_first_failure_is_kept(void **state)
{
    (void)state;
    attend_error err;
    json_t *json = parsed("{\"a\": 1, \"b\": 2}");
    at_fields f = fresh(json, &err);
    at_fields_need(&f, "first");
    at_fields_need(&f, "second");
    at_field_string(&f, "a", NULL);
    assert_int_equal(at_field_int(&f, "b", 7, 0, 9), 7);
    assert_says(&err, "'first'");
    json_decref(json);
}

static void other_things_than_objects_have_no_fields(void **state)
{
    (void)state;
    attend_error err;
    json_t *json = parsed("[1]");
    at_fields f = at_fields_of(json, "config.json", &err);
    assert_failed(&f, &err, "config.json: must hold one object, {...}; correct it");
    assert_int_equal(at_field_int(&f, "a", 3, 0, 9), 3);
    json_decref(json);
    assert_int_equal(at_fields_of(NULL, "config.json", NULL).status, ATTEND_FORMAT);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(loads_a_file),
        TEST(passes_by_a_byte_order_mark),
        TEST(faults_are_shown_with_line_and_column),
        TEST(deep_nesting_is_refused),
        TEST(what_a_terminal_would_obey_is_not_repeated),
        TEST(missing_files_are_named),
        TEST(saves_keys_in_order_and_numbers_short),
        TEST(every_number_survives_saving),
        TEST(a_full_disk_keeps_the_old_file),
        TEST(every_allocation_may_fail_in_loading),
        TEST(every_allocation_may_fail_in_saving),
        TEST(fields_have_their_values),
        TEST(missing_and_null_fields_have_the_default),
        TEST(wrong_fields_are_named_with_what_is_wanted),
        TEST(inner_failures_are_the_outer_ones_too),
        TEST(the_first_failure_is_kept),
        TEST(other_things_than_objects_have_no_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
