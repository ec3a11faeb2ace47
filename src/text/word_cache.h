/* What words were cut into, remembered: text repeats its words, and looking one up costs less than
 * cutting it again.
 *
 * Threads share a cache without locks. A place is filled once, by whoever comes first, and never
 * changes; when there is no free place for a word it is not remembered. So memory is bounded, and
 * results never depend on what the cache holds.
 *
 *     if (!at_word_cache_tokens(cache, word, size, at, out)) {
 *         size_t first = out->count;
 *         cut(word, ...);                                adds pieces with offsets in the text
 *         at_word_cache_keep(cache, word, size, at, out, first);
 *     }
 */
#ifndef ATTEND_TEXT_WORD_CACHE_H
#define ATTEND_TEXT_WORD_CACHE_H

#include "text/tokenizer.h"

typedef struct at_word_cache at_word_cache;

at_word_cache *at_word_cache_new(void); /* NULL without memory */
void at_word_cache_free(at_word_cache *c);

/* Adds the pieces of a word that starts at byte `at` of the text; false where it is not known. */
bool at_word_cache_tokens(const at_word_cache *c, const char *word, size_t size, size_t at,
                          at_tokens *out);

/* Remembers out's pieces from index first on as those of the word, which must be valid UTF-8: what
 * was counted as invalid is not remembered. Words that are long, or became many pieces, are not
 * worth it. */
void at_word_cache_keep(at_word_cache *c, const char *word, size_t size, size_t at,
                        const at_tokens *out, size_t first);

#endif
