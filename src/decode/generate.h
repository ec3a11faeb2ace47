/* Texts from a model that generates: they go on with a prompt, token by token, through the search
 * that translates. The same seed gives the same text. */
#ifndef ATTEND_DECODE_GENERATE_H
#define ATTEND_DECODE_GENERATE_H

#include "decode/session.h"
#include "decode/text_stream.h"

/* What happens when a text has as many tokens as the model has positions. */
typedef enum {
    ATTEND_CONTEXT_SLIDE, /* the last half of them is read again, as the beginning of a text */
    ATTEND_CONTEXT_STOP,  /* the text ends */
    ATTEND_CONTEXT_ERROR, /* refused, before the first token */
} at_context_rule;

typedef struct {
    at_sampling sampling;
    bool greedy;    /* always the likeliest token */
    int beam;       /* hypotheses of a beam search, in place of sampling; 0: none */
    double penalty; /* of lengths, in a beam search */
    int no_repeat;  /* n: no n tokens in a row come twice, those of the prompt included; 0: off */
    int most;       /* tokens that are added */
    int lines;      /* stop after so many lines; 0: no limit */
    const char *const *stop; /* [stops]: strings that end the text, and are not part of it */
    int stops;
    at_context_rule context;
    at_piece_function *piece; /* receives the text as it comes, without the prompt, in whole
                                 characters; of a beam search at once. May be NULL */
    void *user;               /* of piece */
    uint64_t seed;
    uint32_t text; /* which of several texts of that seed */
} at_generate_options;

/* Continues a text, which may be empty: a line begins then. out receives the text and what was
 * added; ends of lines are \n. */
attend_status at_generate(at_session *session, const at_generate_options *options, at_text prompt,
                          at_str *out, attend_error *err);

/* Adds the tokens of a prompt, with an end before each line: a text begins where another ended.
 * Where newlines are text (at_model_keeps_newlines), a prompt without tokens is an end alone. */
attend_status at_prompt_tokens(const at_model *m, at_text prompt, at_tokens *out,
                               attend_error *err);

#endif
