/* Languages and the names of files decide which side is the source. */
#include "train/direction.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static attend_error err;

static attend_status choose(at_run_settings run, bool *swap, const char *from, const char *to)
{
    err.message[0] = '\0';
    return at_direction_choose(&run, from, to, swap, &err);
}

static void swaps(const char *data, const char *from, const char *to, bool expected)
{
    bool swap = false;
    if (choose((at_run_settings){.data = data}, &swap, from, to) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(swap, expected);
}

static void refused(at_run_settings run, bool swap, const char *from, const char *to,
                    const char *message)
{
    assert_int_equal(choose(run, &swap, from, to), ATTEND_OPTION);
    if (!strstr(err.message, message))
        fail_msg("\"%s\" does not say \"%s\"", err.message, message);
}

static void files_of_manythings_have_english_first(void **state)
{
    (void)state;
    swaps("data/fra-eng.zip", "en", "fr", false);
    swaps("data/fra-eng.zip", "French", "English", true);
    swaps("fra.txt", "fra", NULL, true);
    swaps("cmn.txt", NULL, "zh", false);
    swaps("xyz-eng.zip", "xyz", "en", true);
}

static void other_names_decide_nothing(void **state)
{
    (void)state;
    swaps("pairs.tsv", "fr", "en", false);
    swaps("fra-eng.zip", NULL, NULL, false);
    swaps("fra-eng.zip", "", "", false);
    swaps("mix.txt", "fr", "en", false);
    bool swap = true;
    assert_int_equal(choose((at_run_settings){.data = "pairs.tsv"}, &swap, "fr", "en"), ATTEND_OK);
    assert_true(swap);
}

static void contradictions_are_refused(void **state)
{
    (void)state;
    refused((at_run_settings){.data = "fra-eng.zip"}, false, "de", "en", "has eng and fra");
    refused((at_run_settings){.data = "fra-eng.zip"}, true, "en", "fr", "leave --swap out");
    refused((at_run_settings){.data = "x"}, false, "en", "English", "one language");
    refused((at_run_settings){.src = "a/train.tok.de", .tgt = "train.en"}, false, "en", "de",
            "--src train.tok.de is in German, by its name, not in en");
    refused((at_run_settings){.src = "x", .tgt = "train.en"}, false, NULL, "fr", "--tgt train.en");
}

static void endings_that_fit_are_well(void **state)
{
    (void)state;
    at_run_settings run = {.src = "train.tok.de", .tgt = "train.tok.en"};
    bool swap = false;
    assert_int_equal(choose(run, &swap, "German", "eng"), ATTEND_OK);
    swap = true;
    assert_int_equal(choose(run, &swap, "en", "de"), ATTEND_OK);
    run = (at_run_settings){.src = "source.txt", .tgt = "target.txt"};
    assert_int_equal(choose(run, &swap, "en", "de"), ATTEND_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_manythings_have_english_first),
        cmocka_unit_test(other_names_decide_nothing),
        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(endings_that_fit_are_well),
    };
    return cmocka_run_group_tests_name("train_direction", tests, NULL, NULL);
}
