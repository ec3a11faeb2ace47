/* Recorded attention as the caller gets it. */
#ifndef ATTEND_DECODE_ATTENTION_ROWS_H
#define ATTEND_DECODE_ATTENTION_ROWS_H

#include "models/model.h"
#include "text/tokenizer.h"

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

#endif
