#include "measure/results.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "measure/bleu.h"
#include "measure_lines.h"

/* what each measure is tried with: good and bad lines of its kind, and the score of perfection */
static const struct {
    const char *measure, *hypothesis, *reference;
    double perfect;
} samples[] = {
    {"bleu", "a bird sings in the tree today\none two three\nno",
     "a bird sang in the old tree today\none two three four five\nyes", 100},
    {"chrf", "a bird sings\none two three\nno", "a bird sang\none two three four\nyes", 100},
    {"chrf+", "a bird sings\none two three\nno", "a bird sang\none two three four\nyes", 100},
    {"chrf++", "a bird, sings\none two three\nno", "a bird sang!\none two three four\nyes", 100},
    {"ter", "in the tree a bird sings\none two\nno", "a bird sings in the tree\none two three\nyes",
     0},
    {"accuracy", "cat\ndog\n cat ", "cat\ncat\ncat", 100},
    {"entity-f1", "B-A I-A O\nB-B\nO B-A", "B-A I-A O\nB-C\nB-A I-A", 100},
    {"macro-f1", "cat\ndog\nfox\ncat", "cat\ncat\ndog\ncat", 100},
    {"exact-match", "The cat.\na dog\n", "cat\tthe dog\ndogs\n", 100},
    {"f1", "The big cat.\na dog\n", "cat\tthe dog\ndogs\n", 100},
    {"aer", "0-0 1-1\n0-1\n", "1-1 2p2\n1-1 2p3\n1-1", 0},
};

enum { SAMPLES = sizeof samples / sizeof *samples };

static at_results *results_of(const char *measure, const attend_measure_options *options,
                              const attend_lines *hypothesis, const attend_lines *reference)
{
    attend_measure_options o;
    attend_error err;
    at_results *r;
    attend_measure_defaults(&o);
    if (at_results_new(measure, options ? options : &o, 1, hypothesis, reference != NULL, reference,
                       &r, &err)
        < 0)
        fail_msg("%s: %s", measure, err.message);
    return r;
}

static double total(const at_results *r) { return at_results_of_sum(r, at_results_sum(r, 0)); }

static double score(const char *measure, const char *hypothesis, const char *reference)
{
    test_lines h, r;
    lines_of(&h, "hyp", hypothesis);
    at_results *results = results_of(measure, NULL, &h.lines,
                                     reference ? lines_of(&r, "ref", reference) : NULL);
    double value = total(results);
    at_results_free(results);
    return value;
}

static void check(double got, double expected)
{
    if (!(fabs(got - expected) < 1e-9))
        fail_msg("%.12g, expected %.12g", got, expected);
}

/* ---- all measures ----------------------------------------------------------------------- */

static void every_measure_is_tried(void **state)
{
    (void)state;
    for (int i = 0; i < at_measures_count; i++) {
        bool found = strcmp(at_measures[i]->name, "perplexity") == 0; /* below, without reference */
        for (int k = 0; k < SAMPLES; k++)
            found |= strcmp(at_measures[i]->name, samples[k].measure) == 0;
        assert_true(found);
        assert_true(*at_measures[i]->formula && *at_measures[i]->source && *at_measures[i]->lines);
    }
}

static void identical_lines_are_perfect_and_others_are_not(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        const char *good = samples[i].reference;
        if (strcmp(samples[i].measure, "aer") == 0)
            good = "1-1 2-2\n1-1 2p3\n1-1";
        const char *same = strcmp(samples[i].measure, "aer") == 0 ? "0-0 1-1\n0-0 1-2\n0-0"
                           : strchr(good, '\t')                   ? "the dog\ndogs\n"
                                                                  : good;
        check(score(samples[i].measure, same, good), samples[i].perfect);
        double worse = score(samples[i].measure, samples[i].hypothesis, samples[i].reference);
        assert_true(fabs(worse - samples[i].perfect) > 1);
    }
}

/* the lines in another order */
static void turn(test_lines *l)
{
    const char *first = l->line[0];
    for (size_t i = 0; i + 1 < l->lines.count; i++)
        l->line[i] = l->line[i + 1];
    l->line[l->lines.count - 1] = first;
}

static void the_order_of_lines_does_not_matter(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        test_lines h, r;
        lines_of(&h, "hyp", samples[i].hypothesis);
        lines_of(&r, "ref", samples[i].reference);
        double before = score(samples[i].measure, samples[i].hypothesis, samples[i].reference);
        turn(&h);
        turn(&r);
        at_results *results = results_of(samples[i].measure, NULL, &h.lines, &r.lines);
        check(total(results), before);
        at_results_free(results);
    }
}

