/* From attention to links between words and pieces. */
#include "decode/align.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "attend.h"

/* a source of two words, the second of two pieces, and its end; a target of a word of two pieces, a
 * word, and its end */
static const unsigned source_word[] = {0, 1, 1, ATTEND_NO_WORD};
static const unsigned target_word[] = {0, 0, 1, ATTEND_NO_WORD};
static const double weights[] = {0.45, 0.40, 0.10, 0.05, /* the best piece is not the best word */
                                 0.30, 0.20, 0.40, 0.10, 0.55, 0.10, 0.05, 0.30, 0, 0, 0, 1};
static const at_aligned both = {4, 4, weights, target_word, source_word, NULL};

static void expect(at_align_options o, const char *wanted)
{
    at_str out = {0};
    attend_error err;
    assert_int_equal(at_align(&both, &o, &out, &err), ATTEND_OK);
    assert_string_equal(at_str_text(&out), wanted);
    at_str_free(&out);
}

static void words_take_the_sum_of_their_pieces(void **state)
{
    (void)state;
    expect((at_align_options){.pieces = false}, "1-0 0-1"); /* 0.375 against 0.55; 0.55, 0.15 */
}

static void pieces_are_linked_one_by_one(void **state)
{
    (void)state;
    expect((at_align_options){.pieces = true}, "0-0 2-1 0-2");
}

static void a_threshold_links_all_that_reach_it(void **state)
{
    (void)state;
    expect((at_align_options){.threshold = 0.37}, "0-0 1-0 0-1");
    expect((at_align_options){.pieces = true, .threshold = 0.4}, "0-0 1-0 2-1 0-2");
    expect((at_align_options){.threshold = 0.9}, "");
}

static void a_source_without_words_has_no_links(void **state)
{
    static const unsigned none[] = {ATTEND_NO_WORD};
    static const double one[] = {1, 1};
    static const unsigned words[] = {0, 1};
    at_str out = {0};
    attend_error err;
    at_aligned a = {2, 1, one, words, none, NULL};
    (void)state;
    assert_int_equal(at_align(&a, &(at_align_options){0}, &out, &err), ATTEND_OK);
    assert_int_equal(out.length, 0);
    at_str_free(&out);
}

static void a_word_that_looks_at_the_end_alone_has_no_link(void **state)
{
    static const double end[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1};
    at_str out = {0};
    attend_error err;
    at_aligned a = {4, 4, end, target_word, source_word, NULL};
    (void)state;
    assert_int_equal(at_align(&a, &(at_align_options){0}, &out, &err), ATTEND_OK);
    assert_string_equal(at_str_text(&out), "1-1");
    at_str_free(&out);
}

/* "grey doors." said as "portes grises.": the full stop looked at the end of "doors." */
static void a_mark_does_not_speak_for_its_word(void **state)
{
    static const double w[] = {0.1, 0.9, 0, 0.6, 0.4, 0, 0, 0, 1};
    static const unsigned target[] = {0, 1, 1}, source[] = {0, 1, 1};
    static const bool mark[] = {false, false, true}, all[] = {true, true, true};
    at_str out = {0};
    attend_error err;
    at_aligned a = {3, 3, w, target, source, mark};
    (void)state;
    assert_int_equal(at_align(&a, &(at_align_options){0}, &out, &err), ATTEND_OK);
    assert_string_equal(at_str_text(&out), "1-0 0-1");
    at_str_clear(&out);
    assert_int_equal(at_align(&a, &(at_align_options){.pieces = true}, &out, &err), ATTEND_OK);
    assert_string_equal(at_str_text(&out), "1-0 0-1 2-2");
    at_str_clear(&out);
    a.target_mark = all; /* a word of marks alone has their links */
    assert_int_equal(at_align(&a, &(at_align_options){0}, &out, &err), ATTEND_OK);
    assert_string_equal(at_str_text(&out), "1-0 1-1");
    at_str_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_take_the_sum_of_their_pieces),
        cmocka_unit_test(pieces_are_linked_one_by_one),
        cmocka_unit_test(a_threshold_links_all_that_reach_it),
        cmocka_unit_test(a_source_without_words_has_no_links),
        cmocka_unit_test(a_word_that_looks_at_the_end_alone_has_no_link),
        cmocka_unit_test(a_mark_does_not_speak_for_its_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
