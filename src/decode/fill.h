/* Masked tokens of texts through a model with encodes.tokens: the likeliest tokens for each mask.
 * What is found for a text does not depend on the batch that it is in. */
#ifndef ATTEND_DECODE_FILL_H
#define ATTEND_DECODE_FILL_H

#include "decode/framed_texts.h"

typedef struct {
    int batch;    /* texts at a time */
    int limit;    /* tokens of a text that are read; 0: as many as there are positions */
    int top;      /* tokens for each mask */
    bool weights; /* attention of the last layer, the mean of its heads */
} at_fill_options;

typedef struct {
    int position;        /* of the mask among the tokens */
    int *token;          /* [top]: ids, the likeliest first */
    real *probability;   /* [top] */
    const real *weights; /* [length]: attention of the mask to each token; or NULL */
} at_filled_mask;

typedef struct {
    size_t line;
    const at_framed_text *text;
    int masks, top; /* top: at most as many as the vocabulary has */
    const at_filled_mask *mask;
} at_filled;

/* Called for text after text; a negative status ends the work. */
typedef attend_status at_filled_function(void *user, const at_filled *f, attend_error *err);

/* Fails at a text without a mask among the tokens that are read. before: lines before the first,
 * for messages. */
attend_status at_fill_lines(const at_model *m, const at_fill_options *options, size_t before,
                            size_t lines, const at_text *line, at_filled_function *give, void *user,
                            attend_error *err);

#endif
