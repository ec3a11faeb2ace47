#include "text/coverage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "text_lines.h"

static const char *const lines[] = {"the cat sat", "the dog sat on the the mat", "mat", NULL};

static at_tokenizer *learn(void)
{
    at_tokenizer *t;
    assert_int_equal(at_tokenizer_learn("words", TEST_LINES(lines), NULL, &t, NULL), ATTEND_OK);
    return t; /* the, sat, mat */
}

static void counts_words_tokens_and_what_is_unknown(void **state)
{
    (void)state;
    at_tokenizer *t = learn();
    at_coverage *c = at_coverage_new(t);
    assert_int_equal(at_coverage_add(c, "the cat, the dog", 16, NULL), ATTEND_OK);
    assert_int_equal(at_coverage_add(c, "cat! sat \xFF", 10, NULL), ATTEND_OK);
    attend_coverage_info n = at_coverage_so_far(c);
    assert_int_equal(n.lines, 2);
    assert_int_equal(n.words, 7);
    assert_int_equal(n.known_words, 3); /* the, the, sat */
    assert_int_equal(n.tokens, 9);
    assert_int_equal(n.unknown, 6);
    assert_int_equal(n.used, 2);
    assert_int_equal(n.bytes, 26);
    assert_int_equal(n.characters, 26);
    assert_int_equal(n.invalid, 1);
    assert_int_equal(n.unknown_texts, 5);
    const int32_t *order;
    const at_vocab *unknown = at_coverage_unknown(c, &order);
    assert_string_equal(at_vocab_text(unknown, order[0], NULL), "cat");
    assert_int_equal(at_vocab_count(unknown, order[0]), 2);
    assert_string_equal(at_vocab_text(unknown, order[1], NULL), "!");
    at_coverage_free(c);
    at_tokenizer_free(t);
}

static void a_text_of_nothing_has_nothing(void **state)
{
    (void)state;
    at_tokenizer *t = learn();
    at_coverage *c = at_coverage_new(t);
    const int32_t *order;
    at_coverage_add(c, "", 0, NULL);
    attend_coverage_info n = at_coverage_so_far(c);
    assert_int_equal(n.lines, 1);
    assert_int_equal(n.words + n.tokens + n.unknown, 0);
    assert_non_null(at_coverage_unknown(c, &order));
    at_coverage_free(c);
    at_tokenizer_free(t);
}

static void says_when_memory_runs_out(void **state)
{
    (void)state;
    long live = at_alloc_live();
    bool well = false;
    for (long n = 0; !well; n++) {
        at_tokenizer *t = learn();
        at_alloc_fail_after(n);
        at_coverage *c = at_coverage_new(t);
        well = c && at_coverage_add(c, "x y z the", 9, NULL) == ATTEND_OK;
        at_alloc_fail_after(-1);
        at_coverage_free(c);
        at_tokenizer_free(t);
        assert_int_equal(at_alloc_live(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_words_tokens_and_what_is_unknown),
        cmocka_unit_test(a_text_of_nothing_has_nothing),
        cmocka_unit_test(says_when_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
