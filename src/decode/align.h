/* From attention to alignment: which word of the source belongs to which of the target.
 *
 *     w'[t][s] = mean over pieces i of word t  of  sum over pieces j of word s  of  w[i][j]
 *
 * where a mark that clings to a word, as in "doors.", does not speak for it: it has looked
 * elsewhere. Then every t takes its best s, or all s that reach a threshold. Positions of no word,
 * such as the end of a sentence, do not count: a t that looks at nothing else has no link. */
#ifndef ATTEND_DECODE_ALIGN_H
#define ATTEND_DECODE_ALIGN_H

#include "base/error.h"
#include "base/str.h"

typedef struct {
    int targets, sources;  /* pieces */
    const double *weights; /* [targets][sources] */
    /* the word of each piece, in rising order; ATTEND_NO_WORD: it has none */
    const unsigned *target_word, *source_word;
    const bool *target_mark; /* pieces that are punctuation; NULL: none */
} at_aligned;

typedef struct {
    bool pieces;      /* links between pieces, not words */
    double threshold; /* above 0: all that reach it; else the best of every target */
} at_align_options;

/* Appends the links as Pharaoh writes them, source-target: "0-0 1-2". */
attend_status at_align(const at_aligned *a, const at_align_options *o, at_str *out,
                       attend_error *err);

#endif
