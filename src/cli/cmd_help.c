#include "cli/cli.h"

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    (void)fields;
    at_str text = {0};
    if (operands == 0) {
        at_program_help(&text, &at_program_attend, cli->columns);
        return at_cli_write(&text, err);
    }
    const at_command *c = at_command_find(operand[0], err);
    if (!c)
        return ATTEND_OPTION;
    at_usage_help(&text, &at_program_attend, &c->usage, cli->columns);
    return at_cli_write(&text, err);
}

static const at_term examples[] = {{"attend help fit", "Options and examples of attend fit"}, {0}};

const at_command at_command_help = {
    .usage = {.name = "help",
              .summary = "Explain a command, or list all of them",
              .operands = "[COMMAND]",
              .of_command = true,
              .examples = examples},
    .max_operands = 1,
    .run = run,
};
