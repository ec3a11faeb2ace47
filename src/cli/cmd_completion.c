#include "cli/cli.h"

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    (void)cli, (void)fields, (void)operands;
    at_str text = {0};
    if (!at_program_completion(&text, &at_program_attend, operand[0]))
        return at_error(err, ATTEND_OPTION, "\"%.40s\" is not one of bash, zsh, fish", operand[0]);
    return at_cli_write(&text, err);
}

static const at_term examples[] = {
    {"source <(attend completion bash)", "Complete options in this shell, which is bash"},
    {"attend completion fish > ~/.config/fish/completions/attend.fish",
     "Complete options in every fish from now on"},
    {0}};

const at_command at_command_completion = {
    .usage = {.name = "completion",
              .summary = "Print a script that completes options in a shell",
              .operands = "bash|zsh|fish",
              .words = "bash|zsh|fish",
              .examples = examples},
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
