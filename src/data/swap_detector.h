/* Which side of a parallel corpus does a text belong to? Learnt from the corpus itself, without any
 * knowledge of languages: a word that mostly stands in sources speaks for the source. So swapped
 * pairs are found in any language, as long as they are few.
 *
 *     at_swap_detector *s = at_swap_detector_new();
 *     for all pairs:  at_swap_detector_learn(s, source, target);
 *     for all pairs:  at_swap_detector_ask(s, source, target)
 */
#ifndef ATTEND_DATA_SWAP_DETECTOR_H
#define ATTEND_DATA_SWAP_DETECTOR_H

#include "text/tokenizer.h"

typedef struct at_swap_detector at_swap_detector;

at_swap_detector *at_swap_detector_new(void); /* 4 MiB; NULL without memory */
void at_swap_detector_free(at_swap_detector *s);

void at_swap_detector_learn(at_swap_detector *s, at_text source, at_text target);

typedef enum {
    ATTEND_PAIR_IN_ORDER,    /* or nothing speaks clearly against it */
    ATTEND_PAIR_SWAPPED,     /* each looks like the other side */
    ATTEND_PAIR_BOTH_SOURCE, /* both look like sources */
    ATTEND_PAIR_BOTH_TARGET, /* both look like targets */
} at_pair_order;

/* About a pair that was learnt: its own words do not count as evidence. */
at_pair_order at_swap_detector_ask(const at_swap_detector *s, at_text source, at_text target);

#endif
