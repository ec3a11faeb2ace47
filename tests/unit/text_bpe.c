#include "text/bpe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"

enum { LETTERS = 3, MOST = 400 };

/* letters a, b, c with the ids 0, 1, 2 */
static at_bpe *letters(void)
{
    at_bpe *b = at_bpe_new();
    assert_non_null(b);
    for (int i = 0; i < LETTERS; i++)
        at_bpe_set_byte(b, (unsigned char)('a' + i), i);
    return b;
}

/* the rule, word for word: the lowest rank there is, merged wherever it stands, from the left */
static int by_the_rule(const at_bpe *b, const char *word, int n, at_bpe_part *parts)
{
    for (int i = 0; i < n; i++)
        parts[i] = (at_bpe_part){at_bpe_byte(b, (unsigned char)word[i]), 1};
    for (;;) {
        int best = -1, to = 0;
        for (int i = 0; i + 1 < n; i++) {
            int rank = parts[i].id < 0 || parts[i + 1].id < 0
                           ? -1
                           : at_bpe_rank(b, parts[i].id, parts[i + 1].id);
            if (rank >= 0 && (best < 0 || rank < best))
                best = rank;
        }
        if (best < 0)
            return n;
        at_merge m = at_bpe_merge(b, best);
        for (int i = 0; i < n; i++, to++) {
            parts[to] = parts[i];
            if (i + 1 < n && parts[i].id == m.left && parts[i + 1].id == m.right) {
                parts[to] = (at_bpe_part){m.merged, parts[i].size + parts[i + 1].size};
                i++;
            }
        }
        n = to;
    }
}

static void assert_cut_by_the_rule(const at_bpe *b, const char *word, size_t size)
{
    at_bpe_part got[MOST], want[MOST];
    ptrdiff_t n = at_bpe_encode(b, word, size, got);
    assert_int_equal(n, by_the_rule(b, word, (int)size, want));
    for (ptrdiff_t i = 0; i < n; i++)
        if (got[i].id != want[i].id || got[i].size != want[i].size)
            fail_msg("%.*s: part %d is %d of %d bytes, not %d of %d", (int)size, word, (int)i,
                     got[i].id, got[i].size, want[i].id, want[i].size);
}

static void words_of_any_length_are_cut_by_the_rule(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 300; seed++) {
        at_bpe *b = letters();
        at_random r = {.seed = seed};
        uint32_t at = 0;
        int ids = LETTERS;
        for (int k = 0; k < 12; k++, ids++) { /* in learned order, and in any order */
            int left = (int)at_random_below(r, at++, (uint32_t)ids);
            int right = (int)at_random_below(r, at++, (uint32_t)ids);
            if (seed % 2)
                left += (int)at_random_below(r, at++, 6); /* may be made by a later merge */
            if (at_bpe_rank(b, left, right) < 0)
                assert_true(at_bpe_add(b, (at_merge){left, right, ids}));
        }
        for (int k = 0; k < 40; k++) {
            char word[MOST];
            size_t size = at_random_below(r, at++, k % 2 ? MOST : 50);
            for (size_t i = 0; i < size; i++)
                word[i] = (char)('a' + at_random_below(r, at++, k % 5 ? LETTERS : 1));
            assert_cut_by_the_rule(b, word, size);
        }
        at_bpe_free(b);
    }
}

static void a_pair_that_ranks_lower_waits_for_the_one_at_hand(void **state)
{
    (void)state;
    at_bpe *b = letters();
    char word[MOST];
    assert_true(at_bpe_add(b, (at_merge){3, 0, 4})); /* ab+a before a+b */
    assert_true(at_bpe_add(b, (at_merge){0, 1, 3}));
    for (size_t i = 0; i < MOST; i++)
        word[i] = i % 2 ? 'b' : 'a';
    at_bpe_part parts[MOST];
    assert_int_equal(at_bpe_encode(b, word, 4, parts), 2);
    assert_int_equal(parts[0].id, 3);
    assert_int_equal(at_bpe_encode(b, word, MOST, parts), MOST / 2);
    assert_cut_by_the_rule(b, word, MOST - 1);
    at_bpe_free(b);
}

static void bytes_without_an_id_stay_alone(void **state)
{
    (void)state;
    at_bpe *b = letters();
    at_bpe_part parts[8];
    assert_true(at_bpe_add(b, (at_merge){0, 1, 3}));
    assert_int_equal(at_bpe_encode(b, "abxab", 5, parts), 3);
    assert_int_equal(parts[0].id, 3);
    assert_int_equal(parts[1].id, -1);
    assert_int_equal(parts[1].size, 1);
    assert_int_equal(at_bpe_encode(b, "", 0, parts), 0);
    at_bpe_free(b);
}

static void the_last_of_two_equal_pairs_counts(void **state)
{
    (void)state;
    at_bpe *b = letters();
    assert_true(at_bpe_add(b, (at_merge){0, 1, 3}));
    assert_true(at_bpe_add(b, (at_merge){1, 2, 4}));
    assert_true(at_bpe_add(b, (at_merge){0, 1, 3}));
    assert_int_equal(at_bpe_rank(b, 0, 1), 2);
    at_bpe_part parts[3];
    assert_int_equal(at_bpe_encode(b, "abc", 3, parts), 2);
    assert_int_equal(parts[1].id, 4); /* a bc */
    assert_int_equal(at_bpe_merges(b), 3);
    at_bpe_free(b);
}

static void a_megabyte_without_a_blank_is_no_trap(void **state)
{
    (void)state;
    enum { SIZE = 1 << 20 };
    at_bpe *b = letters();
    for (int i = 0; i < 10; i++) /* runs of a double: 2, 4, 8, ... */
        assert_true(at_bpe_add(b, (at_merge){i ? i + 2 : 0, i ? i + 2 : 0, i + 3}));
    char *word = at_alloc(SIZE);
    at_bpe_part *parts = at_alloc(SIZE * sizeof *parts);
    assert_non_null(word);
    assert_non_null(parts);
    memset(word, 'a', SIZE);
    assert_int_equal(at_bpe_encode(b, word, SIZE, parts), SIZE / 1024);
    assert_int_equal(parts[0].size, 1024);
    at_free(word);
    at_free(parts);
    at_bpe_free(b);
}

static void without_memory_it_says_so(void **state)
{
    (void)state;
    char word[MOST];
    at_bpe_part parts[MOST];
    memset(word, 'a', MOST);
    at_bpe *b = letters();
    assert_true(at_bpe_add(b, (at_merge){0, 0, 3}));
    ptrdiff_t count = -1;
    for (long n = 0; count < 0; n++) {
        at_alloc_fail_after(n);
        count = at_bpe_encode(b, word, MOST, parts);
        at_alloc_fail_after(-1);
    }
    assert_int_equal(count, MOST / 2);
    bool added = true;
    for (int i = 0; added && i < 5000; i++) {
        at_alloc_fail_after(0);
        added = at_bpe_add(b, (at_merge){i, 1, i});
        at_alloc_fail_after(-1);
    }
    assert_false(added);
    assert_int_equal(at_bpe_rank(b, 0, 0), 0);
    at_bpe_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_any_length_are_cut_by_the_rule),
        cmocka_unit_test(a_pair_that_ranks_lower_waits_for_the_one_at_hand),
        cmocka_unit_test(bytes_without_an_id_stay_alone),
        cmocka_unit_test(the_last_of_two_equal_pairs_counts),
        cmocka_unit_test(a_megabyte_without_a_blank_is_no_trap),
        cmocka_unit_test(without_memory_it_says_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
