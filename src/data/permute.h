/* Permutation language modelling (Yang et al. 2019, XLNet): a sentence is factorised in a random
 * order. Spans of it are to be predicted; a token sees what is not to be predicted, and of what is,
 * only what comes before it in that order.
 *
 * Spans: as long as there is text, a span of 1 to 5 tokens somewhere in a stretch of 6 times its
 * length, so that one token in six is predicted. Special tokens never are. */
#ifndef ATTEND_DATA_PERMUTE_H
#define ATTEND_DATA_PERMUTE_H

#include "data/batch.h"

typedef struct {
    const at_tokenizer *tokenizer;
    double share; /* of the tokens that are predicted */
    int max_span;
    uint64_t seed;
} at_permuting;

void at_permuting_defaults(at_permuting *p, const at_tokenizer *tokenizer);

/* what the two-stream model takes, beside the ids */
typedef struct {
    int B, T, P;           /* P: most predictions in a sentence, at least 1 */
    unsigned char *hidden; /* [B,T,T], perm_mask: 1 where token i may not see token j */
    int *positions;        /* [B,P]: which tokens are predicted; -1 behind the last */
    int *targets;          /* [B,P]: their ids; ATTEND_NO_TARGET (masking.h) behind the last */
} at_permutation;

attend_status at_permute(const at_batch *batch, const at_permuting *p, at_arena *arena,
                         at_permutation *out, attend_error *err);

/* target_mapping [B,P,T]: 1 at the position of a prediction; a row of zeros where there is none */
void at_permutation_mapping(const at_permutation *p, float *mapping);

#endif
