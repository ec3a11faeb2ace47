/* attend export: a model of the Hugging Face hub as a new folder. */
#include <stdio.h>

#include "base/file.h"
#include "cli/cli.h"

typedef struct {
    bool overwrite;
} export;

static const at_option options[] = {
    {.name = "overwrite",
     OPTION_FLAG(export, overwrite),
     .help = "Replace OUT where it has a model: all files in it are removed",
     .example = {"attend export --overwrite opus-mt-en-de copy", "Make the copy again"}},
    {0}};

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    const export *o = fields;
    attend_model *model;
    attend_export_options how;
    (void)operands;
    attend_export_defaults(&how);
    how.overwrite = o->overwrite;
    cli->input = operand[0];
    attend_status status = attend_model_open(operand[0], &model, err);
    if (status < 0)
        return status;
    status = attend_export(model, &how, operand[1], err);
    attend_model_free(model);
    if (status >= 0 && !cli->common.quiet)
        fprintf(stderr, "attend export: %s is written\n", at_show(operand[1]).text);
    return status;
}

static const at_term examples[] = {
    {"attend export download/opus-mt-en-de opus-mt-en-de",
     "Check a downloaded model, and keep what is needed of it in one folder"},
    {0}};

const at_command at_command_export = {
    .usage = {.name = "export",
              .summary = "Write a model of the Hugging Face hub as a new folder",
              .operands = "MODEL OUT",
              .description =
                  "MODEL is a folder of the Hugging Face hub of any kind that attend opens. OUT "
                  "gets its config.json, tokenizer and other files as they are, and all weights in "
                  "one model.safetensors: the tensors have the same names, types, shapes and "
                  "bytes, and checksums. A model whose files do not fit each other is refused. "
                  "Weights in other formats and hidden files are left out. OUT is written whole or "
                  "not at all; it must be missing or empty. Copy a model that attend trained with "
                  "`attend average MODEL --out FOLDER`.",
              .options = options,
              .examples = examples},
    .size = sizeof(export),
    .min_operands = 2,
    .max_operands = 2,
    .run = run,
};
