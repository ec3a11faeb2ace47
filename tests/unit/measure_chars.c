#include "measure/chars.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"

static at_chars c, spare;

static void check(const char *expected)
{
    at_str text = {0};
    at_chars_print(&text, &c);
    assert_false(text.failed);
    assert_string_equal(at_str_text(&text), expected);
    at_str_free(&text);
}

static void set(const char *text) { at_chars_set(&c, text, strlen(text)); }

static void check_lower(const char *text, const char *expected)
{
    set(text);
    at_chars_lower(&c, &spare);
    check(expected);
}

static void reads_and_prints_utf8(void **state)
{
    (void)state;
    set("aß漢😀");
    assert_int_equal(c.count, 4);
    assert_int_equal(c.at[3], 0x1F600);
    check("aß漢😀");
    at_chars_set(&c, "a\xFF\xC3z\0b", 6);
    assert_int_equal(c.count, 6);
    assert_int_equal(c.at[1], 0xFFFD);
    assert_int_equal(c.at[4], 0);
}

static void lower_case_is_pythons(void **state)
{
    (void)state;
    check_lower("", "");
    check_lower("ABC xyz 123", "abc xyz 123");
    check_lower("ÄÖÜ ŁÓDŹ ЖИЗНЬ", "äöü łódź жизнь");
    check_lower("STRASSE ẞ", "strasse ß");
    check_lower("İstanbul", "i̇stanbul"); /* two characters */
    check_lower("ΟΔΥΣΣΕΥΣ", "οδυσσευς");
    check_lower("Σ ΑΣ ΑΣ. ΑΣΑ ΑΣ'Α Σ.", "σ ας ας. ασα ασ'α σ.");
    check_lower("Ⅷ ⒶA", "ⅷ ⓐa");
}

static void white_space_is_pythons(void **state)
{
    (void)state;
    static const uint32_t spaces[] = {9,      10,     11,     12,     13,     28,     29,
                                      30,     31,     32,     0x85,   0xA0,   0x1680, 0x2000,
                                      0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000};
    int count = 0;
    for (uint32_t code = 0; code < 0x110000; code++)
        count += at_char_is_space(code);
    assert_int_equal(count, 29);
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        assert_true(at_char_is_space(spaces[i]));
    assert_false(at_char_is_space(0x200B));
    assert_false(at_char_is_space(0xFEFF));
}

static void kinds_are_those_of_unicode(void **state)
{
    (void)state;
    for (const char *p = "!\"#%&'()*,-./:;?@[\\]_{}"; *p; p++)
        assert_true(at_char_is_punctuation((unsigned char)*p));
    for (const char *p = "$+<=>^`|~"; *p; p++)
        assert_true(at_char_is_symbol((unsigned char)*p));
    assert_true(at_char_is_punctuation(0x3002) && at_char_is_punctuation(0x201C));
    assert_true(at_char_is_symbol(0x20AC) && at_char_is_symbol(0x1F600));
    assert_true(at_char_is_number('7') && at_char_is_number(0xBD) && at_char_is_number(0x0667));
    assert_true(at_char_is_letter('x') && at_char_is_letter(0x6F22) && at_char_is_letter(0x2B0));
    assert_false(at_char_is_letter(0x301)); /* a mark is none */
}

static void strips_joins_and_squeezes(void **state)
{
    (void)state;
    set(" \ta  b \xE2\x80\xA8 c\n ");
    at_chars_strip_end(&c);
    check(" \ta  b \xE2\x80\xA8 c");
    at_chars_strip(&c);
    check("a  b \xE2\x80\xA8 c");
    at_chars_join(&c);
    check("a b c");
    at_chars_squeeze(&c);
    check("abc");
    set("   ");
    at_chars_join(&c);
    check("");
}

static void replaces_from_left_to_right(void **state)
{
    (void)state;
    set("aaa-aa");
    at_chars_replace(&c, &spare, "aa", "b");
    check("ba-b");
    at_chars_replace(&c, &spare, "b", "");
    check("a-");
}

static bool is_a(uint32_t code) { return code == 'a'; }
static bool is_b(uint32_t code) { return code == 'b'; }

static void rules_touch_no_character_twice(void **state)
{
    (void)state;
    set("abab");
    at_chars_each(&c, &spare, is_a, " 1 ");
    check(" a b a b");
    set("aaab");
    at_chars_pairs(&c, &spare, is_a, is_a, "1 2");
    check("a aab");
    set("aaab");
    at_chars_pairs(&c, &spare, is_a, is_b, "2 1");
    check("aab a");
    at_chars_each(&c, &spare, is_b, "");
    check("aa a");
}

static void failure_is_kept_and_forgotten_on_clear(void **state)
{
    (void)state;
    at_chars a = {0};
    at_alloc_fail_after(0);
    at_chars_add(&a, 'x');
    at_alloc_fail_after(-1);
    at_chars_add(&a, 'y');
    assert_true(a.failed);
    assert_int_equal(a.count, 0);
    at_chars_clear(&a);
    at_chars_add(&a, 'y');
    assert_int_equal(a.count, 1);
    at_chars_free(&a);
}

static int free_all(void **state)
{
    (void)state;
    at_chars_free(&c);
    at_chars_free(&spare);
    return at_alloc_live() != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_prints_utf8),
        cmocka_unit_test(lower_case_is_pythons),
        cmocka_unit_test(white_space_is_pythons),
        cmocka_unit_test(kinds_are_those_of_unicode),
        cmocka_unit_test(strips_joins_and_squeezes),
        cmocka_unit_test(replaces_from_left_to_right),
        cmocka_unit_test(rules_touch_no_character_twice),
        cmocka_unit_test(failure_is_kept_and_forgotten_on_clear),
    };
    return cmocka_run_group_tests(tests, NULL, free_all);
}
