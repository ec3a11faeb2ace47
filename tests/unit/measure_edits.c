#include "measure/edits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"

enum { MOST = 400 };

/* edits between words of one letter */
static size_t edits(const char *hypothesis, const char *reference)
{
    uint32_t a[MOST], b[MOST];
    size_t n = strlen(hypothesis), m = strlen(reference), count = 0;
    at_edits e = {0};
    for (size_t i = 0; i < n; i++)
        a[i] = (unsigned char)hypothesis[i];
    for (size_t i = 0; i < m; i++)
        b[i] = (unsigned char)reference[i];
    assert_true(at_edits_count(&e, a, n, b, m, &count));
    at_edits_free(&e);
    return count;
}

static void counts_insertions_deletions_and_replacements(void **state)
{
    (void)state;
    assert_int_equal(edits("abc", "abc"), 0);
    assert_int_equal(edits("", "abc"), 3);
    assert_int_equal(edits("ac", "abc"), 1);
    assert_int_equal(edits("abxc", "abc"), 1);
    assert_int_equal(edits("axc", "abc"), 1);
    assert_int_equal(edits("xyz", "abc"), 3);
    assert_int_equal(edits("xyzuv", "a"), 5);
}

static void a_shift_is_one_edit(void **state)
{
    (void)state;
    assert_int_equal(edits("bcda", "abcd"), 1);
    assert_int_equal(edits("dabc", "abcd"), 1);
    assert_int_equal(edits("defabc", "abcdef"), 1); /* three words at once */
    assert_int_equal(edits("abcfghdeij", "abcdefghij"), 1);
    assert_int_equal(edits("efgxabcd", "abcdefgx"), 1); /* the longer part need not move */
    assert_int_equal(edits("bacd", "abcd"), 1);
    assert_int_equal(edits("badc", "abcd"), 2);
    assert_int_equal(edits("bcdax", "abcdy"), 2); /* a shift and a replacement */
}

static void shifts_are_at_most_ten_words_long(void **state)
{
    (void)state;
    assert_int_equal(edits("klmnopqrstabcdefghij", "abcdefghijklmnopqrst"), 1);
    assert_int_equal(edits("lmnopqrstuvabcdefghijk", "abcdefghijklmnopqrstuv"), 2);
}

/* counted by a program of another hand that follows the same rules step by step */
static void the_search_for_shifts_is_tercoms(void **state)
{
    (void)state;
    static const struct {
        const char *hypothesis, *reference;
        size_t edits;
    } cases[] = {
        {"tzfdujeosgzqputq", "oqsgfzqputzfdojec", 7},
        {"aabdadacda", "eadacdaaab", 2},
        {"deccbbadabbaeaad", "ccadabbaaaddbeb", 5},
        {"semuefmjhxxgfurgv", "semfuejhthxgfxurgvm", 5},
        {"bbdeeeacbbaacdabceebdba", "bbdeeeacbbaacddbaabcceeb", 2},
        {"chbhahfeaabhbeffac", "aahfeaabhbefcbbhfac", 4},
        {"gdkdbecbcchddgdjffa", "dkgddgdjfdcchfalbecb", 4},
        {"hhcecaaggfghfbdbhedga", "bhggedhhcfghfbdgaecaa", 5},
        {"ebachcbdgbfdcchgb", "dcbdccebachbbfghg", 6},
        {"bllcgcefgehfil", "eebllcgcfilfg", 4},
        {"zucrtvsdmfypfuobm", "qsduozucrtvybmfmpf", 6},
        {"acaggafgafbdghcdbaedaghbdafcbhcfgheegfc", "acggafgafbdghedabhcdbaghbdafcbfhcghegfce", 6},
        {"begajabhfdffdiebbgcfckcidkfhhlecbhglebhjkd", "egajabdiebbkcidkfhhfdffhlcbbhjdhglegcfck",
         6},
        {"behfecdffeagbebeadafbfhehehfdgbfafggdfgcccbhcfb",
         "behfecdfffbfhehehfdgdbffafggdfgcccbheadaceagbebfb", 4},
        {"dcfcddghfgagfdabefdffhbgdfebcdadbcdhgffafeceefccbhcdbebae",
         "dcghfgagfdaefdfehbgdfebceedfcddadbcdhgffbfehbhcdbecfcbae", 10},
        {"dkqpsmptdpmfeihskbuzbxvzesdqktwsynnyjpownndq",
         "dsmfkqeihskbuzbxvzemptdplntwsynyjpownndsdqkq", 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(edits(cases[i].hypothesis, cases[i].reference), cases[i].edits);
}

/* ---- properties ------------------------------------------------------------------------- */

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

static size_t levenshtein(const uint32_t *a, size_t n, const uint32_t *b, size_t m)
{
    static size_t d[MOST + 1][MOST + 1];
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++)
            d[i][j] = i == 0   ? j
                      : j == 0 ? i
                               : smallest(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]), d[i - 1][j] + 1,
                                          d[i][j - 1] + 1);
    return d[n][m];
}

