#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "measure_lines.h"

static test_lines hypothesis[2], reference;

static attend_scores *measure(const char *name, const attend_measure_options *o)
{
    attend_scores *s;
    attend_error err;
    attend_lines systems[2] = {
        *lines_of(&hypothesis[0], "a.txt", "a bird sings in the tree\nit rains"),
        *lines_of(&hypothesis[1], "b.txt", "birds sing in a tree\nit is raining")};
    lines_of(&reference, "ref.txt", "a bird sings in the tree\nit is raining");
    if (attend_measure(name, o, 2, systems, 1, &reference.lines, &s, &err) < 0)
        fail_msg("%s", err.message);
    return s;
}

static void scores_of_all_of_one_and_of_some_lines(void **state)
{
    (void)state;
    attend_scores *s = measure("ter", NULL);
    const size_t second = 1;
    double one, some;
    assert_int_equal(attend_scores_segments(s), 2);
    assert_true(attend_scores_lower_is_better(s));
    assert_true(fabs(attend_scores_corpus(s, 0) - 100 * 2 / 9.) < 1e-9);
    assert_int_equal(attend_scores_segment(s, 1, 0, &one, NULL), ATTEND_OK);
    assert_true(fabs(one - 100 * 4 / 6.) < 1e-9);
    assert_int_equal(attend_scores_subset(s, 1, 1, &second, &some, NULL), ATTEND_OK);
    assert_true(some == 0);
    attend_scores_free(s);
}

static void text_says_how_a_score_came_about(void **state)
{
    (void)state;
    attend_measure_options o;
    attend_measure_defaults(&o);
    o.lowercase = 1;
    attend_scores *s = measure("bleu", &o);
    assert_string_equal(attend_scores_name(s), "BLEU");
    assert_memory_equal(attend_scores_signature(s),
                        "nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:2.6.0|by:attend-", 66);
    assert_string_equal(attend_scores_detail(s, 0),
                        "87.5/83.3/100.0/100.0 (BP = 0.882 ratio = 0.889 "
                        "hyp_len = 8 ref_len = 9)");
    assert_non_null(strstr(attend_scores_json(s, 0), "\"counts\": [7, 5, 4, 3]"));
    assert_string_equal(attend_scores_json(s, 2), "{}");
    assert_string_equal(attend_scores_detail(s, -1), "");
    attend_scores_free(s);
    s = measure("chrf++", &o);
    assert_string_equal(attend_scores_name(s), "chrF2++");
    assert_string_equal(attend_scores_detail(s, 0), "");
    attend_scores_free(s);
}

static void what_is_not_there_is_refused(void **state)
{
    (void)state;
    attend_scores *s = measure("chrf", NULL);
    attend_error err;
    attend_interval interval;
    attend_comparison comparison;
    double score;
    const size_t third = 2;
    assert_true(attend_scores_corpus(s, 2) == 0);
    assert_int_equal(attend_scores_segment(s, 0, 2, &score, &err), ATTEND_OPTION);
    assert_int_equal(attend_scores_segment(s, -1, 0, &score, &err), ATTEND_OPTION);
    assert_int_equal(attend_scores_subset(s, 0, 1, &third, &score, &err), ATTEND_OPTION);
    assert_int_equal(attend_scores_subset(s, 2, 0, NULL, &score, &err), ATTEND_OPTION);
    assert_int_equal(attend_scores_interval(s, 3, &interval, &err), ATTEND_OPTION);
    assert_string_equal(err.message, "there is no system 3");
    assert_int_equal(attend_scores_interval(s, 0, &interval, &err), ATTEND_OPTION);
    assert_string_equal(err.message, "resamples is 0; at least 1 is needed");
    assert_int_equal(attend_scores_compare(s, 0, 2, &comparison, &err), ATTEND_OPTION);
    attend_scores_free(s);
    attend_scores_free(NULL);
}

static void options_that_were_not_set_by_their_defaults_are_refused(void **state)
{
    (void)state;
    attend_measure_options o;
    attend_error err;
    attend_scores *s;
    attend_measure_defaults(&o);
    o.size = 0;
    assert_int_equal(attend_measure("bleu", &o, 1, &reference.lines, 1, &reference.lines, &s, &err),
                     ATTEND_OPTION);
    assert_null(s);
}

static void intervals_and_comparisons(void **state)
{
    (void)state;
    attend_measure_options o;
    attend_interval interval;
    attend_comparison c;
    attend_measure_defaults(&o);
    o.resamples = 100;
    attend_scores *s = measure("chrf", &o);
    assert_non_null(strstr(attend_scores_signature(s), "nrefs:1|bs:100|seed:12345|case:"));
    assert_int_equal(attend_scores_interval(s, 0, &interval, NULL), ATTEND_OK);
    assert_true(interval.low <= interval.mean && interval.mean <= interval.high);
    assert_int_equal(attend_scores_compare(s, 0, 1, &c, NULL), ATTEND_OK);
    assert_non_null(strstr(attend_scores_signature(s), "nrefs:1|bs:100|ar:100|seed:12345|case:"));
    assert_true(c.difference == attend_scores_corpus(s, 0) - attend_scores_corpus(s, 1));
    attend_scores_free(s);
}

static int nothing_is_left(void **state)
{
    (void)state;
    return at_alloc_live() != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_of_all_of_one_and_of_some_lines),
        cmocka_unit_test(text_says_how_a_score_came_about),
        cmocka_unit_test(what_is_not_there_is_refused),
        cmocka_unit_test(options_that_were_not_set_by_their_defaults_are_refused),
        cmocka_unit_test(intervals_and_comparisons),
    };
    return cmocka_run_group_tests(tests, NULL, nothing_is_left);
}
