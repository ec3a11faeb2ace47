#include "text/merges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"

enum { WORDS = 40, LONGEST = 12, SYMBOLS = 4, MOST = 60 };

typedef struct {
    int32_t symbol[LONGEST];
    size_t count;
    uint64_t times;
} word;

/* ---- the same by brute force ---- */

static bool brute_best(const word *words, int n, int32_t *left, int32_t *right, uint64_t *times)
{
    static uint64_t count[MOST][MOST];
    memset(count, 0, sizeof count);
    for (int w = 0; w < n; w++)
        for (size_t i = 0; i + 1 < words[w].count; i++)
            count[words[w].symbol[i]][words[w].symbol[i + 1]] += words[w].times;
    *times = 0;
    for (int32_t a = 0; a < MOST; a++)
        for (int32_t b = 0; b < MOST; b++)
            if (count[a][b] > *times) {
                *times = count[a][b];
                *left = a;
                *right = b;
            }
    return *times > 0;
}

static void brute_apply(word *words, int n, int32_t left, int32_t right, int32_t merged)
{
    for (int w = 0; w < n; w++) {
        size_t to = 0;
        for (size_t i = 0; i < words[w].count; i++) {
            bool here = i + 1 < words[w].count && words[w].symbol[i] == left
                        && words[w].symbol[i + 1] == right;
            words[w].symbol[to++] = here ? merged : words[w].symbol[i];
            i += here;
        }
        words[w].count = to;
    }
}

static void random_words(word *words, uint64_t seed)
{
    uint32_t k = 0;
    at_random r = {.seed = seed};
    for (int w = 0; w < WORDS; w++) {
        words[w].count = 1 + at_random_below(r, k++, LONGEST);
        words[w].times = 1 + at_random_below(r, k++, 5);
        for (size_t i = 0; i < words[w].count; i++)
            words[w].symbol[i] = (int32_t)at_random_below(r, k++, SYMBOLS);
    }
}

static void merges_what_counting_everything_anew_merges(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        word words[WORDS];
        random_words(words, seed);
        at_merger *m = at_merger_new();
        for (int w = 0; w < WORDS; w++)
            at_merger_word(m, words[w].symbol, words[w].count, words[w].times);
        int32_t left, right, a, b;
        uint64_t times, n;
        for (int32_t next = SYMBOLS; next < MOST; next++) {
            bool more = brute_best(words, WORDS, &a, &b, &n);
            assert_int_equal(at_merger_best(m, &left, &right, &times), more);
            if (!more)
                break;
            assert_int_equal(times, n);
            assert_int_equal(left, a);
            assert_int_equal(right, b);
            /* now and then the merged symbol is one that exists, as different merges may give the
             * same text */
            int32_t merged = next % 7 ? next : SYMBOLS + next % SYMBOLS;
            brute_apply(words, WORDS, a, b, merged);
            at_merger_apply(m, left, right, merged);
        }
        assert_false(at_merger_failed(m));
        at_merger_free(m);
    }
}

static void overlapping_pairs_merge_from_the_left(void **state)
{
    (void)state;
    const int32_t aaaaa[] = {0, 0, 0, 0, 0};
    int32_t left, right;
    uint64_t times;
    at_merger *m = at_merger_new();
    at_merger_word(m, aaaaa, 5, 1);
    assert_true(at_merger_best(m, &left, &right, &times));
    assert_int_equal(times, 4);
    at_merger_apply(m, 0, 0, 1); /* aa aa a */
    assert_true(at_merger_best(m, &left, &right, &times));
    assert_int_equal(left, 1);
    assert_int_equal(right, 0);
    assert_int_equal(times, 1);
    at_merger_free(m);
}

static void words_of_one_symbol_and_no_words_give_no_pair(void **state)
{
    (void)state;
    const int32_t one = 3;
    int32_t left, right;
    uint64_t times;
    at_merger *m = at_merger_new();
    assert_false(at_merger_best(m, &left, &right, &times));
    at_merger_free(m);
    m = at_merger_new();
    at_merger_word(m, &one, 1, 9);
    assert_false(at_merger_best(m, &left, &right, &times));
    at_merger_free(m);
}

static bool learn_all(void)
{
    word words[WORDS];
    random_words(words, 1);
    at_merger *m = at_merger_new();
    if (!m)
        return false;
    for (int w = 0; w < WORDS; w++)
        at_merger_word(m, words[w].symbol, words[w].count, words[w].times);
    int32_t left, right;
    uint64_t times;
    for (int32_t next = SYMBOLS; next < MOST && at_merger_best(m, &left, &right, &times); next++)
        at_merger_apply(m, left, right, next);
    bool well = !at_merger_failed(m);
    at_merger_free(m);
    return well;
}

static void says_when_memory_runs_out(void **state)
{
    (void)state;
    long live = at_alloc_live();
    bool well = false;
    for (long n = 0; !well; n++) {
        at_alloc_fail_after(n);
        well = learn_all();
        at_alloc_fail_after(-1);
        assert_int_equal(at_alloc_live(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merges_what_counting_everything_anew_merges),
        cmocka_unit_test(overlapping_pairs_merge_from_the_left),
        cmocka_unit_test(words_of_one_symbol_and_no_words_give_no_pair),
        cmocka_unit_test(says_when_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
