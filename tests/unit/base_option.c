#include "base/option.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"

typedef struct {
    bool plot, json;
    int steps, kernel;
    double rate, shift;
    size_t memory;
    const char *title, *out;
    at_paths in;
} fields;

/* clang-format off */
static const at_option options[] = {
    {.name = "plot", .letter = 'p', OPTION_FLAG(fields, plot), .value = "yes", .help = "Draw"},
    {.name = "json", .letter = 'j', OPTION_FLAG(fields, json), .help = "Write JSON"},
    {.name = "steps", .letter = 's', OPTION_INT(fields, steps), .value = "1000", .min = 1,
     .max = 1e6, .meta = "N", .help = "Steps"},
    {.name = "kernel", .letter = 'k', OPTION_CHOICE(fields, kernel), .value = "gaussian",
     .choices = "gaussian|box|epanechnikov", .meta = "KIND", .help = "Kernel"},
    {.name = "rate", OPTION_REAL(fields, rate), .value = "0.05", .max = INFINITY, .meta = "R",
     .help = "Rate"},
    {.name = "shift", OPTION_REAL(fields, shift), .min = -INFINITY, .max = 10, .help = "Shift"},
    {.name = "memory", OPTION_SIZE(fields, memory), .value = "64M", .min = 1, .max = 0x1p40,
     .help = "Memory"},
    {.name = "title", OPTION_STRING(fields, title), .help = "Title"},
    {.name = "out", .letter = 'o', OPTION_PATH(fields, out), .meta = "FILE", .help = "Output"},
    {.name = "in", .letter = 'i', OPTION_PATHS(fields, in), .meta = "FILE", .help = "Input"},
    {0}};
/* clang-format on */

typedef struct {
    bool quiet;
    int threads;
} common;

static const at_option common_options[] = {
    {.name = "quiet", .letter = 'q', OPTION_FLAG(common, quiet), .help = "Say less"},
    {.name = "threads",
     .letter = 't',
     OPTION_INT(common, threads),
     .min = 0,
     .max = 1024,
     .help = "Threads"},
    {0}};

/* one command line and what became of it */
typedef struct {
    fields f;
    common c;
    char *argv[64];
    int operands;
    attend_error err;
} outcome;

