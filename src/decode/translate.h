/* Text to text through a recurrent translator: lines are cut into pieces, translated in batches of
 * like length, and given back in their order.
 *
 * A line's translation, its score and its weights do not depend on the batch it was in. */
#ifndef ATTEND_DECODE_TRANSLATE_H
#define ATTEND_DECODE_TRANSLATE_H

#include "decode/continuation.h"
#include "text/tokenizer.h"

typedef struct {
    at_beam_options beam; /* most: words of a translation at most; 0: three for each of the source,
                             and ten */
    int no_repeat;
    int best;    /* hypotheses of each line that are given; at least 1 */
    int batch;   /* lines at a time */
    int longest; /* pieces of a line that are read; the rest is left out, and told */
    bool weights;
} at_translate_options;

/* one hypothesis of one line */
typedef struct {
    size_t line;
    int rank; /* 0: the best */
    const char *text;
    double score, log_p;
    const int *words; /* pieces of the target, with the end where it came */
    int count;
    const at_pieces *source;    /* pieces of the line; the end of the source is one more position */
    const real *const *weights; /* [count] of [positions], or NULL */
    int positions;
    bool cut; /* the line was too long */
} at_translated;

/* Called for line after line, the best hypothesis first; a negative status ends the work. */
typedef attend_status at_translated_function(void *user, const at_translated *t, attend_error *err);

attend_status at_translate(at_continuation *c, const at_tokenizer *source,
                           const at_tokenizer *target, const at_translate_options *options,
                           size_t lines, const at_text *line, at_translated_function *give,
                           void *user, attend_error *err);

#endif
