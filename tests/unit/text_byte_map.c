#include "text/byte_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"

static void every_byte_has_a_character_of_its_own(void **state)
{
    (void)state;
    bool seen[0x200] = {false}, ordered[256] = {false};
    for (int byte = 0; byte < 256; byte++) {
        uint32_t code = at_byte_char((unsigned char)byte);
        int order = at_byte_order((unsigned char)byte);
        assert_in_range(code, '!', 0x143);
        assert_in_range(order, 0, 255);
        assert_false(seen[code]);
        assert_false(ordered[order]);
        seen[code] = ordered[order] = true;
        assert_int_equal(at_char_byte(code), byte);
    }
    for (uint32_t code = 0; code < 0x10FFFF; code++)
        if (at_char_byte(code) >= 0 && (code >= 0x200 || !seen[code]))
            fail_msg("U+%04X stands for a byte", (unsigned)code);
}

static void characters_are_those_of_gpt2(void **state)
{
    (void)state;
    static const struct {
        unsigned char byte;
        uint32_t code;
        int order;
    } known[] = {{'!', '!', 0},      {'~', '~', 93},     {0xA1, 0xA1, 94},   {0xAE, 0xAE, 106},
                 {0xFF, 0xFF, 187},  {0, 0x100, 188},    {'\n', 0x10A, 198}, {' ', 0x120, 220},
                 {0x7F, 0x121, 221}, {0xA0, 0x142, 254}, {0xAD, 0x143, 255}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_int_equal(at_byte_char(known[i].byte), known[i].code);
        assert_int_equal(at_byte_order(known[i].byte), known[i].order);
    }
}

static void any_bytes_come_back(void **state)
{
    (void)state;
    char bytes[256];
    at_str text = {0}, back = {0};
    for (int i = 0; i < 256; i++) {
        char character[4];
        int length = at_utf8_put(character, at_byte_char((unsigned char)i));
        bytes[i] = (char)i;
        at_str_add_bytes(&text, character, (size_t)length);
    }
    assert_int_equal(at_utf8_valid(text.text, text.length), text.length);
    assert_true(at_bytes_read(&back, text.text, text.length));
    assert_int_equal(back.length, 256);
    assert_memory_equal(back.text, bytes, 256);
    at_str_free(&text);
    at_str_free(&back);
}

static void other_characters_are_no_bytes(void **state)
{
    (void)state;
    static const char *const wrong[] = {"a b", "\n", "汤", "a\xFF", "\u0144", "\u00AD"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        at_str out = {0};
        assert_false(at_bytes_read(&out, wrong[i], strlen(wrong[i])));
        assert_int_equal(out.length, 0);
        at_str_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_byte_has_a_character_of_its_own),
                                       cmocka_unit_test(characters_are_those_of_gpt2),
                                       cmocka_unit_test(any_bytes_come_back),
                                       cmocka_unit_test(other_characters_are_no_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
