/* Lexicons and the lexical model, through the functions of attend.h. */
#include "decode/lexicon.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "attend.h"
#include "base/memory.h"
#include "decode/lexical_model.h"

enum { PAIRS = 6 };
static const char *const source[PAIRS] = {"the red house", "the green house.", "a red car",
                                          "The car",       "a green car",      "the house"};
static const char *const target[PAIRS] = {"das rote Haus", "das grüne Haus.", "ein rotes Auto",
                                          "Das Auto",      "ein grünes Auto", "das Haus"};

static void words_are_numbered_without_their_marks(void **state)
{
    static const char *const lines[] = {"a house, a \"house\"", "", "...", "我 爱 你", "我爱你。"};
    at_word_lines w;
    attend_error err;
    (void)state;
    assert_int_equal(at_word_lines_read(&w, 5, lines, &err), ATTEND_OK);
    const size_t words[] = {4, 0, 1, 3, 4};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(at_word_lines_words(&w, i), words[i]);
    assert_int_equal(w.word[0], w.word[2]);
    assert_int_equal(w.word[1], w.word[3]);
    assert_string_equal(at_word_lines_text(&w, w.word[3]), "house");
    assert_string_equal(at_word_lines_text(&w, w.word[4]), "...");
    assert_int_equal(w.word[5], w.word[8]);
    at_word_lines_free(&w);
}

static attend_status print(const char *const *links, at_str *out, attend_error *err)
{
    at_word_lines a, b = {.count = 0};
    attend_status status = at_word_lines_read(&a, 3, source, err);
    if (status >= 0)
        status = at_word_lines_read(&b, 3, target, err);
    if (status >= 0)
        status = at_lexicon_print(&a, &b, links, out, err);
    at_word_lines_free(&a);
    at_word_lines_free(&b);
    return status;
}

static void a_lexicon_has_relative_frequencies(void **state)
{
    static const char *const links[] = {"0-0 1-1 2-2", "0-0 2-2", "1-1 1-2"};
    at_str out = {0};
    attend_error err;
    (void)state;
    assert_int_equal(print(links, &out, &err), ATTEND_OK);
    assert_string_equal(at_str_text(&out), "house\tHaus\t1.000000\t1.000000\t2\n"
                                           "red\tAuto\t0.333333\t1.000000\t1\n"
                                           "red\trote\t0.333333\t1.000000\t1\n"
                                           "red\trotes\t0.333333\t1.000000\t1\n"
                                           "the\tdas\t1.000000\t1.000000\t2\n");
    at_str_free(&out);
}

static void a_link_without_words_is_refused(void **state)
{
    static const char *const links[] = {"0-0", "0-3", ""};
    at_str out = {0};
    attend_error err;
    (void)state;
    assert_int_equal(print(links, &out, &err), ATTEND_FORMAT);
    assert_string_equal(err.message, "line 2 has no words for the link 0-3");
    at_str_free(&out);
}

static void the_lexical_model_finds_which_words_come_together(void **state)
{
    const char **links;
    attend_error err;
    (void)state;
    assert_int_equal(attend_links_lexical(PAIRS, source, target, 5, &links, &err), ATTEND_OK);
    assert_string_equal(links[0], "0-0 1-1 2-2");
    assert_string_equal(links[5], "0-0 1-1");
    attend_free(links);
    assert_int_equal(attend_links_lexical(0, NULL, NULL, 1, &links, &err), ATTEND_OK);
    attend_free(links);
    assert_int_equal(attend_links_lexical(1, source, target, 0, &links, &err), ATTEND_OPTION);
}

/* "the aK nL falls" is "le NL AK tombe" for five of each, and "the nL falls" is "le NL tombe". */
static void the_lexical_model_finds_words_that_cross(void **state)
{
    enum { WORDS = 5, ALL = WORDS * (WORDS + 1) };
    char text[2][ALL][40];
    const char *sides[2][ALL], **links;
    attend_error err;
    (void)state;
    for (int i = 0; i < ALL; i++) {
        char english[8] = "", french[8] = "";
        if (i >= WORDS) {
            snprintf(english, sizeof english, "a%d ", i / WORDS);
            snprintf(french, sizeof french, "A%d ", i / WORDS);
        }
        snprintf(text[0][i], 40, "the %sn%d falls", english, i % WORDS);
        snprintf(text[1][i], 40, "le N%d %stombe", i % WORDS, french);
        sides[0][i] = text[0][i];
        sides[1][i] = text[1][i];
    }
    assert_int_equal(attend_links_lexical(ALL, sides[0], sides[1], 10, &links, &err), ATTEND_OK);
    for (int i = 0; i < ALL; i++)
        assert_string_equal(links[i], i < WORDS ? "0-0 1-1 2-2" : "0-0 2-1 1-2 3-3");
    attend_free(links);
}

static void empty_sides_have_no_links(void **state)
{
    static const char *const a[] = {"", "x", ""}, *const b[] = {"y", "", ""};
    const char **links;
    attend_error err;
    (void)state;
    assert_int_equal(attend_links_lexical(3, a, b, 3, &links, &err), ATTEND_OK);
    for (int i = 0; i < 3; i++)
        assert_string_equal(links[i], "");
    attend_free(links);
}

static void without_memory_it_fails_cleanly(void **state)
{
    static const char *const links[] = {"0-0 1-1 2-2", "0-0", ""};
    (void)state;
    attend_status status = ATTEND_MEMORY;
    for (int n = 0; status != ATTEND_OK; n++) {
        const char **made;
        attend_error err;
        at_str out = {0};
        at_alloc_fail_after(n);
        status = attend_links_lexical(PAIRS, source, target, 2, &made, &err);
        attend_free(made);
        if (status >= 0)
            status = print(links, &out, &err);
        at_alloc_fail_after(-1);
        at_str_free(&out);
        assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
        assert_true(n < 500);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_numbered_without_their_marks),
        cmocka_unit_test(a_lexicon_has_relative_frequencies),
        cmocka_unit_test(a_link_without_words_is_refused),
        cmocka_unit_test(the_lexical_model_finds_which_words_come_together),
        cmocka_unit_test(the_lexical_model_finds_words_that_cross),
        cmocka_unit_test(empty_sides_have_no_links),
        cmocka_unit_test(without_memory_it_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
