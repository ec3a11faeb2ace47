#include "measure/tokenization.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "measure/ter_words.h"

static void check_chars(at_chars *c, const char *expected)
{
    at_str text = {0};
    at_chars_print(&text, c);
    assert_string_equal(at_str_text(&text), expected);
    at_str_free(&text);
    at_chars_free(c);
}

static void check(const char *name, const char *text, const char *expected)
{
    const at_tokenization *how = at_tokenization_find(name);
    at_chars c = {0}, spare = {0};
    assert_non_null(how);
    at_chars_set(&c, text, strlen(text));
    how->run(&c, &spare);
    check_chars(&c, expected);
    at_chars_free(&spare);
}

static void check_ter(attend_measure_options o, const char *text, const char *expected)
{
    at_chars c = {0}, spare = {0};
    at_chars_set(&c, text, strlen(text));
    at_ter_words(&o, &c, &spare);
    check_chars(&c, expected);
    at_chars_free(&spare);
}

static void thirteen_a_splits_ascii_punctuation(void **state)
{
    (void)state;
    check("13a", "", "");
    check("13a", "Red, green; (blue)!", "Red , green ; ( blue ) !");
    check("13a", "It's 3.5, or 1,000.25.", "It's 3.5 , or 1,000.25 .");
    check("13a", "pages 3-4 and x-y", "pages 3 - 4 and x-y");
    check("13a", "Wait... no.", "Wait . . . no .");
    check("13a", "a &amp;lt; b &quot;c&quot;", "a < b \" c \"");
    check("13a", "<skipped>left", "left");
    check("13a", "broken-\nword\nnext", "brokenword next");
    check("13a", "„Ja“ – 5€", "„Ja“ – 5€");
}

static void intl_splits_punctuation_of_all_scripts(void **state)
{
    (void)state;
    check("intl", "„Ja“ – 5€", "„ Ja “ – 5 €");
    check("intl", "In 2001.", "In 2001."); /* as the script of NIST does */
    check("intl", "In 2001. Then", "In 2001 . Then");
    check("intl", "3,5 and a,b", "3,5 and a , b");
    check("intl", "是的。", "是的 。");
}

static void zh_takes_chinese_characters_one_by_one(void **state)
{
    (void)state;
    check("zh", "我有3.5個OK了。", "我 有 3.5 個 OK 了 。");
    check("zh", " a→b ", "a → b");
    check("zh", "𠀀𠀁", "𠀀𠀁"); /* beyond U+FFFF: see tokenization_zh.c */
}

static void char_keeps_blanks_in_their_place(void **state)
{
    (void)state;
    check("char", "ab 漢", "a b   漢");
    check("none", "a  b.", "a  b.");
}

static void unknown_names_are_not_found(void **state)
{
    (void)state;
    assert_null(at_tokenization_find("14a"));
    for (int i = 0; i < at_tokenizations_count; i++)
        assert_true(*at_tokenizations[i]->what);
}

static void ter_normalises_as_tercom(void **state)
{
    (void)state;
    attend_measure_options plain = {0}, norm = {.normalized = 1}, cased = {.case_sensitive = 1};
    check_ter(plain, "  The Dog's  bone. ", "the dog's bone.");
    check_ter(cased, "The Dog", "The Dog");
    check_ter(norm, "The dog's bone, 3.5-4 &amp; A.", "the dog 's bone , 3.5 - 4 & a .");
    check_ter((attend_measure_options){.no_punct = 1}, "Yes, (no)! x-y", "yes no x-y");
    check_ter((attend_measure_options){.normalized = 1, .asian = 1}, "漢字「かな」ok",
              "漢 字 「 かな 」 ok");
    check_ter((attend_measure_options){.no_punct = 1, .asian = 1}, "漢字。かな、", "漢字かな");
    check_ter((attend_measure_options){.no_punct = 1}, "漢字。", "漢字。");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thirteen_a_splits_ascii_punctuation),
        cmocka_unit_test(intl_splits_punctuation_of_all_scripts),
        cmocka_unit_test(zh_takes_chinese_characters_one_by_one),
        cmocka_unit_test(char_keeps_blanks_in_their_place),
        cmocka_unit_test(unknown_names_are_not_found),
        cmocka_unit_test(ter_normalises_as_tercom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