static void fill(uint32_t *words, size_t n, uint32_t round, uint32_t use, uint32_t kinds)
{
    at_random r = {.seed = 5, .step = round, .use = use};
    for (uint32_t i = 0; i < n; i++)
        words[i] = at_random_below(r, i, kinds);
}

static void distances_near_the_diagonal_are_levenshteins(void **state)
{
    (void)state;
    at_edits e = {0};
    for (uint32_t round = 0; round < 300; round++) {
        uint32_t a[30], b[24];
        size_t n = 1 + round % 30, m = 1 + round * 7 % 24;
        fill(a, n, round, 1, 2 + round % 6);
        fill(b, m, round, 2, 2 + round % 6);
        assert_true(at_edits_start(&e, n, b, m));
        assert_int_equal(at_edits_distance(&e, a), levenshtein(a, n, b, m));
    }
    at_edits_free(&e);
}

static void far_from_it_they_are_never_smaller(void **state)
{
    (void)state;
    at_edits e = {0};
    for (uint32_t round = 0; round < 40; round++) {
        static uint32_t a[MOST], b[MOST];
        size_t n = 1 + round * 37 % 300, m = 1 + round * 91 % 300;
        fill(a, n, round, 1, 4);
        fill(b, m, round, 2, 4);
        assert_true(at_edits_start(&e, n, b, m));
        size_t distance = (size_t)at_edits_distance(&e, a), longest = n > m ? n : m;
        assert_true(distance >= levenshtein(a, n, b, m) && distance <= longest);
    }
    at_edits_free(&e);
}

static void a_moved_part_changes_the_distance_as_if_computed_anew(void **state)
{
    (void)state;
    at_edits e = {0}, fresh = {0};
    for (uint32_t round = 0; round < 300; round++) {
        uint32_t a[80], b[80], changed[80];
        size_t n = 2 + round % 78, m = 1 + round * 7 % 79;
        fill(a, n, round, 1, 3 + round % 9);
        fill(b, m, round, 2, 3 + round % 9);
        assert_true(at_edits_start(&e, n, b, m) && at_edits_start(&fresh, n, b, m));
        at_edits_distance(&e, a);
        size_t from = round * 13 % n, to = from + 1 + round % (n - from);
        memcpy(changed, a, sizeof a);
        fill(changed + from, to - from, round, 3, 3 + round % 9);
        assert_int_equal(at_edits_distance_moved(&e, changed, from, to),
                         at_edits_distance(&fresh, changed));
    }
    at_edits_free(&e);
    at_edits_free(&fresh);
}

static void edits_are_between_the_difference_in_length_and_the_distance(void **state)
{
    (void)state;
    at_edits e = {0};
    for (uint32_t round = 0; round < 200; round++) {
        uint32_t a[24], b[24];
        size_t n = round % 25, m = 1 + round * 7 % 24, count;
        fill(a, n, round, 1, 5);
        fill(b, m, round, 2, 5);
        assert_true(at_edits_count(&e, a, n, b, m, &count));
        assert_true(count >= (n > m ? n - m : m - n));
        assert_true(count <= levenshtein(a, n, b, m));
    }
    at_edits_free(&e);
}

static void repetitions_end(void **state)
{
    (void)state;
    char many[MOST], few[MOST];
    memset(many, 'a', MOST - 1);
    many[MOST - 1] = 0;
    strcpy(few, "bab");
    assert_int_equal(edits(few, many), MOST - 2);
    for (int i = 0; i < MOST - 1; i++)
        few[i] = i % 2 ? 'a' : 'b';
    few[MOST - 1] = 0;
    assert_true(edits(few, many) <= MOST);
    assert_true(edits("a", many) == MOST - 2);
    assert_true(edits(many, "a") == MOST - 2);
}

static void want_of_memory_is_said(void **state)
{
    (void)state;
    uint32_t a[2] = {1, 2};
    size_t count;
    at_edits e = {0};
    at_alloc_fail_after(0);
    assert_false(at_edits_count(&e, a, 2, a, 2, &count));
    at_alloc_fail_after(-1);
    assert_true(at_edits_count(&e, a, 2, a, 2, &count));
    at_edits_free(&e);
    assert_int_equal(at_alloc_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_insertions_deletions_and_replacements),
        cmocka_unit_test(a_shift_is_one_edit),
        cmocka_unit_test(shifts_are_at_most_ten_words_long),
        cmocka_unit_test(the_search_for_shifts_is_tercoms),
        cmocka_unit_test(distances_near_the_diagonal_are_levenshteins),
        cmocka_unit_test(far_from_it_they_are_never_smaller),
        cmocka_unit_test(a_moved_part_changes_the_distance_as_if_computed_anew),
        cmocka_unit_test(edits_are_between_the_difference_in_length_and_the_distance),
        cmocka_unit_test(repetitions_end),
        cmocka_unit_test(want_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
