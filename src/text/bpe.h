/* Byte-pair encoding: a word starts as its bytes, and neighbours are merged by a ranked list of
 * pairs (Gage 1994; Sennrich et al. 2016; over bytes: Radford et al. 2019).
 *
 *     while a pair of neighbours is in the list:
 *         take the pair of the lowest rank, and merge it wherever it stands, from the left
 *
 * A word of n bytes takes O(n log n), so that a megabyte without a blank is no trap. */
#ifndef ATTEND_TEXT_BPE_H
#define ATTEND_TEXT_BPE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct at_bpe at_bpe;

typedef struct {
    int left, right, merged; /* ids */
} at_merge;

/* a part of a word: its id, and how many of the word's bytes it stands for */
typedef struct {
    int id, size;
} at_bpe_part;

/* NULL without memory. Every byte has the id -1 at first. */
at_bpe *at_bpe_new(void);
void at_bpe_free(at_bpe *b);

/* A byte without an id (-1) is never merged; encoding gives it the id -1. */
void at_bpe_set_byte(at_bpe *b, unsigned char byte, int id);
int at_bpe_byte(const at_bpe *b, unsigned char byte);

/* Adds the merge of the next rank; ids are not negative. A pair that is there already gets the new
 * rank, as the last of two has it in other readers of such lists. False without memory. */
bool at_bpe_add(at_bpe *b, at_merge merge);

/* merges by rank, also those that a later one has replaced */
int at_bpe_merges(const at_bpe *b);
at_merge at_bpe_merge(const at_bpe *b, int rank);

/* The rank of a pair, or -1. */
int at_bpe_rank(const at_bpe *b, int left, int right);

/* Cuts a word. parts has room for size of them; their sizes add up to size. Returns how many there
 * are, or -1 without memory. Any number of threads may share b, when nothing is added any more. */
ptrdiff_t at_bpe_encode(const at_bpe *b, const char *word, size_t size, at_bpe_part *parts);

#endif
