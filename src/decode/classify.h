/* Texts to classes through a classifier: lines are cut into pieces, classified in batches of like
 * length, and given back in their order.
 *
 * A line's class, probabilities and weights do not depend on the batch it was in. */
#ifndef ATTEND_DECODE_CLASSIFY_H
#define ATTEND_DECODE_CLASSIFY_H

#include "models/model.h"
#include "text/tokenizer.h"

typedef struct {
    int batch;   /* lines at a time */
    int longest; /* pieces of a line that are read, or as many as the model can; the rest is left
                    out, and told */
    bool weights;
    at_attention_record wanted; /* attention to record; kinds 0: none */
} at_classify_options;

typedef struct {
    size_t line;
    int class;
    const real *probabilities; /* [classes] */
    const at_tokens *pieces;
    int positions;       /* pieces that were read */
    const real *weights; /* [positions], or NULL */
    at_attention_rows attention;
    bool cut; /* the line was too long */
} at_classified_line;

/* Called for line after line; a negative status ends the work. */
typedef attend_status at_classified_function(void *user, const at_classified_line *c,
                                             attend_error *err);

attend_status at_classify_lines(const at_model *model, const at_classify_options *options,
                                size_t lines, const at_text *line, at_classified_function *give,
                                void *user, attend_error *err);

#endif
