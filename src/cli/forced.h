/* Forced decoding of given translations: what attend align and attend score share. */
#ifndef ATTEND_CLI_FORCED_H
#define ATTEND_CLI_FORCED_H

#include "cli/attention_out.h"
#include "cli/sentence_pairs.h"
#include "cli/stream.h"

typedef struct {
    at_cli *cli;
    at_sentence_pairs_from from;
    const at_sentence_pairs *pairs; /* already read, in place of from; or NULL */
    const char *model;
    const at_paths *ensemble; /* other models; or NULL */
    int batch, longest;
    bool links;                        /* weights and numbers of words are wanted */
    const at_attention_settings *look; /* of the weights */
    attend_translation_function *write;
    void *user;
    at_str *out;                 /* what has been written, and is flushed in the end */
    at_attention_out *attention; /* opened and committed, and to be freed by the caller */
} at_forced;

attend_status at_forced_run(const at_forced *l, attend_error *err);

#endif
