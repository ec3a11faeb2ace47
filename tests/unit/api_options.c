/* Options of callers that were compiled with another version of attend.h. This file has its own,
 * shorter copies of the structs, as such a caller does. */
#include "api/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "attend_data.h"
#include "attend_pooling.h"

/* ---- an older caller ---------------------------------------------------------------------------
 */

typedef struct {
    size_t size;
    int lowercase;
    const char *tokenize;
} old_measure_options;

/* What lies after the options in memory is not the library's to read. */
typedef struct {
    old_measure_options options;
    char after[sizeof(attend_measure_options)];
} old_caller;

static double score(const void *options)
{
    const char *made[] = {"The cat sat on the mat today ."},
               *right[] = {"the cat sat on the mat ."};
    attend_lines hypothesis = {"made", 1, made}, reference = {"right", 1, right};
    attend_scores *s;
    attend_error err;
    if (attend_measure("bleu", options, 1, &hypothesis, 1, &reference, &s, &err) < 0)
        fail_msg("%s", err.message);
    double value = attend_scores_corpus(s, 0);
    attend_scores_free(s);
    return value;
}

static void a_shorter_struct_gets_the_defaults_of_the_rest(void **state)
{
    (void)state;
    attend_measure_options now;
    old_caller old = {.options = {sizeof old.options, 1, "none"}};
    memset(old.after, 0x7F, sizeof old.after);
    attend_measure_defaults(&now);
    now.lowercase = 1;
    now.tokenize = "none";
    assert_true(score(&old) == score(&now));
    assert_true(score(&old) != score(NULL));
}

typedef struct {
    size_t size;
    const char *attention, *kernel;
    double width;
    int steps;
} old_fit_options;

static void an_older_caller_fits_a_curve(void **state)
{
    (void)state;
    const double x[] = {0, 1, 2, 3, 4, 5}, y[] = {0, 1, 4, 9, 16, 25};
    old_fit_options old = {sizeof old, "gaussian-w", "gaussian", 0.5, 20};
    attend_fit_options now;
    attend_pooling *a, *b;
    attend_fit_defaults(&now);
    now.attention = "gaussian-w";
    now.width = 0.5;
    now.steps = 20;
    assert_int_equal(attend_fit(6, 1, x, y, (const void *)&old, &a, NULL), ATTEND_OK);
    assert_int_equal(attend_fit(6, 1, x, y, &now, &b, NULL), ATTEND_OK);
    assert_true(*attend_pooling_weight(a) == *attend_pooling_weight(b));
    attend_pooling_free(a);
    attend_pooling_free(b);
}

/* ---- a newer one -------------------------------------------------------------------------------
 */

typedef struct {
    attend_data_options known;
    int new_option;
} new_data_options;

static void a_longer_struct_works_if_its_new_members_are_not_set(void **state)
{
    (void)state;
    new_data_options new;
    attend_data_options own;
    attend_error err;
    memset(&new, 0, sizeof new);
    attend_data_defaults(&new.known);
    new.known.size = sizeof new;
    new.known.places = 17;
    attend_data_defaults(&own);
    assert_int_equal(at_options_accept(&own, sizeof own, &new, "attend_data_defaults", &err),
                     ATTEND_OK);
    assert_int_equal(own.places, 17);
    assert_int_equal(own.size, sizeof own);
    new.new_option = 1;
    attend_examples *x;
    assert_int_equal(attend_examples_open("corpus", (const void *)&new, &x, &err), ATTEND_OPTION);
    assert_null(x);
    assert_non_null(strstr(err.message, "update the library"));
}

static void a_size_that_was_never_set_is_refused(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, sizeof(size_t), 1 << 20, SIZE_MAX};
    attend_learn_options o, own;
    attend_error err;
    attend_learn_defaults(&own);
    o = own;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        o.size = sizes[i];
        assert_int_equal(at_options_accept(&own, sizeof own, &o, "attend_learn_defaults", &err),
                         ATTEND_OPTION);
        assert_non_null(strstr(err.message, "initialise them with attend_learn_defaults"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shorter_struct_gets_the_defaults_of_the_rest),
        cmocka_unit_test(an_older_caller_fits_a_curve),
        cmocka_unit_test(a_longer_struct_works_if_its_new_members_are_not_set),
        cmocka_unit_test(a_size_that_was_never_set_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
