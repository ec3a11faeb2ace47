/* Text as an array of characters (Unicode code points), which is what measures count in.
 *
 * What Python calls lower case, white space and splitting is meant by these words here too: scores
 * that people compare come from programs in Python. Failure for want of memory is sticky: append
 * without looking, ask once at the end. */
#ifndef ATTEND_MEASURE_CHARS_H
#define ATTEND_MEASURE_CHARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

typedef struct {
    uint32_t *at;
    size_t count, capacity;
    bool failed; /* memory ran out: nothing is appended any more */
} at_chars;

void at_chars_free(at_chars *c);

/* c becomes that text; a byte that is no UTF-8 becomes U+FFFD */
void at_chars_set(at_chars *c, const char *text, size_t size);

void at_chars_clear(at_chars *c); /* empty, also of failure; keeps the memory */
bool at_chars_grow(at_chars *c);  /* makes room for one more */
void at_chars_swap(at_chars *a, at_chars *b);

static inline void at_chars_add(at_chars *c, uint32_t code)
{
    if (c->count < c->capacity || at_chars_grow(c))
        c->at[c->count++] = code;
}

/* the text as UTF-8 */
void at_chars_print(at_str *out, const at_chars *c);

/* ---- kinds of characters ---- */

bool at_char_is_space(uint32_t code);
bool at_char_is_punctuation(uint32_t code); /* \p{P} */
bool at_char_is_symbol(uint32_t code);      /* \p{S} */
bool at_char_is_number(uint32_t code);      /* \p{N} */
bool at_char_is_letter(uint32_t code);      /* \p{L} */

/* ---- changes; spare is memory to work in ---- */

void at_chars_lower(at_chars *c, at_chars *spare);
void at_chars_strip(at_chars *c);     /* no white space at both ends */
void at_chars_strip_end(at_chars *c); /* nor at the end */
void at_chars_join(at_chars *c);      /* words with one space between them */
void at_chars_squeeze(at_chars *c);   /* no white space at all */

/* every occurrence of an ASCII text, from left to right */
void at_chars_replace(at_chars *c, at_chars *spare, const char *old, const char *text);

/* Rules, as regular expressions would write them: what is a character of that kind (or a pair of
 * them) becomes the form, in which 1 and 2 stand for what was found. They work from left to right
 * and never twice on the same character. */
typedef bool at_char_kind(uint32_t code);
void at_chars_each(at_chars *c, at_chars *spare, at_char_kind *kind, const char *form);
void at_chars_pairs(at_chars *c, at_chars *spare, at_char_kind *first, at_char_kind *second,
                    const char *form);

/* The next word from *from on; false where there is none. *from moves behind it. */
bool at_chars_word(const at_chars *c, size_t *from, size_t *start, size_t *length);

#endif