static attend_status parse(outcome *r, const char *line)
{
    static char copy[1000]; /* the words live as long as the outcome is looked at */
    int argc = 0;
    memset(r, 0xFF, sizeof *r);
    r->err.message[0] = 0;
    assert_int_equal(at_options_defaults(options, &r->f, &r->err), ATTEND_OK);
    assert_int_equal(at_options_defaults(common_options, &r->c, &r->err), ATTEND_OK);
    strcpy(copy, line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        r->argv[argc++] = word;
    at_option_set sets[] = {{options, &r->f}, {common_options, &r->c}};
    return at_options_parse(sets, 2, argc, r->argv, &r->operands, &r->err);
}

static void check_error(const char *line, const char *message)
{
    outcome r;
    assert_int_equal(parse(&r, line), ATTEND_OPTION);
    assert_int_equal(r.err.status, ATTEND_OPTION);
    assert_string_equal(r.err.message, message);
}

static void sets_every_field_to_its_default(void **state)
{
    (void)state;
    outcome r;
    assert_int_equal(parse(&r, ""), ATTEND_OK);
    assert_true(r.f.plot && !r.f.json && !r.c.quiet);
    assert_int_equal(r.f.steps, 1000);
    assert_int_equal(r.f.kernel, 0);
    assert_true(r.f.rate == 0.05 && r.f.shift == 0);
    assert_true(r.f.memory == (size_t)64 << 20);
    assert_null(r.f.title);
    assert_null(r.f.out);
    assert_int_equal(r.c.threads, 0);
    assert_int_equal(r.operands, 0);
}

static void reads_every_type_in_every_form(void **state)
{
    (void)state;
    outcome r;
    assert_int_equal(parse(&r, "--steps 7 --kernel=box --rate 1e-3 --shift -2.5 --memory 2k "
                               "--title=a=b --out - --json --threads 3"),
                     ATTEND_OK);
    assert_int_equal(r.f.steps, 7);
    assert_int_equal(r.f.kernel, 1);
    assert_true(r.f.rate == 1e-3 && r.f.shift == -2.5);
    assert_true(r.f.memory == 2048);
    assert_string_equal(r.f.title, "a=b");
    assert_string_equal(r.f.out, "-");
    assert_true(r.f.json);
    assert_int_equal(r.c.threads, 3);
    assert_int_equal(parse(&r, "-s 7 -kbox -oout.png -qj"), ATTEND_OK);
    assert_int_equal(r.f.steps, 7);
    assert_int_equal(r.f.kernel, 1);
    assert_string_equal(r.f.out, "out.png");
    assert_true(r.c.quiet && r.f.json);
    assert_int_equal(parse(&r, "-js 7"), ATTEND_OK);
    assert_true(r.f.json);
    assert_int_equal(r.f.steps, 7);
}

static void turns_flags_on_and_off(void **state)
{
    (void)state;
    outcome r;
    assert_int_equal(parse(&r, "--no-plot --json"), ATTEND_OK);
    assert_true(!r.f.plot && r.f.json);
    assert_int_equal(parse(&r, "--plot=no --json=on --quiet=1"), ATTEND_OK);
    assert_true(!r.f.plot && r.f.json && r.c.quiet);
    assert_int_equal(parse(&r, "--no-plot --plot --json --no-json"), ATTEND_OK);
    assert_true(r.f.plot && !r.f.json);
    check_error("--plot=maybe", "--plot: \"maybe\" is neither yes nor no");
    check_error("--no-steps", "--no-steps: --steps takes a value and cannot be turned off");
    check_error("--no-plot=yes", "--no-plot takes no value");
}

static void moves_operands_to_the_front_in_their_order(void **state)
{
    (void)state;
    outcome r;
    assert_int_equal(parse(&r, "one --steps 5 two - -1.5 -- --steps -q"), ATTEND_OK);
    assert_int_equal(r.operands, 6);
    static const char *const expected[] = {"one", "two", "-", "-1.5", "--steps", "-q"};
    for (int i = 0; i < 6; i++)
        assert_string_equal(r.argv[i], expected[i]);
    assert_int_equal(r.f.steps, 5);
    assert_false(r.c.quiet);
}

static void lets_the_last_of_two_win(void **state)
{
    (void)state;
    outcome r;
    assert_int_equal(parse(&r, "--steps 5 -s 6"), ATTEND_OK);
    assert_int_equal(r.f.steps, 6);
}

static void suggests_the_option_that_was_meant(void **state)
{
    (void)state;
    check_error("--stesp 5", "unknown option --stesp; did you mean --steps?");
    check_error("--kernle=box", "unknown option --kernle; did you mean --kernel?");
    check_error("--thread 2", "unknown option --thread; did you mean --threads?");
    check_error("--banana", "unknown option --banana");
    check_error("-z", "unknown option -z");
    check_error("-jz", "unknown option -z");
    check_error("-xsteps", "unknown option -x; a long name has two dashes");
    outcome r;
    char line[300] = "--";
    memset(line + 2, 'y', 250);
    line[252] = 0;
    assert_int_equal(parse(&r, line), ATTEND_OPTION);
    assert_true(strlen(r.err.message) < 100);
}

static void misses_a_value(void **state)
{
    (void)state;
    check_error("--steps", "--steps needs a value: --steps N");
    check_error("-s", "-s needs a value: -s N");
    check_error("--title", "--title needs a value: --title VALUE");
    check_error("--out --json", "--out needs a value: --out FILE");
    check_error("--out -q", "--out needs a value: --out FILE");
    check_error("--out=", "--out: the name of the file is empty");
    outcome r;
    assert_int_equal(parse(&r, "--title=--json"), ATTEND_OK); /* with = anything can be said */
    assert_string_equal(r.f.title, "--json");
}

static void rejects_values_of_the_wrong_kind(void **state)
{
    (void)state;
    check_error("--steps 1.5", "--steps: \"1.5\" is not a whole number");
    check_error("-sfive", "-s: \"five\" is not a whole number");
    check_error("--steps=", "--steps: \"\" is not a whole number");
    check_error("--rate fast", "--rate: \"fast\" is not a number");
    check_error("--memory much",
                "--memory: \"much\" is not a size; write a number, or one with k, M or G");
    check_error("--kernel gausian", "--kernel: \"gausian\" is not one of gaussian, box, "
                                    "epanechnikov; did you mean gaussian?");
    check_error("--kernel x", "--kernel: \"x\" is not one of gaussian, box, epanechnikov");
}

static void names_the_range_that_was_left(void **state)
{
    (void)state;
    check_error("--steps 0", "--steps: 0 is out of range; it goes from 1 to 1000000");
    check_error("--steps 1000001", "--steps: 1000001 is out of range; it goes from 1 to 1000000");
    check_error("--rate -1", "--rate: -1 is out of range; it must be at least 0");
    check_error("--shift 11", "--shift: 11 is out of range; it must be at most 10");
    check_error("--memory 0", "--memory: 0 is out of range; it goes from 1 to 1099511627776");
    outcome r;
    assert_int_equal(parse(&r, "--steps 1000000 --rate 0 --shift 10"), ATTEND_OK);
}

static void refuses_an_int_that_does_not_fit(void **state)
{
    (void)state;
    struct {
        int n;
    } wide;
    static const at_option unlimited = {.name = "n", .type = ATTEND_OPTION_INT, .help = "N"};
    attend_error err;
    assert_int_equal(at_option_assign(&unlimited, "2147483648", &wide, "train.yaml:12: n", &err),
                     ATTEND_OPTION);
    assert_string_equal(err.message, "train.yaml:12: n: 2147483648 is out of range; "
                                     "it goes from -2147483648 to 2147483647");
    assert_int_equal(at_option_assign(&unlimited, "-2147483648", &wide, "n", &err), ATTEND_OK);
    assert_int_equal(wide.n, -2147483647 - 1);
}

static void leaves_the_field_alone_when_the_value_is_wrong(void **state)
{
    (void)state;
    outcome r;
    assert_int_equal(parse(&r, "--steps 0"), ATTEND_OPTION);
    assert_int_equal(r.f.steps, 1000);
    assert_int_equal(parse(&r, "--memory x"), ATTEND_OPTION);
    assert_true(r.f.memory == (size_t)64 << 20);
    assert_int_equal(parse(&r, "--kernel x"), ATTEND_OPTION);
    assert_int_equal(r.f.kernel, 0);
}

static void works_without_an_error_to_fill(void **state)
{
    (void)state;
    outcome r;
    assert_int_equal(parse(&r, ""), ATTEND_OK);
    char word[] = "--nothing", *argv[] = {word};
    at_option_set set = {options, &r.f};
    assert_int_equal(at_options_parse(&set, 1, 1, argv, &r.operands, NULL), ATTEND_OPTION);
}

static void prints_what_it_would_read(void **state)
{
    (void)state;
    outcome r;
    assert_int_equal(parse(&r, "--steps 7 --kernel box --rate 0.1 --memory 2k --title t --no-plot"),
                     ATTEND_OK);
    fields again;
    at_str text = {0};
    for (const at_option *o = options; o->name; o++) {
        at_str_clear(&text);
        at_option_print(&text, o, &r.f);
        bool string = o->type == ATTEND_OPTION_STRING || o->type == ATTEND_OPTION_PATH
                      || o->type == ATTEND_OPTION_PATHS;
        if (!string)
            assert_int_equal(at_option_assign(o, at_str_text(&text), &again, o->name, NULL),
                             ATTEND_OK);
    }
    assert_true(again.steps == 7 && again.kernel == 1 && again.rate == 0.1);
    assert_true(again.memory == 2048 && !again.plot && !again.json && again.shift == 0);
    at_str_clear(&text);
    at_option_print(&text, &options[7], &r.f);
    at_option_print(&text, &options[8], &r.f); /* no string: nothing */
    assert_string_equal(at_str_text(&text), "t");
    at_str_free(&text);
}

static void keeps_every_file_of_a_repeated_option(void **state)
{
    (void)state;
    outcome r;
    at_str text = {0};
    assert_int_equal(parse(&r, "a"), ATTEND_OK);
    assert_int_equal(r.f.in.count, 0);
    assert_int_equal(parse(&r, "--in one a -i two --in=three b"), ATTEND_OK);
    assert_int_equal(r.f.in.count, 3);
    assert_int_equal(r.operands, 2);
    at_option_print(&text, &options[9], &r.f);
    assert_string_equal(at_str_text(&text), "one,two,three");
    at_str_clear(&text);
    at_str_repeat(&text, "-i x ", ATTEND_PATHS_MAX);
    assert_int_equal(parse(&r, at_str_text(&text)), ATTEND_OK);
    assert_int_equal(r.f.in.count, ATTEND_PATHS_MAX);
    at_str_add(&text, "--in y");
    check_error(at_str_text(&text), "--in: y is one too many; at most 16");
    check_error("--in=", "--in: the name of the file is empty");
    at_str_free(&text);
}

static void finds_the_field_of_a_name_for_configuration_files(void **state)
{
    (void)state;
    fields f;
    common c;
    void *found;
    at_option_set sets[] = {{options, &f}, {common_options, &c}};
    assert_ptr_equal(at_option_find(sets, 2, "threads", &found), &common_options[1]);
    assert_ptr_equal(found, &c);
    assert_null(at_option_find(sets, 2, "thread", &found));
}

static void other_spellings_are_accepted(void **state)
{
    (void)state;
    static const at_option table[] = {
        {.name = "pretokenised", OPTION_STRING(fields, title), .help = "Taken as it stands"}, {0}};
    fields f = {0};
    void *found;
    at_option_set set = {table, &f};
    char *argv[] = {"--pretokenized", "yes", "--pretokenized=no"};
    attend_error err;
    int operands;
    assert_ptr_equal(at_option_find(&set, 1, "pretokenized", &found), table);
    assert_int_equal(at_options_parse(&set, 1, 2, argv, &operands, &err), ATTEND_OK);
    assert_string_equal(f.title, "yes");
    assert_int_equal(at_options_parse(&set, 1, 1, argv + 2, &operands, &err), ATTEND_OK);
    assert_string_equal(f.title, "no");
    assert_null(at_option_find(&(at_option_set){options, &f}, 1, "pretokenized", &found));
}

static attend_status check_table(const at_option *table, attend_error *err)
{
    at_option_set sets[] = {{table, NULL}, {common_options, NULL}};
    return at_options_check(sets, 2, err);
}

static void accepts_a_sound_table_and_names_what_is_wrong(void **state)
{
    (void)state;
    attend_error err;
    assert_int_equal(check_table(options, &err), ATTEND_OK);
    static const at_option taking[] = {
        {.name = "no-more", .type = ATTEND_OPTION_STRING, .meta = "X", .help = "With a value"},
        {0}};
    if (check_table(taking, &err) < 0)
        fail_msg("%s", err.message);
    static const struct {
        at_option option;
        const char *message;
    } wrong[] = {
        {{.name = "quiet", .help = "Twice"}, "--quiet: its name or letter is used twice"},
        {{.name = "other", .letter = 'q', .help = "Twice"}, "--other: its name or letter"},
        {{.name = "no-plot", .help = "A negative"}, "--no-plot: a name is small letters"},
        {{.name = "Big", .help = "A capital"}, "--Big: a name is small letters"},
        {{.name = "a", .letter = '-', .help = "A dash"}, "--a: its letter is no letter"},
        {{.name = "a"}, "--a: help is a sentence"},
        {{.name = "a", .help = "With a stop."}, "--a: help is a sentence"},
        {{.name = "a", .help = "No list", .type = ATTEND_OPTION_CHOICE}, "--a: choices and type"},
        {{.name = "a", .help = "D", .type = ATTEND_OPTION_INT, .value = "9", .min = 1, .max = 3},
         "a: 9 is out of range"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const at_option table[] = {wrong[i].option, {0}};
        assert_int_equal(check_table(table, &err), ATTEND_OPTION);
        assert_memory_equal(err.message, wrong[i].message, strlen(wrong[i].message));
    }
    static const at_option bad[] = {{.name = "a", .type = ATTEND_OPTION_INT, .value = "x"}, {0}};
    fields f;
    assert_int_equal(at_options_defaults(bad, &f, &err), ATTEND_OPTION);
}

static void allocates_nothing(void **state)
{
    (void)state;
    outcome r;
    at_alloc_fail_after(0);
    long before = at_alloc_count();
    assert_int_equal(parse(&r, "a --steps 7 --kernel=box -q b"), ATTEND_OK);
    assert_int_equal(parse(&r, "--kernel bx"), ATTEND_OPTION);
    assert_int_equal(parse(&r, "--stesp 7"), ATTEND_OPTION);
    at_alloc_fail_after(-1);
    assert_int_equal(at_alloc_count(), before);
}

/* any words: a clean answer, and operands that are a part of the words */
static void survives_random_command_lines(void **state)
{
    (void)state;
    static const char *const pieces[] = {"--",    "-",    "steps", "=",        "no-", "plot",
                                         "-q",    "-s",   "5",     "--kernel", "box", "-1",
                                         "--out", "\xff", "json",  "k",        "-jk"};
    const unsigned count = sizeof pieces / sizeof *pieces;
    unsigned random = 1;
    for (int i = 0; i < 20000; i++) {
        char line[400] = "";
        for (int j = 0; j < 8; j++) {
            random = random * 1664525u + 1013904223u;
            strcat(line, pieces[(random >> 16) % count]);
            if (random >> 31)
                strcat(line, " ");
        }
        outcome r;
        attend_status status = parse(&r, line);
        assert_true(status == ATTEND_OK || status == ATTEND_OPTION);
        assert_true(r.operands >= 0 && r.operands <= 8);
        assert_true(r.f.steps >= 1 && r.f.kernel >= 0 && r.f.kernel < 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_every_field_to_its_default),
        cmocka_unit_test(reads_every_type_in_every_form),
        cmocka_unit_test(turns_flags_on_and_off),
        cmocka_unit_test(moves_operands_to_the_front_in_their_order),
        cmocka_unit_test(lets_the_last_of_two_win),
        cmocka_unit_test(suggests_the_option_that_was_meant),
        cmocka_unit_test(misses_a_value),
        cmocka_unit_test(rejects_values_of_the_wrong_kind),
        cmocka_unit_test(names_the_range_that_was_left),
        cmocka_unit_test(refuses_an_int_that_does_not_fit),
        cmocka_unit_test(leaves_the_field_alone_when_the_value_is_wrong),
        cmocka_unit_test(works_without_an_error_to_fill),
        cmocka_unit_test(prints_what_it_would_read),
        cmocka_unit_test(keeps_every_file_of_a_repeated_option),
        cmocka_unit_test(finds_the_field_of_a_name_for_configuration_files),
        cmocka_unit_test(other_spellings_are_accepted),
        cmocka_unit_test(accepts_a_sound_table_and_names_what_is_wrong),
        cmocka_unit_test(allocates_nothing),
        cmocka_unit_test(survives_random_command_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
