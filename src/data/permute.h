/* Permutation language modelling (Yang et al. 2019, XLNet): a text is factorised in a random order.
 * Spans of it are to be predicted; a token sees what is not to be predicted, and of what is, only
 * what comes before it in that order.
 *
 * Spans: as long as there is text, a span of 1 to 5 tokens somewhere in a stretch of 6 times its
 * length, so that one token in six is predicted. Special tokens never are, and one token at least
 * is not: a prediction that sees nothing would be made from all tokens, as the model has it. */
#ifndef ATTEND_DATA_PERMUTE_H
#define ATTEND_DATA_PERMUTE_H

#include "data/batch.h"

typedef struct {
    const at_tokenizer *tokenizer;
    double share; /* of the tokens that are predicted */
    int max_span;
    bool second; /* only tokens of segment 1 are predicted */
    uint64_t seed;
} at_permuting;

void at_permuting_defaults(at_permuting *p, const at_tokenizer *tokenizer);

/* what the two-stream model takes, beside the ids */
typedef struct {
    int B, T, P;     /* P: most predictions in a text, at least 1 */
    int *query_rank; /* [B,T]: token i sees token j where key_rank[j] < query_rank[i]: */
    int *key_rank;   /* [B,T]: -1 of what is not predicted, else the place in the order */
    int *positions;  /* [B,P]: which tokens are predicted; -1 after the last */
    int *targets;    /* [B,P]: their ids; ATTEND_NO_TARGET (masking.h) after the last */
    size_t count;    /* predictions of all texts */
} at_permutation;

static inline bool at_permutation_sees(const at_permutation *p, int row, int i, int j)
{
    return p->key_rank[row * p->T + j] < p->query_rank[row * p->T + i];
}

attend_status at_permute(const at_batch *batch, const at_permuting *p, at_arena *arena,
                         at_permutation *out, attend_error *err);

#endif
