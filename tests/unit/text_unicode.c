#include "text/unicode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void knows_white_space_in_all_its_lengths(void **state)
{
    (void)state;
    assert_int_equal(at_space_at(" a", 2), 1);
    assert_int_equal(at_space_at("\xC2\xA0", 2), 2);
    assert_int_equal(at_space_at("\xE3\x80\x80", 3), 3);
    assert_int_equal(at_space_at("\xE3\x80", 2), 0);
    assert_int_equal(at_space_at("a", 1), 0);
    assert_int_equal(at_space_at("", 0), 0);
    assert_false(at_is_space(0x200B));
    assert_true(at_is_space(0x0B));
}

static void sorts_characters_as_bert_does(void **state)
{
    (void)state;
    assert_true(at_is_control(0x200D) && at_is_control(0) && at_is_control(0xE000));
    assert_false(at_is_control('a'));
    for (const char *c = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"; *c; c++)
        assert_true(at_is_punctuation((uint32_t)*c));
    assert_true(at_is_punctuation(0x3001) && at_is_punctuation(0x2014));
    assert_false(at_is_punctuation(0xA9) || at_is_punctuation('a') || at_is_punctuation(' '));
    assert_true(at_is_chinese(0x4E2D) && at_is_chinese(0x20000) && at_is_chinese(0xF900));
    assert_false(at_is_chinese(0x3042) || at_is_chinese(0xAC00));
    assert_true(at_is_japanese(0x3042) && at_is_japanese(0x30A2));
    assert_true(at_is_mark(0x301) && !at_is_mark(0xE9));
    assert_true(at_is_letter(0xE9) && at_is_letter(0x4E2D) && !at_is_letter('1'));
    assert_true(at_is_digit('7') && at_is_digit(0x663) && !at_is_digit(0xBD));
}

static void lowers_as_python_does(void **state)
{
    (void)state;
    uint32_t out[2];
    assert_int_equal(at_lower('A', out), 1);
    assert_int_equal(out[0], 'a');
    assert_int_equal(at_lower(0x3A3, out), 1);
    assert_int_equal(out[0], 0x3C3);
    assert_int_equal(at_lower(0x130, out), 2);
    assert_int_equal(out[0], 'i');
    assert_int_equal(out[1], 0x307);
}

static void decomposes(void **state)
{
    (void)state;
    uint32_t out[4];
    assert_int_equal(at_decompose(0x1EAD, out), 3); /* a with dot below and circumflex */
    assert_int_equal(out[0], 'a');
    assert_int_equal(out[1], 0x323);
    assert_int_equal(out[2], 0x302);
    assert_int_equal(at_decompose(0xAC01, out), 3); /* Hangul */
    assert_int_equal(at_decompose('x', out), 1);
    assert_int_equal(at_combining_class(0x323), 220);
}

static void check_form(at_normal_form form, const char *text, size_t size, const char *expected)
{
    at_str out = {0};
    assert_true(at_normalise(form, text, size, &out));
    assert_string_equal(at_str_text(&out), expected);
    at_str_free(&out);
}

static void normalises(void **state)
{
    (void)state;
    check_form(ATTEND_NFC, "e\xCC\x81", 3, "\xC3\xA9");
    check_form(ATTEND_NFD, "\xC3\xA9", 2, "e\xCC\x81");
    check_form(ATTEND_NFKC, "\xEF\xAC\x81", 3, "fi");
    check_form(ATTEND_NFKD, "\xEF\xAC\x81\xC3\xA9", 5, "fie\xCC\x81");
    check_form(ATTEND_NFC,
               "a\xFF"
               "b",
               3,
               "a\xEF\xBF\xBD"
               "b");
    check_form(ATTEND_NFC, "", 0, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_white_space_in_all_its_lengths),
        cmocka_unit_test(sorts_characters_as_bert_does),
        cmocka_unit_test(lowers_as_python_does),
        cmocka_unit_test(decomposes),
        cmocka_unit_test(normalises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
