#include "base/usage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"

typedef struct {
    bool plot, json, secret;
    int steps, kernel;
    const char *out, *lower, *resume;
} fields;

/* clang-format off */
static const at_option options[] = {
    {.name = "out", .letter = 'o', OPTION_PATH(fields, out), .meta = "FILE", .group = "Output",
     .help = "Where the model goes", .example = {"tool fit --out m.bin data.csv", "Keep it"}},
    {.name = "plot", OPTION_FLAG(fields, plot), .value = "yes", .help = "Draw the curve"},
    {.name = "json", OPTION_FLAG(fields, json), .help = "Write [JSON], don't draw: \\o/"},
    {.name = "lower", .type = ATTEND_OPTION_SWITCH, .offset = offsetof(fields, lower),
     .help = "Write small"},
    {.name = "resume", .type = ATTEND_OPTION_SWITCH, .offset = offsetof(fields, resume),
     .line_only = true, .help = "Go on"},
    {.name = "steps", .letter = 's', OPTION_INT(fields, steps), .value = "1000", .min = 1,
     .max = 1e6, .meta = "N", .group = "Training", .help = "Steps of training; more of them fit "
     "better, until nothing is left to gain and the rest is only a waste of time"},
    {.name = "kernel-function", OPTION_CHOICE(fields, kernel), .value = "box",
     .choices = "gaussian|box|cone", .meta = "KERNEL", .help = "Shape of the kernel"},
    {.name = "secret", OPTION_FLAG(fields, secret), .help = "Not for everybody", .hidden = true},
    {0}};
/* clang-format on */

static const at_option common[] = {
    {.name = "quiet", .letter = 'q', OPTION_FLAG(fields, json), .help = "Say less"}, {0}};

static const at_term fit_examples[] = {{"tool fit data.csv", "Fit a curve"}, {0}};
static const at_usage fit = {.name = "fit",
                             .summary = "Fit a curve to points",
                             .operands = "DATA.csv",
                             .description = "A first paragraph.\n\n.A second 'one'.",
                             .options = options,
                             .examples = fit_examples};
static const at_usage shell = {
    .name = "shell", .summary = "Print a word", .operands = "WORD", .words = "red|green"};
static const at_usage help = {
    .name = "help", .summary = "Explain", .operands = "COMMAND", .of_command = true};
static const at_usage ghost = {.name = "ghost", .summary = "Not listed", .hidden = true};
static const at_usage *const commands[] = {&fit, &shell, &help, &ghost, NULL};
static const at_term codes[] = {{"0", "All went well"}, {"2", "A wrong option"}, {0}};
static const at_term environment[] = {{"NO_COLOR", "No colours"}, {0}};
static const at_program tool = {.name = "tool",
                                .version = "1.2",
                                .summary = "A tool for tests",
                                .description = "It does nothing.",
                                .common = common,
                                .commands = commands,
                                .examples = fit_examples,
                                .exit_codes = codes,
                                .environment = environment};

static void prints_help_in_groups_and_columns(void **state)
{
    (void)state;
    at_str s = {0};
    at_usage_help(&s, &tool, &fit, 80);
    assert_string_equal(
        at_str_text(&s),
        "tool fit: Fit a curve to points.\n"
        "\n"
        "Usage: tool fit [OPTIONS] DATA.csv\n"
        "\n"
        "A first paragraph.\n"
        "\n"
        ".A second 'one'.\n"
        "\n"
        "Output:\n"
        "  -o, --out FILE            Where the model goes\n"
        "      --[no-]plot           Draw the curve\n"
        "      --json                Write [JSON], don't draw: \\o/\n"
        "      --[no-]lower          Write small\n"
        "      --resume              Go on\n"
        "\n"
        "Training:\n"
        "  -s, --steps N             Steps of training; more of them fit better, until\n"
        "                            nothing is left to gain and the rest is only a waste\n"
        "                            of time (1 to 1000000, default 1000)\n"
        "      --kernel-function KERNEL\n"
        "                            Shape of the kernel: gaussian, box or cone (default\n"
        "                            box)\n"
        "\n"
        "Common options:\n"
        "  -q, --quiet               Say less\n"
        "\n"
        "Examples:\n"
        "  # Fit a curve\n"
        "  tool fit data.csv\n"
        "  # Keep it\n"
        "  tool fit --out m.bin data.csv\n");
    at_str_free(&s);
}

static void prints_the_commands_that_are_not_hidden(void **state)
{
    (void)state;
    at_str s = {0};
    at_program_help(&s, &tool, 80);
    assert_string_equal(at_str_text(&s), "tool 1.2: A tool for tests.\n"
                                         "\n"
                                         "Usage: tool COMMAND [OPTIONS] [OPERANDS]\n"
                                         "       tool --version\n"
                                         "\n"
                                         "It does nothing.\n"
                                         "\n"
                                         "Commands:\n"
                                         "  fit                       Fit a curve to points\n"
                                         "  shell                     Print a word\n"
                                         "  help                      Explain\n"
                                         "\n"
                                         "Options of every command:\n"
                                         "  -q, --quiet               Say less\n"
                                         "\n"
                                         "Examples:\n"
                                         "  # Fit a curve\n"
                                         "  tool fit data.csv\n"
                                         "\n"
                                         "Exit codes:\n"
                                         "  0                         All went well\n"
                                         "  2                         A wrong option\n"
                                         "\n"
                                         "Environment:\n"
                                         "  NO_COLOR                  No colours\n");
    at_str_free(&s);
}

