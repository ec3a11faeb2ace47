/* How often the n-grams of one sequence occur in others: the core of BLEU and chrF.
 *
 *     at_ngrams_start(&g);
 *     at_ngrams_count(&g, hypothesis, n, 4);          n-grams of 1 to 4 symbols
 *     at_ngrams_match(&g, reference, m, 4);           for each reference
 *     double match[4];
 *     at_ngrams_matches(&g, 4, match);                clipped counts, the best over the references
 */
#ifndef ATTEND_MEASURE_NGRAMS_H
#define ATTEND_MEASURE_NGRAMS_H

#include "measure/pairs.h"

typedef struct {
    at_pairs pairs;
    struct at_ngram *gram; /* by number */
    size_t capacity;
    bool failed; /* memory ran out: all counts are meaningless */
} at_ngrams;

void at_ngrams_free(at_ngrams *g);
void at_ngrams_start(at_ngrams *g); /* forgets all, keeps the memory */

void at_ngrams_count(at_ngrams *g, const uint32_t *symbol, size_t n, int order);
void at_ngrams_match(at_ngrams *g, const uint32_t *symbol, size_t n, int order);
void at_ngrams_unmatch(at_ngrams *g); /* forgets the references */
void at_ngrams_matches(const at_ngrams *g, int order, double *match);

/* how many n-grams of that order a sequence of n symbols has */
static inline double at_ngrams_in(size_t n, int order)
{
    return n >= (size_t)order ? (double)(n - (size_t)order + 1) : 0;
}

#endif
