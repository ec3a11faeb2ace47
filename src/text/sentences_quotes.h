/* Quotes at the end of a sentence: which way do they look? In Chinese and Japanese no blank tells.
 */
#ifndef ATTEND_TEXT_SENTENCES_QUOTES_H
#define ATTEND_TEXT_SENTENCES_QUOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The character at byte `at`. Returns its length, 1 where it is no UTF-8, 0 at the end. */
size_t at_char_at(const char *text, size_t size, size_t at, uint32_t *code);

/* Is it in a list that ends with 0? */
bool at_char_among(uint32_t code, const uint32_t *list);

/* Which straight quotes are open: " ' ＂. Begin with zeros at each paragraph. */
typedef struct {
    bool open[3];
} at_quotes;

/* The character at byte `at`, of `length` bytes, is passed. An apostrophe between letters is none.
 */
void at_quotes_pass(at_quotes *q, const char *text, size_t size, size_t at, size_t length);

/* Does the character at byte `at`, right after the end of a sentence, open a quotation? `wide`:
 * that end was a mark of Chinese or Japanese. */
bool at_quote_opens(const at_quotes *q, const char *text, size_t size, size_t at, bool wide);

/* « Oui. » has a blank before the quote, and »Ja« none behind the one that opens. The length of
 * such a blank and the quote that closes, or 0. */
size_t at_french_quote(const char *text, size_t size, size_t at);

/* A sentence [begin,end) ends with a quote that closes. Does it go on with who said it?
 * “你好。”她说。 is one sentence; after a colon, as in 他说：“好。”她说不好。, and before one,
 * as in “好。”她说：“不好。”, another begins. */
bool at_speech_goes_on(const char *text, size_t size, size_t begin, size_t end);

#endif
