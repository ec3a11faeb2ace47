/* Recorded attention as the caller gets it. */
#ifndef ATTEND_API_ATTENTION_H
#define ATTEND_API_ATTENTION_H

#include "attend.h"
#include "base/json_write.h"
#include "models/model.h"

/* What is to be recorded, from a caller's selection; layer and head below 0: all. Refuses kinds,
 * layers and heads that the model does not have. */
attend_status at_attention_wanted(const at_model *m, unsigned kinds, int layer, int head,
                                  at_attention_record *out, attend_error *err);

/* Adds rows to the end of to[*count], which has memory for them, weights in the arena; query: the
 * position of the first query; keys of the input are at most `sources`. False without memory. */
bool at_attention_rows_add(const at_attention_rows *rows, int query, int sources, at_arena *memory,
                           attend_attention_row *to, size_t *count);

/* A token of a line as the vocabulary has it; one that it lacks as it stands in the line. In the
 * arena; NULL without memory. */
const char *at_token_label(at_arena *memory, const at_tokenizer *tokenizer, at_text line,
                           at_token token);

/* The beginning of a translation as JSON: {"line": .. "target": [..]. sentence below 0: left out.
 */
void at_translation_json(at_json_out *j, const attend_translation *t, size_t line, int sentence,
                         bool source);

/* Ends an object, and gives its text to the caller. */
attend_status at_json_give(at_json_out *j, char **text, attend_error *err);

#endif