static void statistics_of_lines_add_up_to_those_of_all(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        test_lines h, r;
        lines_of(&h, "hyp", samples[i].hypothesis);
        lines_of(&r, "ref", samples[i].reference);
        at_results *results = results_of(samples[i].measure, NULL, &h.lines, &r.lines);
        double sum[64] = {0};
        assert_true(results->task.sum_width <= 64);
        for (size_t k = 0; k < h.lines.count; k++)
            at_results_add(results, at_results_statistics(results, 0, k), 1, sum);
        check(at_results_of_sum(results, sum), total(results));
        at_results_free(results);
    }
}

static void more_references_never_hurt(void **state)
{
    (void)state;
    static const char *const several[] = {"bleu", "chrf", "chrf++", "exact-match", "f1"};
    test_lines h, refs[2];
    attend_lines both[2] = {*lines_of(&refs[0], "ref0", "a bird sang in the old tree today"),
                            *lines_of(&refs[1], "ref1", "today a bird sings in the tree")};
    lines_of(&h, "hyp", "a bird sings in the tree today");
    for (size_t i = 0; i < sizeof several / sizeof *several; i++) {
        attend_measure_options o;
        at_results *one = results_of(several[i], NULL, &h.lines, &both[0]), *two;
        attend_measure_defaults(&o);
        assert_int_equal(at_results_new(several[i], &o, 1, &h.lines, 2, both, &two, NULL),
                         ATTEND_OK);
        assert_true(total(two) >= total(one));
        at_results_free(one);
        at_results_free(two);
    }
}

/* ---- single ones, by hand --------------------------------------------------------------- */

static void bleu_is_the_product_of_its_parts(void **state)
{
    (void)state;
    /* 3 of 4 words, 1 of 3 pairs, 0 of 2 triples, 0 of 1 quadruple; 5 words in the reference */
    double p = (3 / 4.) * (1 / 3.) * (1 / 2. / 2) * (1 / 4. / 1);
    check(score("bleu", "a b x c", "a b y z c"), 100 * exp(1 - 5 / 4.) * pow(p, 1 / 4.));
    check(score("bleu", "x", "y"), 0);
    check(score("bleu", "", "y"), 0);
}

static void bleu_smooths_as_asked(void **state)
{
    (void)state;
    const struct {
        const char *smooth;
        double value, product;
    } cases[] = {
        {"none", -1, 0},
        {"floor", -1, (3 / 4.) * (1 / 3.) * (0.1 / 2) * (0.1 / 1)},
        {"floor", 0.5, (3 / 4.) * (1 / 3.) * (0.5 / 2) * (0.5 / 1)},
        {"add-k", -1, (3 / 4.) * (2 / 4.) * (1 / 3.) * (1 / 2.)},
        {"add-k", 0.5, (3 / 4.) * (1.5 / 3.5) * (0.5 / 2.5) * (0.5 / 1.5)},
    };
    test_lines h, r;
    lines_of(&h, "hyp", "a b x c");
    lines_of(&r, "ref", "a b y z c");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        attend_measure_options o;
        attend_measure_defaults(&o);
        o.smooth = cases[i].smooth;
        o.smooth_value = cases[i].value;
        at_results *results = results_of("bleu", &o, &h.lines, &r.lines);
        check(total(results), 100 * exp(1 - 5 / 4.) * pow(cases[i].product, 1 / 4.));
        at_results_free(results);
    }
}

static void a_line_alone_has_its_effective_order(void **state)
{
    (void)state;
    test_lines h, r;
    double sum[16];
    lines_of(&h, "hyp", "two words");
    at_results *results = results_of("bleu", NULL, &h.lines, lines_of(&r, "ref", "two words"));
    check(total(results), 0);
    check(at_results_of_segment(results, 0, 0, sum), 100);
    at_results_free(results);
}

static void chrf_by_hand(void **state)
{
    (void)state;
    /* ab against abc: P = (2/2 + 1/1) / 2, R = (2/3 + 1/2) / 2 over the two orders both have */
    double p = 1, r = (2 / 3. + 1 / 2.) / 2;
    check(score("chrf", "ab", "abc"), 100 * 5 * p * r / (4 * p + r));
    check(score("chrf", "a b", "ab c"), 100 * 5 * p * r / (4 * p + r)); /* blanks do not count */
    check(score("chrf", "", "abc"), 0);
    check(score("chrf", "x", "y"), 0);
}

