#include "base/config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"

typedef struct {
    bool lower, help;
    int hidden, cell;
    double rate;
    size_t seed;
    const char *title, *out, *swap;
    at_paths in;
} fields;

static const at_option options[] = {
    {.name = "lower", OPTION_FLAG(fields, lower), .group = "Data", .help = "Small letters"},
    {.name = "hidden",
     OPTION_INT(fields, hidden),
     .value = "256",
     .min = 1,
     .max = 4096,
     .help = "Width"},
    {.name = "cell",
     OPTION_CHOICE(fields, cell),
     .value = "gru",
     .choices = "rnn|lstm|gru",
     .help = "What a layer is made of"},
    {.name = "rate",
     OPTION_REAL(fields, rate),
     .value = "0.001",
     .group = "Training",
     .help = "Learning rate"},
    {.name = "seed", OPTION_SIZE(fields, seed), .value = "1234", .help = "Seed"},
    {.name = "title", OPTION_STRING(fields, title), .help = "Title"},
    {.name = "out", OPTION_PATH(fields, out), .help = "Output"},
    {.name = "swap",
     .type = ATTEND_OPTION_SWITCH,
     .offset = offsetof(fields, swap),
     .help = "Other direction"},
    {.name = "in", OPTION_PATHS(fields, in), .help = "Input"},
    {.name = "help", OPTION_FLAG(fields, help), .help = "Help", .line_only = true},
    {0}};

typedef struct {
    fields f;
    at_config config;
    attend_error err;
} outcome;

static attend_status read_text(outcome *o, const char *text)
{
    memset(o, 0, sizeof *o);
    assert_int_equal(at_options_defaults(options, &o->f, &o->err), ATTEND_OK);
    at_option_set set = {options, &o->f};
    attend_status status = at_config_parse(&o->config, "run.yaml", text, strlen(text), &o->err);
    return status < 0 ? status : at_config_apply(&o->config, &set, 1, &o->err);
}

static void refused(const char *text, attend_status status, const char *message)
{
    outcome o;
    assert_int_equal(read_text(&o, text), status);
    assert_string_equal(o.err.message, message);
    at_config_free(&o.config);
}

static void sets_every_type_of_option(void **state)
{
    (void)state;
    outcome o;
    assert_int_equal(read_text(&o, "---\n# a comment\nlower: yes\nhidden: 512\ncell: lstm\n"
                                   "rate: 3e-4\nseed: 64k\ntitle: \"a: b\"\nout: new/model\n"
                                   "swap: true\nin: [a, 'b c']\n"),
                     ATTEND_OK);
    assert_true(o.f.lower);
    assert_int_equal(o.f.hidden, 512);
    assert_int_equal(o.f.cell, 1);
    assert_true(o.f.rate == 3e-4 && o.f.seed == 65536);
    assert_string_equal(o.f.title, "a: b");
    assert_string_equal(o.f.out, "new/model");
    assert_string_equal(o.f.swap, "yes");
    assert_int_equal(o.f.in.count, 2);
    assert_string_equal(o.f.in.item[1], "b c");
    assert_int_equal(at_config_find(&o.config, "hidden")->line, 4);
    at_config_free(&o.config);
}

static void leaves_what_it_does_not_name(void **state)
{
    (void)state;
    const char *empty[] = {"", "\n# nothing\n", "---\n", "{}", "title:\nout: ~\nhidden: null\n"};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        outcome o;
        assert_int_equal(read_text(&o, empty[i]), ATTEND_OK);
        assert_int_equal(o.f.hidden, 256);
        assert_null(o.f.title);
        assert_null(o.f.out);
        assert_null(at_config_find(&o.config, "hidden"));
        at_config_free(&o.config);
    }
    outcome o;
    assert_int_equal(read_text(&o, "title: ''\n"), ATTEND_OK);
    assert_string_equal(o.f.title, "");
    at_config_free(&o.config);
}

static void says_where_a_name_or_value_is_wrong(void **state)
{
    (void)state;
    refused("cell: gru\nhiden: 5\n", ATTEND_OPTION,
            "run.yaml:2: there is no option 'hiden'; did you mean 'hidden'?");
    refused("\n\nhidden: many\n", ATTEND_OPTION,
            "run.yaml:3: hidden: \"many\" is not a whole number");
    refused("hidden: 0\n", ATTEND_OPTION,
            "run.yaml:1: hidden: 0 is out of range; it goes from 1 to 4096");
    refused("cell: glu", ATTEND_OPTION,
            "run.yaml:1: cell: \"glu\" is not one of rnn, lstm, gru; did you mean gru?");
    refused("lower: perhaps", ATTEND_OPTION,
            "run.yaml:1: lower: \"perhaps\" is neither yes nor no");
    refused("hidden: [1, 2]", ATTEND_OPTION, "run.yaml:1: hidden takes one value, not a list");
    refused("help: yes", ATTEND_OPTION, "run.yaml:1: help is for the command line alone");
    refused("zzzzzzzz: 1", ATTEND_OPTION,
            "run.yaml:1: there is no option 'zzzzzzzz'; --help shows what there is");
}

