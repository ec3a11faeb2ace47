/* attend train: a model from a file. */
#include "cli/training.h"

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    (void)operands, (void)operand;
    return at_training_run(cli, "train", NULL, fields, err);
}

static const at_term examples[] = {
    {"attend train --data fra-eng.zip --out model", "English to French, as Bahdanau et al. did"},
    {"attend train --data fra-eng.zip --swap --out model", "And from French to English"},
    {"attend train --src a.de --tgt a.en --preset luong --attention dot --out model",
     "Two files, line by line; another attention"},
    {"attend train --data pairs.tsv --hidden 512 --epochs 20 --out model", "Larger, longer"},
    {"attend train --preset rnn-classifier --data labelled.tsv --out model",
     "Classes of texts, for attend classify"},
    {"attend train --preset rnn-lm --data text.txt --out model",
     "What word comes next, for attend generate"},
    {"attend train --src sound.safetensors --tgt words.txt --out model",
     "Feature vectors in place of source words: sound, pictures"},
    {"attend train --preset luong --data pairs.tsv --dump-config > run.yaml",
     "A file of settings to start from"},
    {"attend train --config run.yaml --hidden 512 --out model", "Settings of a file, one changed"},
    {"attend train --resume --out model", "Go on after a stop"},
    {0}};

const at_command at_command_train = {
    .usage = {.name = "train",
              .summary = "Train a translator, classifier, language model or pointer network",
              .options = at_training_options,
              .examples = examples},
    .size = sizeof(at_training),
    .max_operands = 0,
    .prepare = at_training_prepare,
    .run = run,
};
