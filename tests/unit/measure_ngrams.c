#include "measure/ngrams.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"

enum { LENGTH = 20, ORDER = 4 };

/* ---- pairs ------------------------------------------------------------------------------ */

static void equal_sequences_have_equal_numbers(void **state)
{
    (void)state;
    at_pairs p = {0};
    for (int round = 0; round < 3; round++) { /* each starts afresh */
        at_pairs_start(&p);
        assert_int_equal(at_pairs_find(&p, 0, 7), 0);
        uint32_t a = at_pairs_add(&p, 0, 7), b = at_pairs_add(&p, a, 7);
        assert_int_equal(a, 1);
        assert_int_equal(b, 2);
        assert_int_equal(at_pairs_add(&p, 0, 7), a);
        assert_int_equal(at_pairs_find(&p, a, 7), b);
        for (uint32_t i = 0; i < 5000; i++)
            at_pairs_add(&p, b, i);
        assert_int_equal(p.count, 5002);
        assert_int_equal(at_pairs_find(&p, a, 7), b);
        for (uint32_t i = 0; i < 5000; i++)
            assert_int_equal(at_pairs_find(&p, b, i), i + 3);
    }
    at_pairs_free(&p);
}

static void words_that_are_not_known_are_zero(void **state)
{
    (void)state;
    at_pairs p = {0};
    at_chars text = {0}, words = {0};
    at_pairs_start(&p);
    at_chars_set(&text, "the cat the cats", 16);
    at_pairs_words(&p, &text, true, &words);
    assert_int_equal(words.count, 4);
    assert_int_equal(words.at[0], words.at[2]);
    assert_int_not_equal(words.at[1], words.at[3]);
    uint32_t cat = words.at[1];
    at_chars_set(&text, "cat ca dog", 10);
    at_pairs_words(&p, &text, false, &words);
    assert_int_equal(words.at[0], cat);
    assert_int_equal(words.at[2], 0);
    at_pairs_free(&p);
    at_chars_free(&text);
    at_chars_free(&words);
}

/* ---- n-grams ---------------------------------------------------------------------------- */

static int occurrences(const uint32_t *gram, const uint32_t *in, size_t length, size_t order)
{
    int count = 0;
    for (size_t i = 0; i + order <= length; i++)
        count += memcmp(gram, in + i, order * sizeof *gram) == 0;
    return count;
}

/* clipped matches by the definition: each different n-gram of a once */
static double matches(const uint32_t *a, const uint32_t *b, const uint32_t *c, size_t order)
{
    double total = 0;
    for (size_t i = 0; i + order <= LENGTH; i++) {
        if (occurrences(a + i, a, i + order - 1, order) > 0)
            continue;
        int of_a = occurrences(a + i, a, LENGTH, order),
            of_b = occurrences(a + i, b, LENGTH, order);
        int of_c = occurrences(a + i, c, LENGTH, order), most = of_b > of_c ? of_b : of_c;
        total += of_a < most ? of_a : most;
    }
    return total;
}

static void matches_are_those_of_the_definition(void **state)
{
    (void)state;
    at_ngrams g = {0};
    for (uint32_t round = 0; round < 200; round++) {
        uint32_t text[3][LENGTH];
        double got[ORDER];
        at_random r = {.seed = 1, .step = round};
        for (uint32_t i = 0; i < 3 * LENGTH; i++)
            text[i / LENGTH][i % LENGTH] = at_random_below(r, i, 2 + round % 5);
        at_ngrams_start(&g);
        at_ngrams_count(&g, text[0], LENGTH, ORDER);
        at_ngrams_match(&g, text[1], LENGTH, ORDER);
        at_ngrams_match(&g, text[2], LENGTH, ORDER);
        at_ngrams_matches(&g, ORDER, got);
        for (int n = 1; n <= ORDER; n++)
            assert_true(got[n - 1] == matches(text[0], text[1], text[2], (size_t)n));
        at_ngrams_unmatch(&g);
        at_ngrams_match(&g, text[1], LENGTH, ORDER);
        at_ngrams_matches(&g, ORDER, got);
        for (int n = 1; n <= ORDER; n++)
            assert_true(got[n - 1] == matches(text[0], text[1], text[1], (size_t)n));
    }
    at_ngrams_free(&g);
}

static void short_sequences_have_no_long_ones(void **state)
{
    (void)state;
    assert_true(at_ngrams_in(0, 1) == 0 && at_ngrams_in(3, 4) == 0);
    assert_true(at_ngrams_in(4, 4) == 1 && at_ngrams_in(10, 1) == 10);
}

static void failed_memory_is_kept(void **state)
{
    (void)state;
    uint32_t text[600];
    for (uint32_t i = 0; i < 600; i++)
        text[i] = i;
    bool failed = true;
    for (long n = 0; failed; n++) {
        at_ngrams g = {0};
        at_alloc_fail_after(n);
        at_ngrams_start(&g);
        at_ngrams_count(&g, text, 600, 2);
        at_ngrams_match(&g, text, 600, 2);
        at_alloc_fail_after(-1);
        failed = g.failed;
        at_ngrams_free(&g);
        assert_int_equal(at_alloc_live(), 0);
        assert_true(n < 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_sequences_have_equal_numbers),
        cmocka_unit_test(words_that_are_not_known_are_zero),
        cmocka_unit_test(matches_are_those_of_the_definition),
        cmocka_unit_test(short_sequences_have_no_long_ones),
        cmocka_unit_test(failed_memory_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
