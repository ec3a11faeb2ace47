/* attend pretrain: attend train for the tasks that need no labels. */
#include "cli/training.h"

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    static const attend_setting pretrain = {"pretrain", "yes"};
    (void)operands, (void)operand;
    return at_training_run(cli, "pretrain", &pretrain, fields, err);
}

static const at_term examples[] = {
    {"attend pretrain --preset bert-tiny --data text.txt --out bert",
     "BERT, from the words around masked ones"},
    {"attend pretrain --preset bert-tiny --data documents.txt --next-sentence --out bert",
     "And from which text follows which; empty lines separate documents"},
    {"attend pretrain --preset bert-tiny --data text.txt --show 5 --steps 1 --out bert",
     "Five examples as the network sees them"},
    {"attend pretrain --preset xlnet-tiny --data text.txt --mem-len 128 --out xlnet",
     "XLNet, tokens in any order; each layer remembers 128 states of the text before"},
    {"attend pretrain --preset xlnet-tiny --data pairs.tsv --predict second --out xlnet",
     "Of pairs of texts, the second one from the first"},
    {"attend pretrain --preset gpt2-char --data text.txt --out gpt2", "The token that comes next"},
    {"attend train --task classify --init-from bert --data labelled.tsv --out classes",
     "Then fine-tune it"},
    {0}};

const at_command at_command_pretrain = {
    .usage = {.name = "pretrain",
              .summary = "Train BERT, XLNet or GPT-2 on plain text: masked, permutation, language",
              .options = at_training_options,
              .examples = examples},
    .size = sizeof(at_training),
    .max_operands = 0,
    .prepare = at_training_prepare,
    .run = run,
};
