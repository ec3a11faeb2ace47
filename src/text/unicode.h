/* Properties of characters as the reference tokenizers use them, and their lower case. */
#ifndef ATTEND_TEXT_UNICODE_H
#define ATTEND_TEXT_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

bool at_is_space(uint32_t code); /* Unicode's White_Space */

static inline bool at_is_ascii_space(unsigned char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* Is there white space at the start of size bytes? Returns its length in bytes, or 0. */
int at_space_at(const char *text, size_t size);

bool at_is_control(uint32_t code);     /* categories Cc, Cf, Cs, Co, Cn */
bool at_is_mark(uint32_t code);        /* category Mn: accents that stand over a letter */
bool at_is_punctuation(uint32_t code); /* P*, and all of ASCII that is no letter, digit, blank */
bool at_is_symbol(uint32_t code);      /* S* */
bool at_is_bound(uint32_t code);       /* M*, Cf: belongs to the character before it */
bool at_is_letter(uint32_t code);      /* L* */
bool at_is_upper(uint32_t code);       /* Lu, Lt */
bool at_is_lower(uint32_t code);       /* Ll */
bool at_is_digit(uint32_t code);       /* Nd */
bool at_is_chinese(uint32_t code);     /* the CJK ideographs, as BERT counts them */
bool at_is_japanese(uint32_t code);    /* hiragana and katakana */
bool at_is_wide(uint32_t code);        /* these two and their punctuation: no blanks around */

/* The lower case of a character, one or two of them (İ has two); returns how many. */
int at_lower(uint32_t code, uint32_t out[2]);

/* What a character decomposes to (canonically, as in NFD); returns how many. Accents of several
 * characters still have to be put in order, by at_combining_class. */
int at_decompose(uint32_t code, uint32_t out[4]);
int at_combining_class(uint32_t code);

/* The same for compatibility, as in NFKD: ﬁ becomes f and i, ² becomes 2. */
enum { ATTEND_COMPATIBLE_MAX = 18 };
int at_decompose_compatible(uint32_t code, uint32_t out[ATTEND_COMPATIBLE_MAX]);

typedef enum { ATTEND_NFC, ATTEND_NFD, ATTEND_NFKC, ATTEND_NFKD } at_normal_form;

/* Appends a text in a normal form; invalid bytes become U+FFFD. False without memory. */
bool at_normalise(at_normal_form form, const char *text, size_t size, at_str *out);

#endif
