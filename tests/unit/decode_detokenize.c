/* What stands for an unknown word. */
#include "decode/detokenize.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* "in Omega. !" as SentencePiece cuts it: blanks begin words, and the end is a piece without text
 */
static at_token piece[] = {
    {.id = 5, .word = 0, .begin = 0, .end = 2},   {.id = 6, .word = 1, .begin = 2, .end = 3},
    {.id = 0, .word = 1, .begin = 3, .end = 4},   {.id = 7, .word = 1, .begin = 4, .end = 8},
    {.id = 8, .word = 1, .begin = 8, .end = 9},   {.id = 6, .word = 2, .begin = 9, .end = 10},
    {.id = 9, .word = 2, .begin = 10, .end = 11}, {.id = 1, .word = 2, .begin = 11, .end = 11}};
static const at_tokens pieces = {.item = piece, .count = 8};

static void expect(const at_dictionary *d, int positions, int looks_at, const char *wanted)
{
    real weights[8] = {0};
    at_arena memory = {.first_size = 0};
    at_detokenizer w = {.dictionary = d,
                        .source = &pieces,
                        .line = {"in Omega. !", 11},
                        .positions = positions,
                        .memory = &memory};
    at_text out = {"?", 1};
    weights[looks_at] = (real)0.9;
    assert_true(at_detokenizer_replace(&w, weights, &out));
    assert_int_equal(out.size, strlen(wanted));
    assert_memory_equal(out.text, wanted, out.size);
    at_arena_free(&memory);
}

static void a_word_stands_there_without_its_blank(void **state)
{
    (void)state;
    expect(NULL, 8, 2, "Omega");
    expect(NULL, 8, 1, "Omega");
    expect(NULL, 8, 0, "in");
    expect(NULL, 8, 4, ".");
    expect(NULL, 8, 5, "!");
}

static void the_dictionary_knows_words_behind_the_first(void **state)
{
    char path[] = "/tmp/attend-detokenize-XXXXXX";
    attend_error err;
    at_dictionary *d;
    (void)state;
    int file = mkstemp(path);
    FILE *f = fdopen(file, "w");
    assert_non_null(f);
    fputs("Omega\tO-MEGA\nin\tdans\n", f);
    fclose(f);
    assert_int_equal(at_dictionary_open(path, &d, &err), ATTEND_OK);
    unlink(path);
    expect(d, 8, 3, "O-MEGA");
    expect(d, 8, 0, "dans");
    at_dictionary_free(d);
}

static void what_was_not_read_does_not_come(void **state)
{
    (void)state;
    expect(NULL, 1, 3, "in");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_stands_there_without_its_blank),
        cmocka_unit_test(the_dictionary_knows_words_behind_the_first),
        cmocka_unit_test(what_was_not_read_does_not_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
