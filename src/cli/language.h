/* Texts of a language model: what attend score and attend evaluate do where MODEL is one. */
#ifndef ATTEND_CLI_LANGUAGE_H
#define ATTEND_CLI_LANGUAGE_H

#include "cli/cli.h"
#include "cli/option_use.h"

typedef struct {
    at_cli *cli;
    const attend_model *model;
    const char *text;    /* a file, or - */
    int context, stride; /* 0: the defaults */
    bool tokens;         /* score: the log-probability of each token, too */
    bool json;
} at_language_text;

/* Opens MODEL where it is a language model; else *language is NULL. Options that such a model does
 * not have are refused: uses[0] has those of other models, uses[1] those of a language model.
 * Release it with attend_model_free. */
attend_status at_language_open(at_cli *cli, const char *path, const at_option *options,
                               const void *fields, const at_option_use uses[2],
                               attend_model **language, attend_error *err);

/* Writes a log-probability for each line. */
attend_status at_language_score(const at_language_text *t, attend_error *err);

/* Writes the perplexity of the whole text. */
attend_status at_language_evaluate(const at_language_text *t, attend_error *err);

#endif
