/* The tokenizer that tokenize and detokenize are told to use. */
#ifndef ATTEND_CLI_TOKENIZER_H
#define ATTEND_CLI_TOKENIZER_H

#include "cli/cli.h"

typedef struct {
    const char *path; /* --tokenizer */
    const char *kind; /* --kind: one that needs no vocabulary */
    bool lower;       /* --lower, with --kind */
} at_cli_tokenizer;

/* one of path and kind must be given */
attend_status at_cli_tokenizer_open(at_cli *cli, at_cli_tokenizer which, attend_tokenizer **out,
                                    attend_error *err);

#endif
