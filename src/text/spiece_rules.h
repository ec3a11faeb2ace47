/* The rules by which SentencePiece replaces characters (NFKC and the like), as a model holds them:
 *
 *     4 bytes    size of the trie
 *     the trie   a double array of 4-byte units: from characters to a place below
 *     the rest   texts, each ended by a zero byte
 *
 * Its library walks the trie without looking at its size. */
#ifndef ATTEND_TEXT_SPIECE_RULES_H
#define ATTEND_TEXT_SPIECE_RULES_H

#include <stddef.h>

#include "base/error.h"

/* Whatever text is looked up, does the walk stay inside? *fault receives what is wrong, or NULL;
 * the status is a failure only without memory. */
attend_status at_spiece_rules_check(const void *rules, size_t size, const char **fault,
                                    attend_error *err);

#endif
