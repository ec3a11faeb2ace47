#include "base/option_alias.h"

#include <string.h>

const at_option_alias at_option_aliases[] = {{"learning-rate", "lr", NULL},
                                             {"rate", "lr", NULL},
                                             {"batch-size", "batch", NULL},
                                             {"hidden-size", "hidden", NULL},
                                             {"embedding-dim", "embedding", NULL},
                                             {"num-layers", "layers", NULL},
                                             {"num-heads", "heads", NULL},
                                             {"ffn-dim", "ffn", NULL},
                                             {"vocab-size", "vocabulary", NULL},
                                             {"size", "vocabulary", NULL},
                                             {"longest", "max-length", NULL},
                                             {"max-seq-length", "max-length", NULL},
                                             {"longest-frames", "max-frames", NULL},
                                             {"longest-line", "max-line", NULL},
                                             {"longest-text", "max-words", NULL},
                                             {"long", "when-long", NULL},
                                             {"reverse", "swap", "reversed"},
                                             {"beam-size", "beam", NULL},
                                             {"num-beams", "beam", NULL},
                                             {"penalty", "length-penalty", NULL},
                                             {"lenpen", "length-penalty", NULL},
                                             {"ngram-once", "no-repeat-ngram", NULL},
                                             {"no-repeat-ngram-size", "no-repeat-ngram", NULL},
                                             {"smoothing", "label-smoothing", NULL},
                                             {"most", "max-tokens", NULL},
                                             {"max-new-tokens", "max-tokens", NULL},
                                             {"max-tokens", "batch-tokens", NULL},
                                             {"optimiser", "optimizer", NULL},
                                             {"max-steps", "steps", NULL},
                                             {"pieces", "tokens", NULL},
                                             {"pretokenized", "pretokenised", NULL},
                                             {NULL, NULL, NULL}};

static const struct {
    const char *name, *alias, *value;
} values[] = {
    {"when-long", "refuse", "error"}, {"level", "piece", "token"}, {"alignment", "piece", "token"}};

const at_option_alias *at_option_alias_find(const char *alias, size_t length)
{
    for (const at_option_alias *a = at_option_aliases; a->alias; a++)
        if (strlen(a->alias) == length && memcmp(a->alias, alias, length) == 0)
            return a;
    return NULL;
}

bool at_option_alias_same(const char *word, const char *name)
{
    const at_option_alias *a = at_option_alias_find(word, strlen(word));
    return strcmp(word, name) == 0 || (a && strcmp(a->name, name) == 0);
}

const char *at_option_alias_value(const char *name, const char *value)
{
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (strcmp(values[i].name, name) == 0 && strcmp(values[i].alias, value) == 0)
            return values[i].value;
    return value;
}

const char *at_option_alias_of_value(const char *name)
{
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (strcmp(values[i].name, name) == 0)
            return values[i].alias;
    return NULL;
}

const char *at_option_refusal(const char *name)
{
    static const char *const refused[] = {"device", "gpu", "fp16"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (strcmp(refused[i], name) == 0)
            return "attend runs on the CPU, in f32";
    return NULL;
}
