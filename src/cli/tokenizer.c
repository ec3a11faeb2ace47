#include "cli/tokenizer.h"

#include <string.h>

static attend_status no_line(void *user, const char **text, size_t *size, attend_error *err)
{
    (void)user, (void)size, (void)err;
    *text = NULL;
    return ATTEND_OK;
}

static attend_status open_kind(at_cli_tokenizer which, attend_tokenizer **out, attend_error *err)
{
    attend_learn_options o;
    attend_learn_defaults(&o);
    if (which.lower)
        o.lower = 1;
    if (strcmp(which.kind, "words") != 0 && strcmp(which.kind, "chars") != 0
        && strcmp(which.kind, "bytes") != 0)
        return at_error(err, ATTEND_OPTION,
                        "--kind: \"%.40s\" is not one of words, chars, bytes, which need no "
                        "vocabulary; others are opened with --tokenizer",
                        which.kind);
    return attend_tokenizer_learn(which.kind, &o, no_line, NULL, out, err);
}

attend_status at_cli_tokenizer_open(at_cli *cli, at_cli_tokenizer which, attend_tokenizer **out,
                                    attend_error *err)
{
    *out = NULL;
    if (!which.path == !which.kind)
        return at_error(err, ATTEND_OPTION,
                        "give --tokenizer, a folder or file, or --kind, one without a vocabulary");
    if (which.lower && !which.kind)
        return at_error(err, ATTEND_OPTION, "--lower goes with --kind; a tokenizer has its own");
    if (which.kind)
        return open_kind(which, out, err);
    cli->input = which.path;
    return attend_tokenizer_open(which.path, out, err);
}
