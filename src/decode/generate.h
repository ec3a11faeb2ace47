/* Texts from a model that generates: they go on with a prompt, token by token, through the search
 * that translates. The same seed gives the same text. */
#ifndef ATTEND_DECODE_GENERATE_H
#define ATTEND_DECODE_GENERATE_H

#include "decode/session.h"
#include "decode/text_stream.h"

/* Continues a text, which may be empty: a line begins then. out receives the text and what was
 * added; ends of lines are \n. */
attend_status at_generate(at_session *session, const attend_generate_options *options,
                          at_text prompt, at_str *out, attend_error *err);

/* The attention of the step that added a token: keys of its rows are the tokens from `begin` on. */
typedef struct {
    int begin;
    at_attention_rows rows;
} at_generated_attention;

/* a text that was generated, borrowed */
typedef struct {
    size_t index;
    at_text text;                            /* the prompt and what was added */
    const int *ids;                          /* [count]: tokens, */
    int count, prompt;                       /* those of the prompt first */
    const at_generated_attention *attention; /* [count - prompt]; or NULL */
} at_generated;

typedef attend_status at_generated_function(void *user, const at_generated *g, attend_error *err);

typedef struct {
    size_t count;
    const at_text *prompt;             /* [count] */
    const size_t *number;              /* [count]: whose random numbers; NULL: options->text */
    const at_attention_record *wanted; /* attention to record; or NULL */
    at_generated_function *give;       /* called for every text, in order */
    void *user;
} at_generate_texts_input;

/* Continues several texts at once. A text does not depend on the others. options->piece receives
 * the parts of a text that is alone; of several it is called without text after each token. */
attend_status at_generate_texts(at_session *session, const attend_generate_options *options,
                                const at_generate_texts_input *in, attend_error *err);

/* Adds the tokens of a prompt, with an end before each line: a text begins where another ended.
 * Where newlines are text (at_model_keeps_newlines), a prompt without tokens is an end alone. */
attend_status at_prompt_tokens(const at_model *m, at_text prompt, at_tokens *out,
                               attend_error *err);

#endif
