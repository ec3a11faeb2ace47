/* What XLNet and ALBERT do to a text before SentencePiece sees it, as Hugging Face's tokenizers of
 * these models do it: white space becomes single blanks, `` and '' become ", accents go, and, if
 * asked for, capitals. The model's own normalisation comes after it.
 *
 * Every byte of the clean text knows the characters of the original that it comes from. */
#ifndef ATTEND_TEXT_SPIECE_CLEAN_H
#define ATTEND_TEXT_SPIECE_CLEAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

typedef struct {
    bool remove_space, keep_accents, lower;
} at_spiece_cleaning;

/* start with {0} */
typedef struct {
    at_str text;
    uint32_t *begin, *end; /* by byte of text: the original's bytes [begin,end) */
    size_t capacity;
    size_t original; /* bytes of the original */
} at_clean_text;

/* False without memory. A byte that is no UTF-8 becomes U+FFFD. */
bool at_spiece_clean(const at_spiece_cleaning *how, const char *text, size_t size,
                     at_clean_text *out);
void at_clean_text_free(at_clean_text *c);

/* The original's bytes for the clean bytes [*begin,*end). */
void at_clean_text_span(const at_clean_text *c, size_t *begin, size_t *end);

#endif
