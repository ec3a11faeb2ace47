#include "data/swap_detector.h"

#include "data_tokens.h"

static at_text text_of(const char *s) { return (at_text){s, strlen(s)}; }

/* words of one language end in -a, those of the other in -o; names are the same in both */
static void sentence(at_str *out, uint32_t *seed, const char *end)
{
    for (int i = 0; i < 5; i++) {
        *seed = *seed * 1664525 + 1013904223;
        at_str_print(out, "w%c%c%s ", 'a' + (int)(*seed >> 20) % 8, 'a' + (int)(*seed >> 24) % 4,
                     end);
    }
    at_str_add(out, "Tom.");
}

enum { PAIRS = 400 };
static at_str source[PAIRS], target[PAIRS];

static at_swap_detector *learnt(const char *one, const char *two)
{
    uint32_t seed = 3;
    at_swap_detector *s = at_swap_detector_new();
    assert_non_null(s);
    for (int i = 0; i < PAIRS; i++) {
        at_str_free(&source[i]);
        at_str_free(&target[i]);
        sentence(&source[i], &seed, one);
        sentence(&target[i], &seed, two);
        if (i % 50 == 7) {
            at_str kept = source[i];
            source[i] = target[i];
            target[i] = kept;
        }
        at_swap_detector_learn(s, text_of(source[i].text), text_of(target[i].text));
    }
    return s;
}

static void finds_swapped_pairs_and_no_others(void **state)
{
    (void)state;
    static const char *const ends[][2] = {{"a", "o"}, {"é", "ü"}, {" 的", " の"}, {"ия", "ся"}};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        at_swap_detector *s = learnt(ends[k][0], ends[k][1]);
        for (int i = 0; i < PAIRS; i++)
            assert_int_equal(
                at_swap_detector_ask(s, text_of(source[i].text), text_of(target[i].text)),
                i % 50 == 7 ? ATTEND_PAIR_SWAPPED : ATTEND_PAIR_IN_ORDER);
        at_swap_detector_free(s);
    }
}

static void tells_a_side_that_was_not_translated(void **state)
{
    (void)state;
    at_swap_detector *s = learnt("a", "o");
    at_text a = text_of("waaa wbaa wcba wdba"), o = text_of("waao wbao wcbo wdbo");
    at_swap_detector_learn(s, a, a);
    at_swap_detector_learn(s, o, o);
    assert_int_equal(at_swap_detector_ask(s, a, a), ATTEND_PAIR_BOTH_SOURCE);
    assert_int_equal(at_swap_detector_ask(s, o, o), ATTEND_PAIR_BOTH_TARGET);
    at_swap_detector_free(s);
}

/* One language on both sides, as in paraphrases: nothing to be said. */
static void says_nothing_where_sides_are_alike(void **state)
{
    (void)state;
    at_swap_detector *s = learnt("a", "a");
    for (int i = 0; i < PAIRS; i++)
        assert_int_equal(at_swap_detector_ask(s, text_of(source[i].text), text_of(target[i].text)),
                         ATTEND_PAIR_IN_ORDER);
    at_swap_detector_free(s);
}

static void takes_any_bytes(void **state)
{
    (void)state;
    at_swap_detector *s = at_swap_detector_new();
    char bytes[256];
    for (int i = 0; i < 256; i++)
        bytes[i] = (char)(255 - i);
    for (size_t i = 0; i <= 256; i++) {
        at_text t = {bytes + i, 256 - i};
        at_swap_detector_learn(s, t, (at_text){bytes, i});
        at_swap_detector_ask(s, t, (at_text){bytes, i});
    }
    at_swap_detector_free(s);
}

static int release(void **state)
{
    (void)state;
    for (int i = 0; i < PAIRS; i++) {
        at_str_free(&source[i]);
        at_str_free(&target[i]);
    }
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_swapped_pairs_and_no_others),
        cmocka_unit_test(tells_a_side_that_was_not_translated),
        cmocka_unit_test(says_nothing_where_sides_are_alike),
        cmocka_unit_test(takes_any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
