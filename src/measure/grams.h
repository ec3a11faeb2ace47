/* How often the n-grams of one sequence occur in others: the core of BLEU and chrF.
 *
 *     at_grams_start(&g);
 *     at_grams_count(&g, hypothesis, n, 4);          n-grams of 1 to 4 symbols
 *     at_grams_match(&g, reference, m, 4);           for each reference
 *     double match[4];
 *     at_grams_matches(&g, 4, match);                clipped counts, the best over the references
 */
#ifndef ATTEND_MEASURE_GRAMS_H
#define ATTEND_MEASURE_GRAMS_H

#include "measure/pairs.h"

typedef struct {
    at_pairs pairs;
    struct at_gram *gram; /* by number */
    size_t room;
    bool failed; /* memory ran out: all counts are meaningless */
} at_grams;

void at_grams_free(at_grams *g);
void at_grams_start(at_grams *g); /* forgets all, keeps the memory */

void at_grams_count(at_grams *g, const uint32_t *symbol, size_t n, int order);
void at_grams_match(at_grams *g, const uint32_t *symbol, size_t n, int order);
void at_grams_unmatch(at_grams *g); /* forgets the references */
void at_grams_matches(const at_grams *g, int order, double *match);

/* how many n-grams of that order a sequence of n symbols has */
static inline double at_grams_in(size_t n, int order)
{
    return n >= (size_t)order ? (double)(n - (size_t)order + 1) : 0;
}

#endif
