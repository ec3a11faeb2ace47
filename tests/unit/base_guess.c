#include "base/guess.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char *guess(const char *word, const char *const *candidates)
{
    static at_guess g;
    g = (at_guess){.word = word};
    for (; *candidates; candidates++)
        at_guess_consider(&g, *candidates, strlen(*candidates));
    return g.best;
}

static const char *const names[] = {"steps", "learning-rate", "threads", "out", "x", "y", NULL};

static void finds_a_word_with_a_slip(void **state)
{
    (void)state;
    assert_string_equal(guess("stesp", names), "steps"); /* swapped */
    assert_string_equal(guess("setps", names), "steps");
    assert_string_equal(guess("step", names), "steps");       /* missing */
    assert_string_equal(guess("threadss", names), "threads"); /* doubled */
    assert_string_equal(guess("learnin-rat", names), "learning-rate");
    assert_string_equal(guess("learn", names), "learning-rate"); /* an abbreviation */
}

static void stays_silent_when_nothing_is_near(void **state)
{
    (void)state;
    assert_string_equal(guess("banana", names), "");
    assert_string_equal(guess("", names), "");
    assert_string_equal(guess("z", names), ""); /* one letter for another is no resemblance */
    char longer[200];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    assert_string_equal(guess(longer, names), "");
    const char *const endless[] = {longer, NULL};
    assert_string_equal(guess("aaaa", endless), "");
}

static void suggests_no_name_of_another_meaning(void **state)
{
    (void)state;
    const char *const lengths[] = {"max-length", "mix-lengths", "top-k", "batch", NULL};
    assert_string_equal(guess("min-length", lengths), "");
    assert_string_equal(guess("top-p", lengths), "");
    assert_string_equal(guess("patch", lengths), ""); /* another first letter */
    assert_string_equal(guess("max-lenght", lengths), "max-length");
    assert_string_equal(guess("mxa-length", lengths), "max-length");
    assert_string_equal(guess("maxlength", lengths), "max-length");
    assert_string_equal(guess("abtch", lengths), "batch");
}

static void prefers_the_nearest_and_then_the_first(void **state)
{
    (void)state;
    const char *const both[] = {"maxx", "max", NULL};
    assert_string_equal(guess("max", both), "max");
    const char *const equal[] = {"cat", "cap", NULL};
    assert_string_equal(guess("car", equal), "cat");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_a_word_with_a_slip),
        cmocka_unit_test(stays_silent_when_nothing_is_near),
        cmocka_unit_test(suggests_no_name_of_another_meaning),
        cmocka_unit_test(prefers_the_nearest_and_then_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
