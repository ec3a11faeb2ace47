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

/* Adds the tokens of a prompt, with an end before each line: a text begins where another ended.
 * Where newlines are text (at_model_keeps_newlines), a prompt without tokens is an end alone. */
attend_status at_prompt_tokens(const at_model *m, at_text prompt, at_tokens *out,
                               attend_error *err);

#endif