static void macro_f1_by_hand(void **state)
{
    (void)state;
    /* cat: 1 right, 2 said, 2 true; dog: 1, 1, 1; fox, said once and never true: 0 */
    check(score("macro-f1", "cat\ncat\ndog\nfox", "cat\nant\ndog\ncat"),
          (100 * 2 * 1 / 4. + 100 + 0 + 0) / 4);
    check(score("accuracy", "cat\ncat\ndog\nfox", "cat\nant\ndog\ncat"), 50);
}

static void answers_are_normalised_as_in_squad(void **state)
{
    (void)state;
    check(score("exact-match", "The  Cat!", "cat"), 100);
    check(score("exact-match", "a theatre", "theatre"), 100);
    check(score("exact-match", "Dr. Who's", "dr whos"), 100);
    check(score("exact-match", "cats", "cat"), 0);
    check(score("f1", "big red dog", "the red dog"), 100 * 2 * 2 / 5.);
    check(score("f1", "red red", "red"), 100 * 2 * 1 / 3.);
    check(score("f1", "dog", "a cat\ta big dog"), 100 * 2 * 1 / 3.);
    check(score("exact-match", "", ""), 100); /* no answer */
    check(score("f1", "dog", ""), 0);
    check(score("f1", "", "dog"), 0);
    check(score("f1", "the", "\ta"), 100); /* an answer without words is none */
}

static void version_one_of_squad_knows_no_empty_answers(void **state)
{
    (void)state;
    attend_measure_options o;
    test_lines h, r;
    attend_measure_defaults(&o);
    o.squad_v1 = 1;
    lines_of(&h, "hyp", "the");
    at_results *f1 = results_of("f1", &o, &h.lines, lines_of(&r, "ref", "a"));
    at_results *exact = results_of("exact-match", &o, &h.lines, &r.lines);
    check(total(f1), 0);
    check(total(exact), 100);
    at_results_free(f1);
    at_results_free(exact);
}

static void aer_by_hand(void **state)
{
    (void)state;
    /* A: 3 links, S: 2, A and S: 1, A and P: 2 */
    check(score("aer", "0-0 1-1 2-2", "1-1 2p2 4-4"), 100 * (1 - 3 / 5.));
    check(score("aer", "0-0 0-0", "1-1 1p1"), 0); /* twice is once */
    check(score("aer", "", ""), 0);
    check(score("aer", "", "1-1"), 100);
}

static void perplexity_by_hand(void **state)
{
    (void)state;
    check(score("perplexity", "-0.6931471805599453 -0.6931471805599453\n-0.6931471805599453", NULL),
          2);
    test_lines h;
    attend_measure_options o;
    attend_measure_defaults(&o);
    o.log_base = 10;
    at_results *r = results_of("perplexity", &o, lines_of(&h, "hyp", "-1 -3\n\n-2"), NULL);
    check(total(r), 100);
    at_results_free(r);
}

/* ---- chance ----------------------------------------------------------------------------- */

/* 60 lines, of which some are wrong */
static void make_lines(test_lines *l, const char *name, int wrong)
{
    char text[4096] = "";
    for (int i = 0; i < 60; i++)
        sprintf(text + strlen(text), "%sline %d is %s and no more", i ? "\n" : "", i,
                i % 10 < wrong ? "wrong" : "right");
    lines_of(l, name, text);
}

static at_results *chancy(const char *measure, unsigned long long seed)
{
    static test_lines h[2], r;
    attend_measure_options o;
    at_results *results;
    attend_measure_defaults(&o);
    o.resamples = 203;
    o.seed = seed;
    make_lines(&h[0], "hyp", 2);
    make_lines(&h[1], "old", 6);
    make_lines(&r, "ref", 0);
    attend_lines systems[2] = {h[0].lines, h[1].lines};
    assert_int_equal(at_results_new(measure, &o, 2, systems, 1, &r.lines, &results, NULL),
                     ATTEND_OK);
    return results;
}

