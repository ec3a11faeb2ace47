#include <string.h>

#include "base/guess.h"
#include "cli/cli.h"
#include "cli/table.h"
#include "makers/maker.h"

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

/* The library's lists, and the makers, which are the command's own. */
static bool entry_at(const char *kind, int i, attend_entry *entry)
{
    static const attend_entry makers = {.name = "makers",
                                        .formula = "rules that make corpora: attend data make"};
    if (strcmp(kind, "makers") == 0) {
        if (i < at_maker_count)
            *entry = (attend_entry){.name = at_makers[i]->name, .formula = at_makers[i]->what};
        return i < at_maker_count;
    }
    if (attend_list(kind, i, entry))
        return true;
    attend_entry last;
    if (strcmp(kind, "kinds") != 0 || !attend_list(kind, i - 1, &last))
        return false;
    *entry = makers;
    return true;
}

static attend_status check_kind(const char *kind, attend_error *err)
{
    attend_entry entry;
    at_guess guess = {.word = kind};
    for (int i = 0; entry_at("kinds", i, &entry); i++) {
        if (strcmp(entry.name, kind) == 0)
            return ATTEND_OK;
        at_guess_consider(&guess, entry.name, strlen(entry.name));
    }
    return at_error(err, ATTEND_OPTION, "there is no list \"%.40s\"%s%s%s", kind,
                    *guess.best ? "; did you mean " : "; attend list shows those there are",
                    guess.best, *guess.best ? "?" : "");
}

/* lists that say in words what an entry is, where others have its formula */
static bool in_words(const char *kind)
{
    static const char *const kinds[] = {"presets", "tokenizers", "formats", "makers"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i], kind) == 0)
            return true;
    return false;
}

/* which columns a list has: kinds, names with formulas or words, with sources, or mechanisms in
 * full */
static const at_column *columns_of(const char *kind, bool wide)
{
    static const at_column kinds[] = {{"kind", 0}, {"what", 0}, {0}};
    static const at_column words[] = {{"name", 0}, {"what", 0}, {0}};
    static const at_column sourced_words[] = {{"name", 0}, {"what", 0}, {"source", 0}, {0}};
    static const at_column plain[] = {{"name", 0}, {"formula", ATTEND_COLUMN_CODE}, {0}};
    static const at_column sourced[] = {
        {"name", 0}, {"formula", ATTEND_COLUMN_CODE}, {"source", 0}, {0}};
    static const at_column parts[] = {
        {"name", 0}, {"formula", ATTEND_COLUMN_CODE}, {"source", 0}, {"part", 0}, {0}};
    static const at_column mechanisms[] = {{"name", 0},       {"formula", ATTEND_COLUMN_CODE},
                                           {"source", 0},     {"part", 0},
                                           {"use", 0},        {"cost", 0},
                                           {"parameters", 0}, {"aliases", 0},
                                           {"example", 0},    {0}};
    attend_entry first;
    if (strcmp(kind, "kinds") == 0)
        return kinds;
    if (!attend_list(kind, 0, &first) || !first.source)
        return in_words(kind) ? words : plain;
    if (!first.part)
        return in_words(kind) ? sourced_words : sourced;
    return wide ? mechanisms : parts; /* too wide for a screen */
}

static void add_row(at_table *table, const attend_entry *e, int columns)
{
    const char *cells[] = {e->name, e->formula,    e->source,  e->part,   e->use,
                           e->cost, e->parameters, e->aliases, e->example};
    for (int i = 0; i < columns; i++)
        at_table_cell(table, "%s", cells[i] ? cells[i] : "");
}

/* how mechanisms are put together, below a list for people: those with numbers show them */
static void add_note(at_str *out)
{
    attend_entry e;
    const char *before = "";
    at_str_add(out,
               "\nWritten SCORE/SCOPE/PICK/HEADS, as bilinear/window:2/hard/4; the last may be\n"
               "left out. With numbers: ");
    for (int i = 0; attend_list("attention", i, &e); i++)
        if (e.example && strcmp(e.example, e.name) != 0) {
            at_str_print(out, "%s%s", before, e.example);
            before = "  ";
        }
    at_str_add(out, "\n");
}

static attend_status check(const list *o, const char *kind, attend_error *err)
{
    if (o->json && o->markdown)
        return at_error(err, ATTEND_OPTION, "--json and --markdown: choose one");
    return strcmp(kind, "kinds") == 0 ? ATTEND_OK : check_kind(kind, err);
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    const list *o = fields;
    const char *kind = operands ? operand[0] : "kinds";
    attend_status status = check(o, kind, err);
    if (status < 0)
        return status;
    at_table table = {.columns = columns_of(kind, o->json || o->markdown)};
    attend_entry entry;
    int columns = 0;
    while (table.columns[columns].title)
        columns++;
    for (int i = 0; entry_at(kind, i, &entry); i++)
        add_row(&table, &entry, columns);
    at_str text = {0};
    at_table_write(&text, &table,
                   o->json       ? ATTEND_TABLE_JSON
                   : o->markdown ? ATTEND_TABLE_MARKDOWN
                                 : ATTEND_TABLE_TEXT,
                   cli->columns);
    at_str_add(&text, o->json ? "\n" : "");
    if (strcmp(kind, "attention") == 0 && !o->json && !o->markdown)
        add_note(&text);
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
              .words = "attention|presets|kernels|ops|optimisers|schedules|measures|tokenizers|"
                       "formats|makers",
              .options = options,
              .examples = examples},
    .size = sizeof(list),
    .max_operands = 1,
    .run = run,
};
