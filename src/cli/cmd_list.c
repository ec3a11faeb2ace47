#include <string.h>

#include "base/guess.h"
#include "cli/cli.h"
#include "cli/table.h"

typedef struct {
    bool json, markdown;
} list;

static const at_option options[] = {
    {.name = "json",
     OPTION_FLAG(list, json),
     .help = "Write an array of JSON objects",
     .example = {"attend list ops --json", "The same for a program to read"}},
    {.name = "markdown", OPTION_FLAG(list, markdown), .help = "Write a Markdown table"},
    {0}};

static attend_status check_kind(const char *kind, attend_error *err)
{
    attend_entry entry;
    at_guess guess = {.word = kind};
    for (int i = 0; attend_list("kinds", i, &entry); i++) {
        if (strcmp(entry.name, kind) == 0)
            return ATTEND_OK;
        at_guess_consider(&guess, entry.name, strlen(entry.name));
    }
    return at_error(err, ATTEND_OPTION, "there is no list \"%.40s\"%s%s%s", kind,
                    *guess.best ? "; did you mean " : "; attend list shows those there are",
                    guess.best, *guess.best ? "?" : "");
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    static const at_column kinds[] = {{"kind", 0}, {"what", 0}, {0}};
    static const at_column plain[] = {{"name", 0}, {"formula", ATTEND_COLUMN_CODE}, {0}};
    static const at_column sourced[] = {
        {"name", 0}, {"formula", ATTEND_COLUMN_CODE}, {"source", 0}, {0}};
    static const at_column mechanisms[] = {{"name", 0},       {"formula", ATTEND_COLUMN_CODE},
                                           {"source", 0},     {"part", 0},
                                           {"use", 0},        {"cost", 0},
                                           {"parameters", 0}, {0}};
    const list *o = fields;
    const char *kind = operands ? operand[0] : "kinds";
    attend_status status = operands ? check_kind(kind, err) : ATTEND_OK;
    if (status < 0)
        return status;
    if (o->json && o->markdown)
        return at_error(err, ATTEND_OPTION, "--json and --markdown: choose one");
    attend_entry entry;
    bool sources = attend_list(kind, 0, &entry) && entry.source;
    bool parts = sources && entry.part && (o->json || o->markdown); /* too wide for a screen */
    at_table table = {.columns = !operands ? kinds
                                 : parts   ? mechanisms
                                 : sources ? sourced
                                           : plain};
    for (int i = 0; attend_list(kind, i, &entry); i++) {
        at_table_cell(&table, "%s", entry.name);
        at_table_cell(&table, "%s", entry.formula);
        if (sources)
            at_table_cell(&table, "%s", entry.source ? entry.source : "");
        if (parts) {
            at_table_cell(&table, "%s", entry.part);
            at_table_cell(&table, "%s", entry.use);
            at_table_cell(&table, "%s", entry.cost);
            at_table_cell(&table, "%s", entry.parameters);
        }
    }
    at_str text = {0};
    at_table_write(&text, &table,
                   o->json       ? ATTEND_TABLE_JSON
                   : o->markdown ? ATTEND_TABLE_MARKDOWN
                                 : ATTEND_TABLE_TEXT,
                   cli->columns);
    at_str_add(&text, o->json ? "\n" : "");
    at_table_free(&table);
    return at_cli_write(&text, err);
}

static const at_term examples[] = {
    {"attend list", "Which lists there are"},
    {"attend list attention", "Every attention mechanism, with its formula and paper"},
    {"attend list attention --markdown", "The same with use, cost and parameters"},
    {"attend list ops", "Every differentiable function, with its formula"},
    {0}};

const at_command at_command_list = {
    .usage = {.name = "list",
              .summary = "List what the library has, with formulas and sources",
              .operands = "[KIND]",
              .words = "attention|kernels|ops|optimisers|schedules|measures|tokenizers",
              .options = options,
              .examples = examples},
    .size = sizeof(list),
    .max_operands = 1,
    .run = run,
};
