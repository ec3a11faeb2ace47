/* attend export: a model as a folder of the Hugging Face hub. */
#include <stdio.h>

#include "base/file.h"
#include "cli/cli.h"

typedef struct {
    bool overwrite;
    const char *to;
} export;

static const at_option options[] = {
    {.name = "to",
     OPTION_STRING(export, to),
     .meta = "KIND",
     .help = "Kind of the new folder: hf (any that the model can be), marian, gpt2, bert, roberta, "
             "distilbert or xlnet",
     .example = {"attend export --to marian model marian-model",
                 "A Transformer that attend trained, for MarianMTModel of transformers"}},
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
    how.to = o->to;
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
              .summary = "Write a model as a folder of the Hugging Face hub",
              .operands = "MODEL OUT",
              .description =
                  "MODEL is a folder of attend train or of the Hugging Face hub. Of a model of "
                  "the hub, OUT gets config.json, tokenizer and other files as they are, and all "
                  "weights in one model.safetensors: the tensors have the same names, types, "
                  "shapes and bytes, and checksums. A model that attend trained becomes the folder "
                  "that transformers has for it: a Transformer becomes a Marian model, GPT-2, BERT "
                  "and XLNet stay what they are. A setting that such a folder cannot express is an "
                  "error with its name. A model whose files do not fit each other is refused. "
                  "Weights in other formats and hidden files are left out. OUT is written whole or "
                  "not at all; it must be missing or empty.",
              .options = options,
              .examples = examples},
    .size = sizeof(export),
    .min_operands = 2,
    .max_operands = 2,
    .run = run,
};