static void refuses_all_but_a_flat_mapping(void **state)
{
    (void)state;
    refused("model:\n  hidden: 5\n", ATTEND_FORMAT,
            "run.yaml:2: options do not nest: write NAME: VALUE at the left margin");
    refused("hidden: 1\nhidden: 2\n", ATTEND_FORMAT,
            "run.yaml:2: hidden is given in line 1 already");
    refused("- hidden\n", ATTEND_FORMAT, "run.yaml:1: a configuration is lines of NAME: VALUE");
    refused("hidden\n", ATTEND_FORMAT, "run.yaml:1: a configuration is lines of NAME: VALUE");
    refused("hidden: &a 5\ncell: *a\n", ATTEND_FORMAT,
            "run.yaml:2: references are not taken; write the value out");
    refused("hidden: 5\n---\ncell: gru\n", ATTEND_FORMAT,
            "run.yaml:2: a second document; a configuration is one");
    refused("? [a]\n: 5\n", ATTEND_FORMAT, "run.yaml:1: the name of an option must be a word");
    refused("in: [[a]]\n", ATTEND_FORMAT, "run.yaml:1: a list holds values alone");
    refused("title: \"a\\0b\"\n", ATTEND_FORMAT, "run.yaml:1: a value holds a zero byte");
}

static void says_where_it_is_no_yaml(void **state)
{
    (void)state;
    outcome o;
    assert_int_equal(read_text(&o, "hidden: 5\n\ttitle: [\n"), ATTEND_FORMAT);
    assert_non_null(strstr(o.err.message, "run.yaml:2: no YAML: "));
    at_config_free(&o.config);
    assert_int_equal(read_text(&o, "title: \xff\n"), ATTEND_FORMAT);
    assert_non_null(strstr(o.err.message, "run.yaml: no YAML: "));
    at_config_free(&o.config);
}

static void a_command_line_overrides_the_file(void **state)
{
    (void)state;
    outcome o;
    char *argv[] = {"--hidden", "64"};
    int operands;
    assert_int_equal(read_text(&o, "hidden: 512\ncell: lstm\n"), ATTEND_OK);
    at_option_set set = {options, &o.f};
    assert_int_equal(at_options_parse(&set, 1, 2, argv, &operands, &o.err), ATTEND_OK);
    assert_int_equal(o.f.hidden, 64);
    assert_int_equal(o.f.cell, 1);
    at_config_free(&o.config);
}

static const char *origin(void *user, const at_option *o)
{
    (void)user;
    return strcmp(o->name, "hidden") == 0 ? "run.yaml:3" : NULL;
}

static void what_it_prints_reads_back_the_same(void **state)
{
    (void)state;
    const char *titles[] = {"plain",
                            "two words",
                            "",
                            "null",
                            "~",
                            "a: b",
                            "# no",
                            "\"q\\\"",
                            "a:",
                            "- x",
                            "[1]",
                            "1%",
                            "%1",
                            "tab\there",
                            "yes",
                            "'",
                            "*a",
                            "&a",
                            "adamw:weight_decay=0.1,lr=3e-4",
                            "caf\xc3\xa9 \xe6\xb1\xa4\xe5\xa7\x86",
                            "\xc2\x85\xe2\x80\xa8 \x7f line\nbreak",
                            "\xf0\x9f\x90\x88",
                            " blank "};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        outcome o, again;
        assert_int_equal(read_text(&o, "hidden: 77\nrate: 0.1\nin: [x, 'y: z']\nlower: on\n"),
                         ATTEND_OK);
        o.f.title = titles[i];
        at_option_set set = {options, &o.f};
        at_str text = {0};
        at_config_print(&text, &set, 1, origin, NULL);
        if (read_text(&again, at_str_text(&text)) < 0)
            fail_msg("%s in\n%s", again.err.message, at_str_text(&text));
        assert_string_equal(again.f.title, titles[i]);
        assert_int_equal(again.f.hidden, 77);
        assert_true(again.f.rate == 0.1 && again.f.lower && again.f.seed == 1234);
        assert_null(again.f.out);
        assert_null(again.f.swap);
        assert_int_equal(again.f.in.count, 2);
        assert_string_equal(again.f.in.item[1], "y: z");
        assert_non_null(strstr(at_str_text(&text), "# Width [run.yaml:3]\nhidden: 77\n"));
        assert_non_null(strstr(at_str_text(&text), "# ---- Training\n"));
        assert_null(strstr(at_str_text(&text), "help:"));
        at_str_free(&text);
        at_config_free(&o.config);
        at_config_free(&again.config);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    long live = at_alloc_live(), failures = 0;
    for (;; failures++) {
        outcome o;
        memset(&o, 0, sizeof o);
        at_alloc_fail_after(failures);
        attend_status status = read_text(&o, "title: text\nin: [a, b]\nhidden: 5\n");
        at_alloc_fail_after(-1);
        at_config_free(&o.config);
        assert_int_equal(at_alloc_live(), live);
        if (status >= 0)
            break;
        assert_int_equal(status, ATTEND_MEMORY);
    }
    assert_true(failures > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_every_type_of_option),
        cmocka_unit_test(leaves_what_it_does_not_name),
        cmocka_unit_test(says_where_a_name_or_value_is_wrong),
        cmocka_unit_test(refuses_all_but_a_flat_mapping),
        cmocka_unit_test(says_where_it_is_no_yaml),
        cmocka_unit_test(a_command_line_overrides_the_file),
        cmocka_unit_test(what_it_prints_reads_back_the_same),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("base_config", tests, NULL, NULL);
}
