/* Word vectors from text files: whose rows are written, and what is refused. */
#include "data/vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { WIDTH = 3, WORDS = 4 };

static real table[WORDS * WIDTH];
static at_vector_counts counts;
static attend_error err;

static attend_status read_text(const char *text)
{
    char path[] = "vectors.XXXXXX";
    static const char *const words[WORDS] = {"the", "New York", "cat", "dog"};
    at_vocab *vocab = at_vocab_new();
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    for (int i = 0; i < WORDS; i++)
        assert_int_equal(at_vocab_add(vocab, words[i], strlen(words[i])), i);
    for (int i = 0; i < WORDS * WIDTH; i++)
        table[i] = 9;
    attend_status status = at_vectors_read(path, vocab, WIDTH, table, &counts, &err);
    remove(path);
    at_vocab_free(vocab);
    return status;
}

static void row_is(int row, double a, double b, double c)
{
    assert_true(table[row * WIDTH] == (real)a && table[row * WIDTH + 1] == (real)b
                && table[row * WIDTH + 2] == (real)c);
}

static void words_of_the_vocabulary_get_their_vectors(void **state)
{
    (void)state;
    assert_int_equal(read_text("cat 1 -2.5 3e-1\nbird 4 5 6\nthe 7 8 9\ncat 0 0 0\n"), ATTEND_OK);
    assert_true(counts.lines == 4 && counts.found == 2);
    row_is(0, 7, 8, 9);
    row_is(1, 9, 9, 9);
    row_is(2, 1, -2.5, 0.3);
}

static void headers_blanks_at_the_end_and_words_with_blanks_are_known(void **state)
{
    (void)state;
    assert_int_equal(read_text("3 3\nthe 1 2 3 \nNew York 4 5 6 \ndog 7 8 9 \n"), ATTEND_OK);
    assert_true(counts.lines == 3 && counts.found == 3);
    row_is(0, 1, 2, 3);
    row_is(1, 4, 5, 6);
    row_is(3, 7, 8, 9);
}

static void what_is_no_vector_is_refused_with_its_line(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"the 1 2\n", ":1: a word and 2 numbers, where vectors have 3; --embedding 2"},
        {"the 1 2 3 4\n", "--embedding 4"},
        {"the 1 2 3\ndog 1 2\n", ":2: not a word"},
        {"bird 1 2 3\ndog 1 x 3\n", ":2: 'x' is no number"},
        {"dog 1 1e99 3\n", "is no number"},
        {"dog 1 nan 3\n", "is no number"},
        {"", "no word vectors"},
        {"\n\n", "no word vectors"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(read_text(wrong[i][0]), ATTEND_FORMAT);
        if (!strstr(err.message, wrong[i][1]))
            fail_msg("'%s' does not say '%s'", err.message, wrong[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_the_vocabulary_get_their_vectors),
        cmocka_unit_test(headers_blanks_at_the_end_and_words_with_blanks_are_known),
        cmocka_unit_test(what_is_no_vector_is_refused_with_its_line),
    };
    return cmocka_run_group_tests_name("data_vectors", tests, NULL, NULL);
}