static void samples_depend_on_the_seed_and_not_on_threads(void **state)
{
    (void)state;
    static const char *const some[] = {"bleu", "chrf++", "ter", "accuracy", "macro-f1", "f1"};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        attend_interval a, b;
        attend_comparison c, d;
        for (int threads = 1; threads <= 5; threads++) {
            at_results *r = chancy(some[i], 1);
            attend_set_threads(threads);
            assert_int_equal(at_results_interval(r, 0, &b, NULL), ATTEND_OK);
            assert_int_equal(at_results_compare(r, 0, 1, &d, NULL), ATTEND_OK);
            if (threads > 1)
                assert_true(a.mean == b.mean && a.low == b.low && a.high == b.high
                            && c.bootstrap == d.bootstrap && c.randomisation == d.randomisation);
            a = b;
            c = d;
            at_results_free(r);
        }
        attend_set_threads(0);
        at_results *other = chancy(some[i], 2);
        assert_int_equal(at_results_interval(other, 0, &b, NULL), ATTEND_OK);
        assert_true(a.mean != b.mean);
        assert_true(fabs(a.mean - b.mean) < 0.2 * fabs(a.high - a.low));
        at_results_free(other);
    }
}

static void the_score_lies_in_its_interval(void **state)
{
    (void)state;
    at_results *r = chancy("bleu", 1);
    attend_interval i;
    assert_int_equal(at_results_interval(r, 0, &i, NULL), ATTEND_OK);
    assert_true(i.low < total(r) && total(r) < i.high);
    assert_true(fabs(i.mean - total(r)) < 1);
    at_results_free(r);
}

static void a_large_difference_is_no_chance_and_none_is(void **state)
{
    (void)state;
    at_results *r = chancy("ter", 1);
    attend_comparison c;
    assert_int_equal(at_results_compare(r, 0, 1, &c, NULL), ATTEND_OK);
    assert_true(c.difference < 0 && c.bootstrap < 0.01 && c.randomisation < 0.01);
    assert_int_equal(at_results_compare(r, 1, 0, &c, NULL), ATTEND_OK);
    assert_true(c.difference > 0 && c.randomisation < 0.01);
    assert_int_equal(at_results_compare(r, 1, 1, &c, NULL), ATTEND_OK);
    assert_true(c.difference == 0 && c.bootstrap == 1 && c.randomisation == 1);
    at_results_free(r);
}

/* ---- what is wrong ---------------------------------------------------------------------- */

static void check_error(const char *measure, const char *hypothesis, const char *reference,
                        attend_status status, const char *message)
{
    test_lines h, r;
    attend_measure_options o;
    attend_error err;
    at_results *results;
    attend_measure_defaults(&o);
    lines_of(&h, "hyp.txt", hypothesis);
    lines_of(&r, "ref.txt", reference ? reference : "");
    assert_int_equal(
        at_results_new(measure, &o, 1, &h.lines, reference != NULL, &r.lines, &results, &err),
        status);
    assert_null(results);
    assert_string_equal(err.message, message);
}

static void errors_name_file_and_line(void **state)
{
    (void)state;
    check_error("bleu", "a\nb", "a\nb\nc", ATTEND_FORMAT,
                "hyp.txt:3: this line is missing: the file has 2 lines, ref.txt has 3; they must "
                "belong to each other line by line");
    check_error("bleu", "a\nb\nc", "a", ATTEND_FORMAT,
                "ref.txt:2: this line is missing: the file has 1 line, hyp.txt has 3; they must "
                "belong to each other line by line");
    check_error("chrf", "a\nb\xFF", "a\nb", ATTEND_FORMAT,
                "hyp.txt:2: byte 2 is no UTF-8; convert the file, for instance with iconv -f "
                "latin1 -t utf8");
    check_error("aer", "0-0\n0-0 1-x", "1-1\n1-1", ATTEND_FORMAT,
                "hyp.txt:2: \"1-x\" is no link; write links as 0-1");
    check_error("aer", "0-0", "1-1 0-2", ATTEND_FORMAT,
                "ref.txt:1: link 0-2: words are counted from 1 here; --gold-base 0 is for links "
                "that count from 0, as attend align's");
    check_error("aer", "0p0", "1-1", ATTEND_FORMAT,
                "hyp.txt:1: \"0p0\" is no link; write links as 0-1");
    check_error("perplexity", "-1\n-1 2", NULL, ATTEND_FORMAT,
                "hyp.txt:2: 2 is no logarithm of a probability; these are at most 0");
    check_error("perplexity", "-1 \x1b[31mx", NULL, ATTEND_FORMAT,
                "hyp.txt:1: \"?[31mx\" is not a number");
}

