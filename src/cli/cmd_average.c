/* attend average: one model from several of one training, or without what only training needs. */
#include <stdio.h>

#include "base/file.h"
#include "cli/cli.h"

typedef struct {
    const char *out;
} average;

static const at_option options[] = {
    {.name = "out",
     .letter = 'o',
     OPTION_PATH(average, out),
     .meta = "FOLDER",
     .help = "Where the model goes; a folder without a model",
     .example = {"attend average run/training/step-*.safetensors --out mean",
                 "The mean of the weights that a training run has kept"}},
    {0}};

static void say(const char *out, int count)
{
    if (count > 1)
        fprintf(stderr, "attend average: %s is the mean of %d\n", at_show(out).text, count);
    else
        fprintf(stderr, "attend average: %s is a copy without the state of its training\n",
                at_show(out).text);
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    const average *o = fields;
    if (!o->out)
        return at_error(err, ATTEND_OPTION, "--out FOLDER is missing: where the model goes");
    cli->input = at_file_exists(operand[0]) ? NULL : operand[0];
    attend_status status = attend_average((const char *const *)operand, (size_t)operands, o->out,
                                          err);
    if (status >= 0 && !cli->common.quiet)
        say(o->out, operands);
    return status;
}

static const at_term examples[] = {
    {"attend average run --out model", "A copy to give away, without the state of its training"},
    {0}};

const at_command at_command_average = {
    .usage = {.name = "average",
              .summary = "Make one model from several of one training",
              .operands = "MODEL...",
              .description = "Every weight is the mean of those of the MODELs, which are folders, "
                             "or files of weights or checkpoints in a folder's training/. Settings "
                             "and tokenizers are those of the first. Models of different trainings "
                             "have no useful mean: `attend translate MODEL MODEL` averages what "
                             "they say.",
              .options = options,
              .examples = examples},
    .size = sizeof(average),
    .min_operands = 1,
    .max_operands = 1000,
    .run = run,
};
