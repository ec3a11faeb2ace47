/* Tags of words, by a model with a head for tags. A line's tags do not depend on the batch that it
 * was in. */
#ifndef ATTEND_DECODE_TAG_H
#define ATTEND_DECODE_TAG_H

#include "data/tagged_words.h"
#include "models/model.h"

typedef struct {
    int batch; /* chunks at a time */
    int limit; /* tokens of a chunk, with its frame; 0: as many as the model reads */
    at_attention_record wanted; /* attention to record; kinds 0: none */
} at_tag_options;

typedef struct {
    size_t line;
    int words;
    const at_text *text;     /* [words] */
    const int *tag;          /* [words] */
    const real *probability; /* [words]: of the tag */
    int chunks;
    const at_tokens *tokens;     /* of the first chunk, where attention is wanted */
    at_attention_rows attention; /* of it */
} at_tagged_line;

typedef attend_status at_tagged_function(void *user, const at_tagged_line *t, attend_error *err);

/* A word that makes no token has the tag 0 with a probability of 0. */
attend_status at_tag_lines(const at_model *m, const at_tag_options *o, size_t lines,
                           const at_text *line, at_tagged_function *give, void *user,
                           attend_error *err);

/* Tokens of a chunk that the model can read; limit 0: at most 512. */
int at_tag_limit(const at_model *m, int limit);

#endif
