/* Where the sentences of a paragraph end.
 *
 *     at_sentences s = at_sentences_of(text, size, ATTEND_LANGUAGES_ALL);
 *     size_t begin, end;
 *     while (at_sentences_next(&s, &begin, &end))
 *         the bytes [begin,end), without white space around them
 *
 * By rule, not by learning: what ends a sentence is a full stop, question or exclamation mark, or
 * ellipsis of any script, with the quotes and brackets that close after it. A full stop ends none
 * in a number, an address, an abbreviation, after an initial, and before a small letter. Two line
 * breaks end one always, a single one is a blank.
 *
 * Only white space between sentences is left out: what is there comes out, byte for byte. */
#ifndef ATTEND_TEXT_SENTENCES_H
#define ATTEND_TEXT_SENTENCES_H

#include <stdbool.h>
#include <stddef.h>

#include "text/sentences_quotes.h"

/* Languages whose abbreviations are known; Chinese and Japanese need none. */
enum {
    ATTEND_LANGUAGE_EN = 1,
    ATTEND_LANGUAGE_FR = 2,
    ATTEND_LANGUAGE_DE = 4,
    ATTEND_LANGUAGE_ES = 8,
    ATTEND_LANGUAGE_IT = 16,
    ATTEND_LANGUAGE_PT = 32,
    ATTEND_LANGUAGE_NL = 64,
    ATTEND_LANGUAGE_RU = 128,
    ATTEND_LANGUAGES_ALL = 255,
};

/* "en|fr|...": the names, in the order of the bits */
#define ATTEND_LANGUAGE_NAMES "en|fr|de|es|it|pt|nl|ru"

/* The bit of a name; all for "auto"; 0 for "zh", "ja" and others that have none, with *known false
 * where the name is not known at all. */
unsigned at_language_bits(const char *name, bool *known);

typedef struct {
    const char *text;
    size_t size, at;
    unsigned languages;
    at_quotes quotes; /* open at `at` */
} at_sentences;

at_sentences at_sentences_of(const char *text, size_t size, unsigned languages);

/* The next sentence; false where there is none. */
bool at_sentences_next(at_sentences *s, size_t *begin, size_t *end);

/* ---- words that say something about the full stop after them ---- */

typedef enum {
    ATTEND_WORD_PLAIN,
    ATTEND_WORD_NEVER,  /* "Dr": a name follows */
    ATTEND_WORD_NUMBER, /* "No": a number follows, or else it is a word like any other */
    ATTEND_WORD_MAYBE,  /* "etc": the next word tells */
} at_word_class;

/* Of a word without its full stop. */
at_word_class at_word_class_of(const char *word, size_t size, unsigned languages);

/* Does a sentence often start with this word? */
bool at_word_starts(const char *word, size_t size, unsigned languages);

/* the name of a month, before which German writes "3." */
bool at_word_is_month(const char *word, size_t size);

#endif
