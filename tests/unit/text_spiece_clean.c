#include "text/spiece_clean.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"

static const at_spiece_cleaning xlnet = {.remove_space = true};

static void assert_clean(at_spiece_cleaning how, const char *text, const char *want)
{
    at_clean_text c = {0};
    assert_true(at_spiece_clean(&how, text, strlen(text), &c));
    assert_string_equal(at_str_text(&c.text), want);
    at_clean_text_free(&c);
}

static void white_space_becomes_single_blanks(void **state)
{
    (void)state;
    assert_clean(xlnet, " \t a \u00A0\n b\u3000\x1C ", "a b");
    assert_clean(xlnet, "", "");
    assert_clean(xlnet, "  ", "");
    assert_clean((at_spiece_cleaning){.keep_accents = true}, " a\tb ", " a\tb ");
}

static void quotes_are_joined(void **state)
{
    (void)state;
    assert_clean(xlnet, "``a''", "\"a\"");
    assert_clean(xlnet, "```", "\"`");
    assert_clean(xlnet, "'s `x", "'s `x");
    assert_clean(xlnet, "`'", "`'");
}

static void accents_go_unless_kept(void **state)
{
    (void)state;
    assert_clean(xlnet, "Äpfel, e\u0301té, ﬁx ² 한", "Apfel, ete, fix 2 \u1112\u1161\u11AB");
    assert_clean(xlnet, "\u0301x", "x");
    assert_clean(xlnet, "\u0345 x", " x"); /* white space went before the accent did */
    assert_clean((at_spiece_cleaning){true, true, false}, "Äpfel  ﬁ", "Äpfel ﬁ");
    assert_clean((at_spiece_cleaning){true, false, true}, "ÄPFEL İ", "apfel i");
}

static void invalid_bytes_become_replacements(void **state)
{
    (void)state;
    assert_clean(xlnet, "a\xFF\x80z", "a\uFFFD\uFFFDz");
}

static void every_byte_knows_where_it_comes_from(void **state)
{
    (void)state;
    at_clean_text c = {0};
    static const char text[] = "  é  ``ﬁ";
    size_t begin, end;
    assert_true(at_spiece_clean(&xlnet, text, strlen(text), &c));
    assert_string_equal(at_str_text(&c.text), "e \"fi");
    static const size_t want[][4] = {/* clean, original */
                                     {0, 1, 2, 4},  {1, 2, 4, 6},  {2, 3, 6, 8},   {3, 4, 8, 11},
                                     {3, 5, 8, 11}, {0, 5, 2, 11}, {5, 5, 11, 11}, {2, 2, 6, 6}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        begin = want[i][0];
        end = want[i][1];
        at_clean_text_span(&c, &begin, &end);
        assert_int_equal(begin, want[i][2]);
        assert_int_equal(end, want[i][3]);
    }
    at_clean_text_free(&c);
}

static void without_memory_it_says_so(void **state)
{
    (void)state;
    bool well = false;
    for (long n = 0; !well; n++) {
        at_clean_text c = {0};
        at_alloc_fail_after(n);
        well = at_spiece_clean(&xlnet, "a b", 3, &c);
        at_alloc_fail_after(-1);
        at_clean_text_free(&c);
        assert_true(well || n < 10);
    }
    assert_int_equal(at_alloc_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(white_space_becomes_single_blanks),
                                       cmocka_unit_test(quotes_are_joined),
                                       cmocka_unit_test(accents_go_unless_kept),
                                       cmocka_unit_test(invalid_bytes_become_replacements),
                                       cmocka_unit_test(every_byte_knows_where_it_comes_from),
                                       cmocka_unit_test(without_memory_it_says_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
