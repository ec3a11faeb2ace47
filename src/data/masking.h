/* Masked language modelling (Devlin et al. 2018, 3.1): of the tokens of a sentence that are not
 * special, 15 % are to be predicted; of these 80 % are replaced by the mask, 10 % by a random
 * token, and 10 % stay as they are.
 *
 * How many is round(15 % of n), at least one; which ones depends on seed, step, sentence and
 * position alone. */
#ifndef ATTEND_DATA_MASKING_H
#define ATTEND_DATA_MASKING_H

#include "data/batch.h"

/* a target that is not to be predicted, as PyTorch has it: at_cross_entropy_options.ignore */
enum { ATTEND_NO_TARGET = -100 };

typedef struct {
    const at_tokenizer *tokenizer; /* must have a mask */
    double share;                  /* of the tokens */
    double masked, random;         /* of these: replaced by the mask, by a random token */
    bool whole_words;              /* all pieces of a word or none */
    uint64_t seed;
} at_masking;

void at_masking_defaults(at_masking *m, const at_tokenizer *tokenizer);

/* Changes ids of batch->source. *targets receives [B,T] ids in the arena: those that stood where
 * something is to be predicted, else ATTEND_NO_TARGET. */
attend_status at_mask_tokens(at_batch *batch, const at_masking *m, at_arena *arena, int **targets,
                             attend_error *err);

#endif
