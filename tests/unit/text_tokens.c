#include "text/tokenizer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* the words of pieces given as begin, end, ... up to 0, 0 */
static void check_words(const char *text, const size_t *ranges, const uint32_t *expected,
                        uint32_t words)
{
    at_tokens p = {0};
    for (; ranges[1]; ranges += 2)
        at_tokens_add(&p, 0, ranges[0], ranges[1]);
    assert_int_equal(at_tokens_number_words(&p, 0, text, strlen(text)), words);
    for (size_t i = 0; i < p.count; i++)
        assert_int_equal(p.item[i].word, expected[i]);
    at_tokens_free(&p);
}

static void numbers_words_between_white_space(void **state)
{
    (void)state;
    check_words("ab cd", (size_t[]){0, 1, 1, 2, 3, 5, 0, 0}, (uint32_t[]){0, 0, 1}, 2);
    check_words("  ab\t\ncd  ", (size_t[]){2, 4, 6, 8, 0, 0}, (uint32_t[]){0, 1}, 2);
    check_words("", (size_t[]){0, 0}, NULL, 0);
    check_words(" \n ", (size_t[]){0, 0}, NULL, 0);
    check_words("a\xE3\x80\x80"
                "b",
                (size_t[]){0, 1, 4, 5, 0, 0}, (uint32_t[]){0, 1}, 2);
}

static void a_token_with_a_blank_before_it_is_of_the_word_after_it(void **state)
{
    (void)state;
    check_words("ab cd", (size_t[]){0, 2, 2, 5, 0, 0}, (uint32_t[]){0, 1}, 2);
    check_words("ab cd", (size_t[]){0, 2, 2, 3, 3, 5, 0, 0}, (uint32_t[]){0, 1, 1}, 2);
    check_words("ab cd ", (size_t[]){3, 5, 5, 6, 0, 0}, (uint32_t[]){1, 2}, 2);
}

static void tokens_of_one_character_share_its_word(void **state)
{
    (void)state;
    check_words("x \xC3\xA9 y", (size_t[]){2, 3, 3, 4, 5, 6, 0, 0}, (uint32_t[]){1, 1, 2}, 3);
    check_words("x \xC3\xA9 y", (size_t[]){2, 4, 2, 4, 5, 6, 0, 0}, (uint32_t[]){1, 1, 2}, 3);
}

static void special_tokens_have_no_word(void **state)
{
    (void)state;
    at_tokens p = {0};
    at_tokens_add(&p, 7, 0, 0);
    at_tokens_add(&p, 8, 0, 1);
    at_tokens_number_words(&p, 0, "a", 1);
    assert_int_equal(p.item[0].word, ATTEND_NO_WORD);
    assert_int_equal(p.item[1].word, 0);
    at_tokens_free(&p);
}

static void counts_characters_for_bytes(void **state)
{
    (void)state;
    const char text[] = "a\xC3\xA9\xE4\xB8\xAD\xFFz"; /* a é 中, an invalid byte, z */
    const size_t bytes[][2] = {{0, 1}, {1, 3}, {3, 6}, {6, 7}, {7, 8}, {3, 4}, {0, 8}};
    const size_t chars[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {2, 3}, {0, 5}};
    at_tokens p = {0};
    for (size_t i = 0; i < 7; i++)
        at_tokens_add(&p, 0, bytes[i][0], bytes[i][1]);
    at_tokens_in_characters(&p, text, sizeof text - 1);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(p.item[i].begin, chars[i][0]);
        assert_int_equal(p.item[i].end, chars[i][1]);
    }
    at_tokens_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_words_between_white_space),
        cmocka_unit_test(a_token_with_a_blank_before_it_is_of_the_word_after_it),
        cmocka_unit_test(tokens_of_one_character_share_its_word),
        cmocka_unit_test(special_tokens_have_no_word),
        cmocka_unit_test(counts_characters_for_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
