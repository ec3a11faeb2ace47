#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"

static void starts_empty_and_appends(void **state)
{
    (void)state;
    at_str s = {0};
    assert_string_equal(at_str_text(&s), "");
    at_str_add(&s, "one");
    at_str_add_bytes(&s, " two", 2);
    at_str_repeat(&s, "=-", 3);
    at_str_repeat(&s, "never", -1);
    at_str_print(&s, "%d %s", 42, "x");
    assert_string_equal(at_str_text(&s), "one t=-=-=-42 x");
    assert_int_equal(s.length, strlen(s.text));
    at_str_free(&s);
    assert_int_equal(at_alloc_live(), 0);
}

static void grows_far_beyond_its_first_memory(void **state)
{
    (void)state;
    at_str s = {0};
    for (int i = 0; i < 10000; i++)
        at_str_print(&s, "%d,", i % 10);
    assert_false(s.failed);
    assert_int_equal(s.length, 20000);
    for (size_t i = 0; i < s.length; i += 2)
        assert_int_equal(s.text[i], '0' + (int)(i / 2 % 10));
    assert_true(at_alloc_count() < 60); /* doubles, does not creep */
    at_str_free(&s);
}

static void prints_text_longer_than_any_buffer(void **state)
{
    (void)state;
    static char big[5001];
    memset(big, 'a', 5000);
    at_str s = {0};
    at_str_print(&s, "<%s>", big);
    assert_int_equal(s.length, 5002);
    assert_int_equal(s.text[5001], '>');
    at_str_free(&s);
}

static void hands_the_text_over_once(void **state)
{
    (void)state;
    at_str s = {0};
    at_str_add(&s, "mine");
    char *text = at_str_take(&s);
    assert_string_equal(text, "mine");
    assert_string_equal(at_str_text(&s), "");
    at_free(text);
    text = at_str_take(&s);
    assert_string_equal(text, "");
    at_free(text);
    assert_int_equal(at_alloc_live(), 0);
}

static void keeps_the_first_failure_until_cleared(void **state)
{
    (void)state;
    at_str s = {0};
    at_str_add(&s, "kept");
    at_alloc_fail_after(0);
    at_str_repeat(&s, "too long for the memory that is there ", 10);
    at_alloc_fail_after(-1);
    assert_true(s.failed);
    size_t length = s.length;
    at_str_add(&s, "x");
    assert_int_equal(s.length, length);
    assert_null(at_str_take(&s));
    assert_int_equal(at_alloc_live(), 0);
    at_alloc_fail_after(0);
    at_str_print(&s, "%d", 1);
    at_alloc_fail_after(-1);
    assert_true(s.failed);
    at_str_clear(&s);
    at_str_add(&s, "again");
    assert_string_equal(at_str_text(&s), "again");
    at_str_free(&s);
    assert_int_equal(at_alloc_live(), 0);
}

static void pads_by_columns_not_bytes(void **state)
{
    (void)state;
    at_str s = {0};
    at_str_pad(&s, "\xC3\xA9t\xC3\xA9", 5);
    at_str_add(&s, "|");
    at_str_pad(&s, "12", -5);
    at_str_add(&s, "|");
    at_str_pad(&s, "too wide", 3);
    assert_string_equal(at_str_text(&s), "\xC3\xA9t\xC3\xA9  |   12|too wide");
    assert_int_equal(at_str_columns("\xC3\xA9t\xC3\xA9"), 3);
    at_str_free(&s);
}

static void check_wrap(const char *text, int column, int indent, int right, const char *expected)
{
    at_str s = {0};
    at_str_wrap(&s, text, column, indent, right);
    assert_string_equal(at_str_text(&s), expected);
    at_str_free(&s);
}

static void wraps_words_at_the_right_edge(void **state)
{
    (void)state;
    check_wrap("aa bb cc", 0, 0, 8, "aa bb cc");
    check_wrap("aa bb cc", 0, 0, 7, "aa bb\ncc");
    check_wrap("aa bb cc", 3, 2, 7, "aa\n  bb cc");
    check_wrap("aa bb cc", 2, 2, 7, "aa bb\n  cc");
    check_wrap("unbreakable aa", 0, 1, 5, "unbreakable\n aa");
    check_wrap("  many   blanks  ", 0, 0, 80, "many blanks");
    check_wrap("", 0, 4, 80, "");
    check_wrap("one\n\ntwo three", 0, 1, 6, "one\n\n two\n three");
    check_wrap("\xC3\xA9\xC3\xA9 \xC3\xA9\xC3\xA9", 0, 0, 5, "\xC3\xA9\xC3\xA9 \xC3\xA9\xC3\xA9");
}

static void shows_what_could_steer_a_terminal(void **state)
{
    (void)state;
    at_str s = {0};
    at_str_add_safe(&s, "a\n\t\x1b[31m\x7f\xC3\xA9\xC2\x9b\xff\xE2\x80\xAE.");
    assert_string_equal(at_str_text(&s), "a\\n\\t\\x1b[31m\\x7f\xC3\xA9\\u009b\\xff\\u202e.");
    at_str_free(&s);
}

static void writes_json_strings_that_are_always_valid(void **state)
{
    (void)state;
    at_str s = {0};
    at_str_add_json(&s, "a\"b\\c\n\x7f\xC3\xA9\xF0\x9F\x98\x80");
    assert_string_equal(at_str_text(&s), "\"a\\\"b\\\\c\\u000a\\u007f\xC3\xA9\xF0\x9F\x98\x80\"");
    at_str_clear(&s);
    /* a lone byte, an overlong form, a surrogate, a number beyond Unicode, a cut character */
    at_str_add_json(&s, "\xff\xC0\xAF\xED\xA0\x80\xF4\x90\x80\x80\xE2\x82");
    for (const char *c = s.text + 1; c < s.text + s.length - 1; c += 3)
        assert_memory_equal(c, "\xEF\xBF\xBD", 3);
    assert_int_equal(s.length, 2 + 3 * 12);
    at_str_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_empty_and_appends),
        cmocka_unit_test(grows_far_beyond_its_first_memory),
        cmocka_unit_test(prints_text_longer_than_any_buffer),
        cmocka_unit_test(hands_the_text_over_once),
        cmocka_unit_test(keeps_the_first_failure_until_cleared),
        cmocka_unit_test(pads_by_columns_not_bytes),
        cmocka_unit_test(wraps_words_at_the_right_edge),
        cmocka_unit_test(shows_what_could_steer_a_terminal),
        cmocka_unit_test(writes_json_strings_that_are_always_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
