/* Texts to vectors through a model with encodes: the states of a text's tokens, pooled.
 *
 *     cls              the state of the first token
 *     max, mean        over all tokens, [CLS] and [SEP] too
 *     mean_sqrt_len    their sum, divided by the square root of their number
 *
 * A text's vector does not depend on the batch that it is in. An empty text is [CLS][SEP]. */
#ifndef ATTEND_DECODE_EMBED_H
#define ATTEND_DECODE_EMBED_H

#include "models/model.h"

/* How the model itself makes vectors. */
at_sentence at_embed_default(const at_model *m);

/* numbers of a vector */
int at_embed_width(const at_model *m, const at_sentence *how);

/* The pooled states [T,D] of one text of `length` tokens: to [at_embed_width]. */
void at_embed_pool(const at_sentence *how, int D, int length, const real *states, real *to);

typedef struct {
    size_t line;
    int tokens, width;
    const real *vector; /* [width] */
    bool cut;           /* the text was too long */
} at_embedded;

/* Called for text after text; a negative status ends the work. */
typedef attend_status at_embedded_function(void *user, const at_embedded *e, attend_error *err);

/* batch: texts at a time. */
attend_status at_embed_lines(const at_model *m, const at_sentence *how, int batch, size_t lines,
                             const at_text *line, at_embedded_function *give, void *user,
                             attend_error *err);

#endif
