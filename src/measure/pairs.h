/* Numbers for sequences. A sequence is its beginning and one symbol more, so that a table of pairs
 * (number of the beginning, symbol) -> number tells equal sequences by equal numbers, exactly and
 * without comparing or storing them. A word is a sequence of characters, an n-gram one of words or
 * characters.
 *
 *     at_pairs_start(&p);
 *     uint32_t the = at_pairs_add(&p, at_pairs_add(&p, at_pairs_add(&p, 0, 't'), 'h'), 'e');
 */
#ifndef ATTEND_MEASURE_PAIRS_H
#define ATTEND_MEASURE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/chars.h"

typedef struct {
    struct at_pair *slot;
    size_t capacity; /* slots, a power of two */
    uint32_t count;  /* numbers given out: 1 to count; 0 is the empty sequence */
    uint32_t round;  /* slots of other rounds are empty */
    bool failed;     /* memory ran out: every number is 0 */
} at_pairs;

void at_pairs_free(at_pairs *p);
void at_pairs_start(at_pairs *p); /* forgets all, keeps the memory */

uint32_t at_pairs_add(at_pairs *p, uint32_t beginning, uint32_t symbol);
uint32_t at_pairs_find(const at_pairs *p, uint32_t beginning, uint32_t symbol); /* 0: unknown */

/* The words of a text as numbers: new ones get one, or, unless `add`, are 0. */
void at_pairs_words(at_pairs *p, const at_chars *text, bool add, at_chars *words);

#endif
