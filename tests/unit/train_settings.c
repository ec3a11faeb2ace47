#include "train/settings.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    double rate;
    int warm_up, mode;
    bool quick;
} fields;

static const at_option table[] = {
    {.name = "rate", OPTION_REAL(fields, rate), .min = 0, .max = 10, .help = "Rate"},
    {.name = "warm-up", OPTION_INT(fields, warm_up), .min = 0, .max = 1e9, .help = "Warm-up"},
    {.name = "mode", OPTION_CHOICE(fields, mode), .choices = "min|max", .help = "Mode"},
    {.name = "quick", OPTION_FLAG(fields, quick), .help = "Quick"},
    {0}};

static fields it;
static attend_error err;
static const at_settings all = {"thing", "rate warm_up mode quick", table, &it};
static const at_settings few = {"little", "rate", table, &it};
static const at_settings none = {"nothing", "", table, &it};

static int start(void **state)
{
    (void)state;
    it = (fields){.rate = 1, .warm_up = 2};
    err = (attend_error){0};
    return 0;
}

static void reads_a_list_of_settings(void **state)
{
    (void)state;
    assert_int_equal(at_settings_parse(&all, "rate=2.5,warm_up=4,mode=max,quick", &err), ATTEND_OK);
    assert_true(it.rate == 2.5 && it.warm_up == 4 && it.mode == 1 && it.quick);
    assert_int_equal(at_settings_parse(&all, "quick=no,warm-up=7", &err), ATTEND_OK);
    assert_true(it.warm_up == 7 && !it.quick);
    assert_int_equal(at_settings_parse(&all, "", &err), ATTEND_OK);
    assert_true(it.rate == 2.5);
}

static void refuses_what_it_cannot_read(void **state)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"rate", "thing: rate needs a value; write rate=VALUE"},
        {"rate=", "not a number"},
        {"rate=fast", "thing: rate: \"fast\" is not a number"},
        {"rate=11", "out of range"},
        {"rate=nan", "not a number"},
        {"warm-up=1.5", "not a whole number"},
        {"warm-up=-1", "out of range"},
        {"mode=middle", "\"middle\" is not one of min, max"},
        {"quick=perhaps", "neither yes nor no"},
        {"rate=1,", "must follow the last comma"},
        {"rate=1,,quick", "no setting \"\""},
        {"=3", "no setting \"\""},
        {"raet=3", "did you mean rate?"},
        {"rate=1 ", "not a number"},
        {"rate=0.000000000000000000000000000000000000000000000000000000000000000000000000000001",
         "too long"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(at_settings_parse(&all, wrong[i].text, &err), ATTEND_OPTION);
        if (!strstr(err.message, wrong[i].message))
            fail_msg("%s: %s", wrong[i].text, err.message);
    }
}

static void offers_only_what_its_owner_has(void **state)
{
    (void)state;
    assert_int_equal(at_settings_parse(&few, "rate=3", &err), ATTEND_OK);
    assert_int_equal(at_settings_parse(&few, "quick", &err), ATTEND_OPTION);
    assert_string_equal(err.message, "little has no setting \"quick\"; it has: rate");
    assert_int_equal(at_setting_set(&none, "rate", 3, &err), ATTEND_OPTION);
    assert_string_equal(err.message, "nothing has no setting \"rate\"; it has: none");
    assert_null(at_setting_find(&few, "rat", 3));
    assert_non_null(at_setting_find(&few, "rate=3", 4));
}

static void sets_every_kind_from_a_number(void **state)
{
    (void)state;
    assert_int_equal(at_setting_set(&all, "rate", 0.1, &err), ATTEND_OK);
    assert_int_equal(at_setting_set(&all, "warm_up", 1000000, &err), ATTEND_OK);
    assert_int_equal(at_setting_set(&all, "mode", 1, &err), ATTEND_OK);
    assert_int_equal(at_setting_set(&all, "quick", 1, &err), ATTEND_OK);
    assert_true(it.rate == 0.1 && it.warm_up == 1000000 && it.mode == 1 && it.quick);
}

static void refuses_numbers_that_make_no_sense(void **state)
{
    static const struct {
        const char *name;
        double value;
    } wrong[] = {{"rate", -1},      {"rate", NAN},   {"rate", INFINITY}, {"warm-up", 0.5},
                 {"warm-up", 1e12}, {"warm-up", -1}, {"mode", 2},        {"mode", -1},
                 {"mode", 0.5},     {"mode", 1e9},   {"quick", 2},       {"quick", NAN}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (at_setting_set(&all, wrong[i].name, wrong[i].value, &err) != ATTEND_OPTION)
            fail_msg("%s = %g", wrong[i].name, wrong[i].value);
    assert_true(it.rate == 1 && it.warm_up == 2 && it.mode == 0 && !it.quick);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(reads_a_list_of_settings, start),
        cmocka_unit_test_setup(refuses_what_it_cannot_read, start),
        cmocka_unit_test_setup(offers_only_what_its_owner_has, start),
        cmocka_unit_test_setup(sets_every_kind_from_a_number, start),
        cmocka_unit_test_setup(refuses_numbers_that_make_no_sense, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
