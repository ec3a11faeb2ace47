/* Word alignments that attention is taught to follow (Chen et al. 2016): a file in Pharaoh's form,
 *
 *     0-0 1-2 2-1
 *
 * a line for each line of the corpus, links from words of the first side to words of the second;
 * words are what stands between white space. A word's pieces share its links. */
#ifndef ATTEND_TRAIN_GUIDED_ALIGNMENT_H
#define ATTEND_TRAIN_GUIDED_ALIGNMENT_H

#include "base/real.h"
#include "data/batch.h"

typedef struct at_guided_alignment at_guided_alignment;

typedef struct {
    const at_corpus *corpus;
    const at_encoded *ids;               /* of some of its examples */
    const at_tokenizer *source, *target; /* that made them */
    bool swapped;                        /* sources are the second side */
} at_guided_data;

/* Reads the links of all examples that have ids; all of `what` outlives the result. Fails, with
 * file and line, on what is no link, on links beyond a sentence, and on too few lines. */
attend_status at_guided_alignment_load(const char *path, const at_guided_data *what,
                                       at_guided_alignment **out, attend_error *err);
void at_guided_alignment_free(at_guided_alignment *g); /* may be NULL */

uint64_t at_guided_alignment_print(const at_guided_alignment *g); /* changes with every link */

/* The links of a batch, [B, T-1, S]: row t is for the target's piece t + 1, and sums to 1, or to 0
 * without links; reversed: the source is read from its end. NULL without memory. */
real *at_guided_alignment_batch(const at_guided_alignment *g, const at_batch *batch, bool reversed,
                                at_arena *arena);

#endif
