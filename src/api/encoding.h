/* attend_encoded_text of what a model has read. */
#ifndef ATTEND_API_ENCODING_H
#define ATTEND_API_ENCODING_H

#include "api/model.h"

/* In the memory; NULL without memory. Tokens from index `second` on are of the second text; the
 * line has the bytes of their offsets. */
const attend_encoded_text *at_encoding_new(at_arena *memory, const at_tokenizer *t,
                                           const at_tokens *tokens, int second,
                                           at_attention_rows attention);

/* The record that options ask for. */
at_attention_record at_encoding_record(bool wanted, int layer, int head);

/* Fails where the model has no such layer or head. */
attend_status at_encoding_check(const attend_model *m, int layer, int head, attend_error *err);

#endif
