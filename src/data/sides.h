/* Which side of a parallel corpus does a text belong to? Learnt from the corpus itself, without any
 * knowledge of languages: a word that mostly stands in sources speaks for the source. So swapped
 * pairs are found in any language, as long as they are few.
 *
 *     at_sides *s = at_sides_new();
 *     for all pairs:  at_sides_learn(s, source, target);
 *     for all pairs:  at_sides_ask(s, source, target)
 */
#ifndef ATTEND_DATA_SIDES_H
#define ATTEND_DATA_SIDES_H

#include "text/tokenizer.h"

typedef struct at_sides at_sides;

at_sides *at_sides_new(void); /* 4 MiB; NULL without memory */
void at_sides_free(at_sides *s);

void at_sides_learn(at_sides *s, at_text source, at_text target);

typedef enum {
    ATTEND_SIDES_RIGHT,   /* or nothing speaks clearly against it */
    ATTEND_SIDES_SWAPPED, /* each looks like the other side */
    ATTEND_SIDES_SOURCE,  /* both look like sources */
    ATTEND_SIDES_TARGET,  /* both look like targets */
} at_sides_answer;

/* About a pair that was learnt: its own words do not count as evidence. */
at_sides_answer at_sides_ask(const at_sides *s, at_text source, at_text target);

#endif