static void stays_within_the_columns(void **state)
{
    (void)state;
    for (int columns = 50; columns <= 120; columns += 10) {
        at_str s = {0};
        at_usage_help(&s, &tool, &fit, columns);
        for (const char *line = s.text; *line; line = strchr(line, '\n') + 1)
            assert_true((int)strcspn(line, "\n") <= columns);
        at_str_free(&s);
    }
}

static void writes_manual_pages_that_roff_prints_as_meant(void **state)
{
    (void)state;
    at_str s = {0};
    at_usage_man(&s, &tool, &fit);
    const char *page = at_str_text(&s);
    assert_ptr_equal(strstr(page, ".TH \"TOOL\\-FIT\" \"1\" \"\" \"tool 1.2\""), page);
    assert_non_null(strstr(page, "\n.SH NAME\ntool\\-fit \\- Fit a curve to points\n"));
    assert_non_null(strstr(page, "\n.SH SYNOPSIS\n.B tool fit\n[OPTIONS]\nDATA.csv\n"));
    assert_non_null(strstr(page, "\n.PP\n\\&.A second \\(aqone\\(aq.\n"));
    assert_non_null(strstr(page, "\n.SS Training\n.TP\n.B \\-s, \\-\\-steps N\n"));
    assert_non_null(strstr(page, "don\\(aqt draw: \\eo/.\n"));
    assert_non_null(strstr(page, "\n.SH EXIT STATUS\n.TP\n.B 0\nAll went well\n"));
    assert_non_null(strstr(page, "\n.SH SEE ALSO\n.BR tool (1),\n"
                                 ".BR tool\\-shell (1),\n.BR tool\\-help (1)\n"));
    assert_null(strstr(page, "secret"));
    at_str_clear(&s);
    at_program_man(&s, &tool);
    page = at_str_text(&s);
    assert_non_null(strstr(page, "\n.SH COMMANDS\n.TP\n.B fit\nFit a curve to points\n.TP\n"));
    assert_non_null(strstr(page, "\n.SH SEE ALSO\n.BR tool\\-fit (1),\n"
                                 ".BR tool\\-shell (1),\n.BR tool\\-help (1)\n"));
    assert_null(strstr(page, "ghost"));
    at_str_free(&s);
}

static void writes_completion_for_three_shells(void **state)
{
    (void)state;
    at_str s = {0};
    assert_true(at_program_completion(&s, &tool, "bash"));
    assert_non_null(strstr(s.text, "    '') words=\"--help --version fit shell help\" ;;\n"));
    assert_non_null(strstr(s.text, "--out|-o) words=\"\"; files=yes ;;\n"));
    assert_non_null(strstr(s.text, "--kernel-function) words=\"gaussian box cone\"; files= ;;\n"));
    assert_non_null(strstr(s.text, "then words=\"--quiet \"; files=; fi\n"));
    assert_non_null(strstr(s.text, "words=\"--out --plot --no-plot --json --lower --no-lower "
                                   "--resume --steps "));
    assert_non_null(strstr(s.text, "words=\"red green\"; files=\n"));
    assert_non_null(strstr(s.text, "words=\"fit shell help\"; files=\n"));
    assert_null(strstr(s.text, "secret"));
    at_str_clear(&s);
    assert_true(at_program_completion(&s, &tool, "zsh"));
    assert_non_null(strstr(s.text, "'fit:Fit a curve to points'\n"));
    assert_non_null(strstr(s.text, "'--json[Write \\[JSON\\], don'\\''t draw\\: \\\\o/]'"));
    assert_non_null(strstr(s.text, "'--no-plot[Draw the curve]' \\\n"));
    assert_null(strstr(s.text, "--no-resume"));
    assert_non_null(strstr(s.text, "'-o+[Where the model goes]:FILE:_files'"));
    assert_non_null(strstr(s.text, "]:KERNEL:(gaussian box cone)'"));
    assert_non_null(strstr(s.text, "'*:operand:(fit shell help)' ;;"));
    assert_non_null(strstr(s.text, "'*:file:_files' ;;"));
    at_str_clear(&s);
    assert_true(at_program_completion(&s, &tool, "fish"));
    assert_non_null(strstr(s.text, "-l kernel-function -x -a 'gaussian box cone' -d 'Shape"));
    assert_non_null(strstr(s.text, "-l no-lower -d 'Write small'\n"));
    assert_non_null(strstr(s.text, "-d 'Write [JSON], don\\'t draw: \\\\o/'\n"));
    at_str_clear(&s);
    assert_false(at_program_completion(&s, &tool, "tcsh"));
    assert_int_equal(s.length, 0);
    at_str_free(&s);
}

static void write_all(at_str *s)
{
    at_usage_help(s, &tool, &fit, 80);
    at_program_help(s, &tool, 80);
    at_usage_man(s, &tool, &fit);
    at_program_man(s, &tool);
    at_program_completion(s, &tool, "bash");
    at_program_completion(s, &tool, "zsh");
    at_program_completion(s, &tool, "fish");
}

static void reports_every_allocation_that_fails(void **state)
{
    (void)state;
    for (long n = 0;; n++) {
        at_str s = {0};
        at_alloc_fail_after(n);
        write_all(&s);
        at_alloc_fail_after(-1);
        char *text = at_str_take(&s);
        if (text) {
            assert_true(n > 10);
            at_free(text);
            break;
        }
        assert_int_equal(at_alloc_live(), 0);
    }
    assert_int_equal(at_alloc_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_help_in_groups_and_columns),
        cmocka_unit_test(prints_the_commands_that_are_not_hidden),
        cmocka_unit_test(stays_within_the_columns),
        cmocka_unit_test(writes_manual_pages_that_roff_prints_as_meant),
        cmocka_unit_test(writes_completion_for_three_shells),
        cmocka_unit_test(reports_every_allocation_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
