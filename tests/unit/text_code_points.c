#include "text/code_points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/utf8.h"

typedef void step(const at_code_points *from, at_code_points *to);

static void check(step *change, const char *text, const char *expected)
{
    at_code_points from, to;
    at_str out = {0};
    at_code_points_start(&from);
    at_code_points_start(&to);
    at_code_points_read(&from, text, 0, strlen(text));
    change(&from, &to);
    at_code_points_text(&to, 0, to.count, &out);
    assert_string_equal(at_str_text(&out), expected);
    at_code_points_free(&from);
    at_code_points_free(&to);
    at_str_free(&out);
}

static void reads_characters_with_their_places(void **state)
{
    (void)state;
    at_code_points l;
    at_code_points_start(&l);
    assert_int_equal(at_code_points_read(&l, "xa\xC3\xA9\xFF", 1, 5), 1);
    assert_int_equal(l.count, 3);
    assert_int_equal(l.item[1].code, 0xE9);
    assert_int_equal(l.item[1].begin, 2);
    assert_int_equal(l.item[1].end, 4);
    assert_int_equal(l.item[2].code, 0xFFFD);
    at_code_points_free(&l);
}

static void lowers_and_strips(void **state)
{
    (void)state;
    check(at_code_points_lower, "\xC3\x89T\xC4\xB0", "\xC3\xA9ti\xCC\x87");
    check(at_code_points_strip, "\xC3\xA9t\xC3\xA9", "ete");
    check(at_code_points_strip, "e\xCC\x81\xCC\xA3x", "ex");
    check(at_code_points_strip, "\xCC\x81", "");
    check(at_code_points_strip, "\xE2\x84\xA6", "\xCE\xA9"); /* the sign Ohm is the letter Omega */
    check(at_code_points_strip, "", "");
}

/* U+1D165 (class 216) and U+302E (class 224) stay, in canonical order, whatever stood between */
static void what_is_no_accent_is_put_in_order(void **state)
{
    (void)state;
    check(at_code_points_strip, "a\xE3\x80\xAE\xCC\x81\xF0\x9D\x85\xA5z",
          "a\xF0\x9D\x85\xA5\xE3\x80\xAEz");
    at_str text = {0}, expected = {0};
    at_str_add(&text, "a");
    at_str_add(&expected, "a");
    for (int i = 0; i < 40; i++)
        at_str_add(&text, "\xE3\x80\xAE\xF0\x9D\x85\xA5");
    at_str_repeat(&expected, "\xF0\x9D\x85\xA5", 40);
    at_str_repeat(&expected, "\xE3\x80\xAE", 40);
    check(at_code_points_strip, text.text, expected.text);
    at_str_free(&text);
    at_str_free(&expected);
}

static void a_stripped_accent_belongs_to_its_letter(void **state)
{
    (void)state;
    at_code_points from, to;
    at_code_points_start(&from);
    at_code_points_start(&to);
    at_code_points_read(&from, "e\xCC\x81x", 0, 4);
    at_code_points_strip(&from, &to);
    assert_int_equal(to.count, 2);
    assert_int_equal(to.item[0].end, 3);
    assert_int_equal(to.item[1].begin, 3);
    at_code_points_free(&from);
    at_code_points_free(&to);
}

static void grows_beyond_what_it_starts_with(void **state)
{
    (void)state;
    at_code_points l;
    at_code_points_start(&l);
    for (uint32_t i = 0; i < 1000; i++)
        at_code_points_add(&l, i, i, i + 1);
    assert_false(l.failed);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(l.item[i].code, i);
    at_code_points_free(&l);
    at_code_points_start(&l);
    at_alloc_fail_after(0);
    for (uint32_t i = 0; i < 1000; i++)
        at_code_points_add(&l, i, i, i + 1);
    at_alloc_fail_after(-1);
    assert_true(l.failed);
    at_code_points_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_characters_with_their_places),
        cmocka_unit_test(lowers_and_strips),
        cmocka_unit_test(what_is_no_accent_is_put_in_order),
        cmocka_unit_test(a_stripped_accent_belongs_to_its_letter),
        cmocka_unit_test(grows_beyond_what_it_starts_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
