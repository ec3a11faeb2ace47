/* Manual pages from the option tables. The pages in docs/man are made with --all, and a test
 * compares them. */
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/cli.h"

typedef struct {
    const char *all;
} man;

static const at_option options[] = {
    {.name = "all",
     OPTION_PATH(man, all),
     .meta = "DIR",
     .help = "Write every page into this folder: attend.1, attend-fit.1 and so on"},
    {0}};

/* a wrong table makes no page */
static attend_status check_tables(attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (const at_usage *const *u = at_program_attend.commands; *u && status >= 0; u++) {
        at_option_set sets[] = {{at_program_attend.common, NULL}, {(*u)->options, NULL}};
        status = at_options_check(sets, (*u)->options ? 2 : 1, err);
    }
    return status;
}

static void page(at_str *out, const at_usage *u)
{
    if (u)
        at_usage_man(out, &at_program_attend, u);
    else
        at_program_man(out, &at_program_attend);
}

static attend_status write_page(const char *folder, const at_usage *u, attend_error *err)
{
    at_str path = {0}, text = {0};
    at_str_print(&path, "%s/attend%s%s.1", folder, u ? "-" : "", u ? u->name : "");
    page(&text, u);
    attend_status status = at_file_write(path.failed ? NULL : at_str_text(&path), &text, err);
    at_str_free(&path);
    at_str_free(&text);
    return status;
}

static attend_status write_all(const char *folder, attend_error *err)
{
    attend_status status = at_folder_make(folder, err);
    if (status >= 0)
        status = write_page(folder, NULL, err);
    for (const at_usage *const *u = at_program_attend.commands; *u && status >= 0; u++)
        if (!(*u)->hidden)
            status = write_page(folder, *u, err);
    return status;
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    (void)cli;
    const man *o = fields;
    attend_status status = check_tables(err);
    if (status < 0)
        return status;
    if (o->all && operands)
        return at_error(err, ATTEND_OPTION, "--all writes every page; leave \"%.40s\" out",
                        operand[0]);
    if (o->all)
        return write_all(o->all, err);
    const at_command *c = operands ? at_command_find(operand[0], err) : NULL;
    if (operands && !c)
        return ATTEND_OPTION;
    at_str text = {0};
    page(&text, c ? &c->usage : NULL);
    return at_cli_write(&text, err);
}

static const at_term examples[] = {
    {"attend man fit | man -l -", "Read the manual page of attend fit"}, {0}};

const at_command at_command_man = {
    .usage = {.name = "man",
              .summary = "Print a manual page",
              .operands = "[COMMAND]",
              .of_command = true,
              .description = "The page is in the man macros of roff, made from the same table of "
                             "options that reads the command line.",
              .options = options,
              .examples = examples},
    .size = sizeof(man),
    .max_operands = 1,
    .run = run,
};
