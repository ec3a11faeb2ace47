#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void every_character_survives(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        if (code >= 0xD800 && code < 0xE000)
            continue;
        char bytes[4];
        uint32_t back;
        int length = at_utf8_put(bytes, code);
        if (at_utf8_get(bytes, (size_t)length, &back) != length || back != code)
            fail_msg("U+%04X came back as U+%04X", (unsigned)code, (unsigned)back);
        if (length > 1 && at_utf8_get(bytes, (size_t)length - 1, &back) != 0)
            fail_msg("U+%04X was read beyond its end", (unsigned)code);
    }
}

static void refuses_what_is_no_utf8(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "\x80",         "\xC0\x80",         "\xC1\xBF",         "\xE0\x9F\xBF",
        "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF5\x80\x80\x80", "\xF4\x90\x80\x80",
        "\xE2\x28\xA1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint32_t code;
        assert_int_equal(at_utf8_get(wrong[i], strlen(wrong[i]), &code), 0);
        assert_int_equal(code, 0xFFFD);
        assert_int_equal(at_utf8_valid(wrong[i], strlen(wrong[i])), 0);
    }
}

static void counts_and_finds_the_first_fault(void **state)
{
    (void)state;
    const char *text = "ein Käse für 汤姆 \xFF!";
    assert_int_equal(at_utf8_count(text, strlen(text)), 18);
    assert_int_equal(at_utf8_valid(text, strlen(text)), strlen(text) - 2);
    assert_int_equal(at_utf8_valid("abcdefghijklmno", 15), 15);
    assert_int_equal(at_utf8_valid("abcdefghijk\x80lmno", 16), 11);
    assert_int_equal(at_utf8_count("", 0), 0);
}

static void knows_what_takes_two_columns_and_what_takes_none(void **state)
{
    (void)state;
    static const uint32_t one[] = {'a', 0xE9, 0x416, 0x2588, 0x2026, 0x2212, 0xFFFD};
    static const uint32_t two[] = {0x4E2D, 0x6587, 0x3042,  0x30A2,
                                   0xAC00, 0xFF01, 0x1F600, 0x20000};
    static const uint32_t none[] = {0x301, 0x200B, 0xFE0F};
    for (size_t i = 0; i < sizeof one / sizeof *one; i++)
        assert_int_equal(at_utf8_columns(one[i]), 1);
    for (size_t i = 0; i < sizeof two / sizeof *two; i++)
        assert_int_equal(at_utf8_columns(two[i]), 2);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(at_utf8_columns(none[i]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character_survives), cmocka_unit_test(refuses_what_is_no_utf8),
        cmocka_unit_test(counts_and_finds_the_first_fault),
        cmocka_unit_test(knows_what_takes_two_columns_and_what_takes_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
