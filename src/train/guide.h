/* Word alignments that attention is taught to follow (Chen et al. 2016): a file in Pharaoh's form,
 *
 *     0-0 1-2 2-1
 *
 * a line for each line of the corpus, links from words of the first side to words of the second;
 * words are what stands between white space. A word's pieces share its links. */
#ifndef ATTEND_TRAIN_GUIDE_H
#define ATTEND_TRAIN_GUIDE_H

#include "base/real.h"
#include "data/batch.h"

typedef struct at_guide at_guide;

typedef struct {
    const at_corpus *corpus;
    const at_encoded *numbers;           /* of some of its examples */
    const at_tokenizer *source, *target; /* that made them */
    bool swapped;                        /* sources are the second side */
} at_guided;

/* Reads the links of all examples that have numbers; all of `what` outlives the guide. Fails, with
 * file and line, on what is no link, on links beyond a sentence, and on too few lines. */
attend_status at_guide_load(const char *path, const at_guided *what, at_guide **out,
                            attend_error *err);
void at_guide_free(at_guide *g); /* NULL is well */

uint64_t at_guide_print(const at_guide *g); /* changes with every link */

/* The links of a batch, [B, T-1, S]: row t is for the target's piece t + 1, and sums to 1, or to 0
 * without links; reversed: the source is read from its end. NULL without memory. */
real *at_guide_batch(const at_guide *g, const at_batch *batch, bool reversed, at_arena *arena);

#endif
