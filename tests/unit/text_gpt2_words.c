#include "text/gpt2_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/str.h"
#include "base/utf8.h"

static at_gpt2_words *words;

static int enter(void **state)
{
    (void)state;
    return at_gpt2_words_new(&words, NULL) < 0;
}

static int leave(void **state)
{
    (void)state;
    at_gpt2_words_free(words);
    return at_alloc_live() != 0;
}

typedef struct {
    const char *text;
    size_t end, invalid;
    at_str shown; /* words with | between */
    int left;     /* end after so many, where it is not 0 */
} seen;

static bool take(void *user, size_t begin, size_t size, bool valid)
{
    seen *s = user;
    assert_int_equal(begin, s->end);
    assert_true(size > 0);
    assert_int_equal(at_utf8_valid(s->text + begin, size) == size, valid);
    at_str_print(&s->shown, "%s%.*s", begin ? "|" : "", (int)size, s->text + begin);
    s->end = begin + size;
    s->invalid += valid ? 0 : size;
    return --s->left != 0;
}

static void cut(const char *text, size_t size, const char *want)
{
    seen s = {.text = text};
    assert_int_equal(at_gpt2_words_cut(words, text, size, take, &s, NULL), ATTEND_OK);
    assert_int_equal(s.end, size);
    if (want)
        assert_string_equal(at_str_text(&s.shown), want);
    at_str_free(&s.shown);
}

static void words_are_cut_as_gpt2_does(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"Hello world", "Hello| world"},
        {"Hello,  world!", "Hello|,| | world|!"},
        {"we'll I'm don't they've 'tis", "we|'ll| I|'m| don|'t| they|'ve| '|tis"},
        {"WE'LL", "WE|'|LL"}, /* its endings are of lower case alone */
        {"a1b2 34", "a|1|b|2| 34"},
        {"x = 3.14;", "x| =| 3|.|14|;"},
        {"   lead", "  | lead"},
        {"trail   ", "trail|   "},
        {"a\n\nb", "a|\n|\n|b"},
        {"a\n b", "a|\n| b"},
        {"\t\tx", "\t|\t|x"},
        {"né 汤姆 ２", "né| 汤姆| ２"},
        {"e\u0301", "e|\u0301"}, /* an accent is no letter */
        {"x\u00A0y", "x|\u00A0|y"},
        {"x\u180Ey", "x|\u180E|y"}, /* no white space any more */
        {"x \u180Ey", "x| \u180E|y"},
        {"😀😀 😀", "😀😀| 😀"},
        {"²³ Ⅷ", "²³| Ⅷ"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cut(cases[i][0], strlen(cases[i][0]), cases[i][1]);
}

static void bytes_that_are_no_utf8_are_words(void **state)
{
    (void)state;
    cut("a\xFF\xFE b", 5, "a|\xFF\xFE| b");
    cut("\x80", 1, "\x80");
    cut("ab \xC3", 4, "ab| |\xC3");
    cut("\xED\xA0\x80x", 4, "\xED\xA0\x80|x"); /* half of a pair */
}

static void every_byte_is_in_one_word(void **state)
{
    (void)state;
    static const char *const parts[] = {" ",  "  ",   "a",        "Zz",     "'",      "'s",
                                        "9",  "é",    "汤",       "\n",     "\t",     "!",
                                        "?!", "\xFF", "\xE6\xB1", "\u3000", "\u180E", "😀"};
    for (uint32_t seed = 0; seed < 2000; seed++) {
        char text[200];
        size_t size = 0;
        for (uint32_t i = 0; i < 30; i++) {
            const char *part =
                parts[at_random_below((at_random){.seed = seed}, i, sizeof parts / sizeof *parts)];
            memcpy(text + size, part, strlen(part));
            size += strlen(part);
        }
        cut(text, size, NULL);
        for (size_t i = 0; i < 40; i++)
            text[i] = (char)at_random_u32((at_random){.seed = seed, .step = 1}, (uint32_t)i);
        cut(text, 40, NULL);
    }
}

static void cutting_can_be_ended(void **state)
{
    (void)state;
    seen s = {.text = "one two three", .left = 2};
    assert_int_equal(at_gpt2_words_cut(words, s.text, 13, take, &s, NULL), ATTEND_OK);
    assert_string_equal(at_str_text(&s.shown), "one| two");
    at_str_free(&s.shown);
}

static void long_runs_of_one_kind_are_one_word(void **state)
{
    (void)state;
    enum { SIZE = 1 << 21 };
    static const char kinds[] = "a1!";
    char *text = at_alloc(SIZE);
    assert_non_null(text);
    for (int i = 0; i < 3; i++) {
        seen s = {.text = text};
        memset(text, kinds[i], SIZE);
        assert_int_equal(at_gpt2_words_cut(words, text, SIZE, take, &s, NULL), ATTEND_OK);
        assert_int_equal(s.shown.length, SIZE);
        at_str_free(&s.shown);
    }
    memset(text, ' ', SIZE);
    text[SIZE - 1] = 'x';
    seen s = {.text = text};
    assert_int_equal(at_gpt2_words_cut(words, text, SIZE, take, &s, NULL), ATTEND_OK);
    assert_int_equal(s.shown.length, SIZE + 1); /* all blanks but one, and " x" */
    at_str_free(&s.shown);
    at_free(text);
}

static void without_memory_it_fails(void **state)
{
    (void)state;
    at_gpt2_words *w = NULL;
    attend_error err;
    long n = 0;
    for (attend_status status = ATTEND_MEMORY; status < 0; n++) {
        at_alloc_fail_after(n);
        status = at_gpt2_words_new(&w, &err);
        at_alloc_fail_after(-1);
        assert_true(status == ATTEND_OK || (status == ATTEND_MEMORY && !w));
    }
    assert_true(n > 2);
    at_gpt2_words_free(w);
    seen s = {.text = "one"};
    at_alloc_fail_after(0);
    assert_int_equal(at_gpt2_words_cut(words, "one", 3, take, &s, &err), ATTEND_MEMORY);
    at_alloc_fail_after(-1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(words_are_cut_as_gpt2_does),
                                       cmocka_unit_test(bytes_that_are_no_utf8_are_words),
                                       cmocka_unit_test(every_byte_is_in_one_word),
                                       cmocka_unit_test(cutting_can_be_ended),
                                       cmocka_unit_test(long_runs_of_one_kind_are_one_word),
                                       cmocka_unit_test(without_memory_it_fails)};
    return cmocka_run_group_tests(tests, enter, leave);
}
