/* Learning which neighbours to merge: the most frequent pair first, again and again (Gage 1994;
 * Sennrich, Haddow and Birch 2016). WordPiece and byte-level BPE learn with it.
 *
 *     at_merger *m = at_merger_new();
 *     for each distinct word: at_merger_word(m, symbols, count, times);
 *     while (size < wanted && at_merger_best(m, &left, &right, &times) && times >= least)
 *         at_merger_apply(m, left, right, symbol_of(left, right));
 *     if (at_merger_failed(m)) out of memory
 *     at_merger_free(m);
 *
 * Of equally frequent pairs the one with the smaller left symbol comes first, then the smaller
 * right one: the order of the words does not matter. A merge costs as much as the words that have
 * the pair. */
#ifndef ATTEND_TEXT_MERGES_H
#define ATTEND_TEXT_MERGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct at_merger at_merger;

at_merger *at_merger_new(void); /* NULL without memory */
void at_merger_free(at_merger *m);

/* A word as its symbols, which are at least 0, and how often it was seen. */
void at_merger_word(at_merger *m, const int32_t *symbols, size_t count, uint64_t times);

/* The pair that is most frequent now; false where there is none, or memory ran out. */
bool at_merger_best(at_merger *m, int32_t *left, int32_t *right, uint64_t *times);

/* Replaces the pair by one symbol in all words, from left to right. */
void at_merger_apply(at_merger *m, int32_t left, int32_t right, int32_t merged);

/* Memory ran out at some time: what was learned is not right. */
bool at_merger_failed(const at_merger *m);

#endif
