/* GPT-2's words: where its pattern cuts a text before the merges begin.
 *
 *     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 *
 * A word takes the blank before it along; of several blanks, the last one. Every byte of a text is
 * in exactly one word. Bytes that are no UTF-8 are words of their own, as long as they follow each
 * other, and what stands between them is cut as if it stood alone. */
#ifndef ATTEND_TEXT_GPT2_WORDS_H
#define ATTEND_TEXT_GPT2_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct at_gpt2_words at_gpt2_words;

attend_status at_gpt2_words_new(at_gpt2_words **out, attend_error *err);
void at_gpt2_words_free(at_gpt2_words *w);

/* One word: size bytes of the text from begin on. False ends the cutting. */
typedef bool at_gpt2_word(void *user, size_t begin, size_t size, bool valid);

/* Calls take for every word, in order. Thread safe. */
attend_status at_gpt2_words_cut(const at_gpt2_words *w, const char *text, size_t size,
                                at_gpt2_word *take, void *user, attend_error *err);

#endif
