#include "base/usage.h"

#include <string.h>

enum { LEFT = 2, RIGHT = 28 }; /* the two columns of a list */

bool at_option_can_be_off(const at_option *o)
{
    bool on = o->type == ATTEND_OPTION_FLAG && o->value && strcmp(o->value, "yes") == 0;
    return on || (o->type == ATTEND_OPTION_SWITCH && !o->line_only);
}

void at_option_title(at_str *out, const at_option *o)
{
    at_str_print(out, "--%s%s", at_option_can_be_off(o) ? "[no-]" : "", o->name);
    if (!at_option_is_flag(o))
        at_str_print(out, " %s", o->meta ? o->meta : "VALUE");
}

static void explain_choices(at_str *out, const char *choices)
{
    int count = at_choice_count(choices);
    for (int i = 0; i < count; i++) {
        at_str_add(out, i == 0 ? "" : i < count - 1 ? ", " : " or ");
        at_choice_print(out, choices, i);
    }
}

void at_option_explain(at_str *out, const at_option *o)
{
    const char *open = " (";
    at_str_add(out, o->help);
    if (o->choices) {
        at_str_add(out, ": ");
        explain_choices(out, o->choices);
    }
    if (o->min < o->max) {
        at_str_add(out, open);
        at_option_range(out, o);
        open = ", ";
    }
    if (o->value && *o->value && !at_option_is_flag(o)) {
        at_str_print(out, "%sdefault %s", open, o->value);
        open = ", ";
    }
    if (strcmp(open, ", ") == 0)
        at_str_add(out, ")");
}

/* a row of two columns; a left side that is too wide gets a line of its own */
static void row(at_str *out, const char *left, const char *right, int columns)
{
    at_str_repeat(out, " ", LEFT);
    at_str_add(out, left);
    int used = LEFT + at_str_columns(left);
    if (used + 2 > RIGHT) {
        at_str_add(out, "\n");
        used = 0;
    }
    at_str_repeat(out, " ", RIGHT - used);
    at_str_wrap(out, right, RIGHT, RIGHT, columns);
    at_str_add(out, "\n");
}

static void option_row(at_str *out, const at_option *o, int columns)
{
    at_str left = {0}, right = {0};
    if (o->letter)
        at_str_print(&left, "-%c, ", o->letter);
    else
        at_str_add(&left, "    ");
    at_option_title(&left, o);
    at_option_explain(&right, o);
    row(out, at_str_text(&left), at_str_text(&right), columns);
    out->failed |= left.failed || right.failed;
    at_str_free(&left);
    at_str_free(&right);
}

static void option_rows(at_str *out, const at_option *options, const char *group, int columns)
{
    for (const at_option *o = options; o && o->name; o++) {
        if (o->group || o == options)
            at_str_print(out, "\n%s:\n", o->group ? o->group : group);
        if (!o->hidden)
            option_row(out, o, columns);
    }
}

static void rows(at_str *out, const char *heading, const at_term *list, int columns)
{
    if (!list || !list->term)
        return;
    at_str_print(out, "\n%s:\n", heading);
    for (; list->term; list++)
        row(out, list->term, list->meaning, columns);
}

static void example(at_str *out, const char *command, const char *what, int columns)
{
    at_str_add(out, "  # ");
    at_str_wrap(out, what, 4, 4, columns);
    at_str_print(out, "\n  %s\n", command);
}

static void examples(at_str *out, const at_term *list, const at_option *options, int columns)
{
    at_str body = {0};
    for (; list && list->term; list++)
        example(&body, list->term, list->meaning, columns);
    for (; options && options->name; options++)
        if (options->example.term)
            example(&body, options->example.term, options->example.meaning, columns);
    if (body.length)
        at_str_print(out, "\nExamples:\n%s", at_str_text(&body));
    out->failed |= body.failed;
    at_str_free(&body);
}

static void paragraphs(at_str *out, const char *text, int columns)
{
    if (!text)
        return;
    at_str_add(out, "\n");
    at_str_wrap(out, text, 0, 0, columns);
    at_str_add(out, "\n");
}

void at_usage_help(at_str *out, const at_program *p, const at_usage *u, int columns)
{
    at_str_print(out, "%s %s: %s.\n\nUsage: %s %s [OPTIONS]%s%s\n", p->name, u->name, u->summary,
                 p->name, u->name, u->operands ? " " : "", u->operands ? u->operands : "");
    paragraphs(out, u->description, columns);
    option_rows(out, u->options, "Options", columns);
    option_rows(out, p->common, "Common options", columns);
    examples(out, u->examples, u->options, columns);
}

void at_program_help(at_str *out, const at_program *p, int columns)
{
    at_str_print(out, "%s %s: %s.\n\nUsage: %s COMMAND [OPTIONS] [OPERANDS]\n       %s --version\n",
                 p->name, p->version, p->summary, p->name, p->name);
    paragraphs(out, p->description, columns);
    at_str_add(out, "\nCommands:\n");
    for (const at_usage *const *u = p->commands; *u; u++)
        if (!(*u)->hidden)
            row(out, (*u)->name, (*u)->summary, columns);
    option_rows(out, p->common, "Options of every command", columns);
    examples(out, p->examples, NULL, columns);
    rows(out, "Exit codes", p->exit_codes, columns);
    rows(out, "Environment", p->environment, columns);
}