static void wrong_requests_are_refused(void **state)
{
    (void)state;
    check_error("bleu", "a", NULL, ATTEND_OPTION,
                "bleu takes a reference or more, and there are 0");
    check_error("perplexity", "-1", "a", ATTEND_OPTION,
                "perplexity takes no reference, and there is 1");
    check_error("bleux", "a", "a", ATTEND_OPTION,
                "there is no measure \"bleux\"; did you mean bleu?");
    attend_measure_options o;
    test_lines h;
    at_results *r;
    attend_error err;
    lines_of(&h, "hyp", "a");
    attend_measure_defaults(&o);
    o.tokenize = "14a";
    assert_int_equal(at_results_new("bleu", &o, 1, &h.lines, 1, &h.lines, &r, &err), ATTEND_OPTION);
    attend_measure_defaults(&o);
    o.smooth = "exp2";
    assert_int_equal(at_results_new("bleu", &o, 1, &h.lines, 1, &h.lines, &r, &err), ATTEND_OPTION);
    attend_measure_defaults(&o);
    o.max_order = 11;
    assert_int_equal(at_results_new("bleu", &o, 1, &h.lines, 1, &h.lines, &r, &err), ATTEND_OPTION);
    assert_string_equal(err.message, "max_order is 11; it goes from 1 to 10");
    attend_measure_defaults(&o);
    o.log_base = 1;
    assert_int_equal(at_results_new("perplexity", &o, 1, &h.lines, 0, NULL, &r, &err),
                     ATTEND_OPTION);
}

static void no_lines_are_no_labels_without_end(void **state)
{
    (void)state;
    enum { COUNT = ATTEND_LABELS_MAX + 1 };
    static char text[COUNT][8];
    static const char *line[COUNT];
    for (int i = 0; i < COUNT; i++) {
        sprintf(text[i], "%d", i);
        line[i] = text[i];
    }
    attend_lines l = {.name = "text", .count = COUNT, .line = line};
    attend_measure_options o;
    attend_error err;
    at_results *r;
    attend_measure_defaults(&o);
    assert_int_equal(at_results_new("macro-f1", &o, 1, &l, 1, &l, &r, &err), ATTEND_FORMAT);
    assert_memory_equal(err.message, "text:10000: ", 12);
}

static void every_allocation_that_fails_is_reported(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        attend_status status = ATTEND_MEMORY;
        for (long n = 0; status != ATTEND_OK; n++) {
            test_lines h, r;
            attend_measure_options o;
            at_results *results;
            attend_interval interval;
            attend_measure_defaults(&o);
            o.resamples = 20;
            lines_of(&h, "hyp", samples[i].hypothesis);
            lines_of(&r, "ref", samples[i].reference);
            at_alloc_fail_after(n);
            status = at_results_new(samples[i].measure, &o, 1, &h.lines, 1, &r.lines, &results,
                                    NULL);
            if (status >= 0)
                status = at_results_interval(results, 0, &interval, NULL);
            at_alloc_fail_after(-1);
            at_results_free(results);
            assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
            assert_int_equal(at_alloc_live(), 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_measure_is_tried),
        cmocka_unit_test(identical_lines_are_perfect_and_others_are_not),
        cmocka_unit_test(the_order_of_lines_does_not_matter),
        cmocka_unit_test(statistics_of_lines_add_up_to_those_of_all),
        cmocka_unit_test(more_references_never_hurt),
        cmocka_unit_test(bleu_is_the_product_of_its_parts),
        cmocka_unit_test(bleu_smooths_as_asked),
        cmocka_unit_test(a_line_alone_has_its_effective_order),
        cmocka_unit_test(chrf_by_hand),
        cmocka_unit_test(macro_f1_by_hand),
        cmocka_unit_test(answers_are_normalised_as_in_squad),
        cmocka_unit_test(version_one_of_squad_knows_no_empty_answers),
        cmocka_unit_test(aer_by_hand),
        cmocka_unit_test(perplexity_by_hand),
        cmocka_unit_test(samples_depend_on_the_seed_and_not_on_threads),
        cmocka_unit_test(the_score_lies_in_its_interval),
        cmocka_unit_test(a_large_difference_is_no_chance_and_none_is),
        cmocka_unit_test(errors_name_file_and_line),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(no_lines_are_no_labels_without_end),
        cmocka_unit_test(every_allocation_that_fails_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
