#include "text/counting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "attend.h"

static uint32_t count(const char *text)
{
    size_t size = strlen(text);
    return at_words_count(text, size, at_words_stand_alone(text, size));
}

static void words_stand_between_white_space(void **state)
{
    (void)state;
    assert_int_equal(count(""), 0);
    assert_int_equal(count("  a bc\t d. "), 3);
    assert_int_equal(count("a\xff b"), 2);
}

static void characters_of_chinese_and_japanese_are_words(void **state)
{
    (void)state;
    assert_int_equal(count("她昨天。"), 4);
    assert_int_equal(count("ねこが好き"), 5);
    assert_int_equal(count("我用 Python 写的。"), 6);
    assert_int_equal(count("用C写"), 3);
}

static void blanks_that_somebody_put_between_them_count(void **state)
{
    (void)state;
    assert_int_equal(count("我们 喜欢 书 。"), 4);
    assert_int_equal(count("我们　喜欢"), 2);
}

static void words_come_one_by_one(void **state)
{
    static const char *const words[] = {"我", "用", "C", "写", "的。"};
    const char *text = " 我用 C写 的。";
    size_t at = 0, n = 0, size = strlen(text);
    at_text word;
    (void)state;
    for (; at_words_next(text, size, n < 4, &at, &word); n++) {
        assert_int_equal(word.size, strlen(words[n]));
        assert_memory_equal(word.text, words[n], word.size);
    }
    assert_int_equal(n, 5);
}

static void a_token_is_in_the_word_of_its_first_character(void **state)
{
    (void)state;
    const char *text = "我 ab写的";
    const uint32_t begin[] = {0, 3, 5, 6, 9}, word[] = {0, 1, 1, 2, 3};
    for (int i = 0; i < 5; i++) {
        at_token p = {.word = 0, .begin = begin[i], .end = begin[i] + 1};
        assert_int_equal(at_word_of(text, strlen(text), &p), word[i]);
    }
    at_token frame = {.word = ATTEND_NO_WORD};
    assert_int_equal(at_word_of(text, strlen(text), &frame), ATTEND_NO_WORD);
}

static void white_space_around_a_text_goes(void **state)
{
    static const char *const text[] = {" Mann", "Mann", "\xE3\x80\x80Mann \t", "Mann\xC2\xA0"};
    (void)state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        at_text t = at_trimmed(text[i], strlen(text[i]));
        assert_int_equal(t.size, 4);
        assert_memory_equal(t.text, "Mann", 4);
    }
    assert_int_equal(at_trimmed("a b", 3).size, 3);
    assert_int_equal(at_trimmed("  ", 2).size, 0);
    assert_int_equal(at_trimmed("", 0).size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_stand_between_white_space),
        cmocka_unit_test(characters_of_chinese_and_japanese_are_words),
        cmocka_unit_test(blanks_that_somebody_put_between_them_count),
        cmocka_unit_test(words_come_one_by_one),
        cmocka_unit_test(a_token_is_in_the_word_of_its_first_character),
        cmocka_unit_test(white_space_around_a_text_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
