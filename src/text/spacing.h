/* Blanks between words that were cut apart: which punctuation stands close to the word on its left
 * or right, as the detokenizer of Moses has it, and as text itself shows.
 *
 * French writes "Vraiment ?" and English "Really?": at_spacing_see counts what a text does, and
 * where it has been seen often enough, that is the rule. */
#ifndef ATTEND_TEXT_SPACING_H
#define ATTEND_TEXT_SPACING_H

#include <jansson.h>

#include "text/tokenizer.h"

typedef struct {
    bool left, right; /* no blank on that side */
} at_glue;

typedef struct {
    uint32_t seen[2], close[2]; /* with a neighbour on the left, right; without a blank between */
    at_glue glue;
    bool known; /* glue was learned or loaded */
} at_spacing_word;

/* start with {0} */
typedef struct {
    at_vocab *words; /* punctuation that was seen; NULL: none */
    at_spacing_word *item;
    size_t capacity;
    bool plain;     /* no rules for punctuation: it was not cut off */
    bool all_split; /* every mark was cut off, even within 3.14 and well-known, as BERT does */
    bool marked;    /* words may carry @ for "no blank here", as in @/@ */
    bool wide;      /* Chinese and Japanese characters were cut apart: no blanks around them */
} at_spacing;

void at_spacing_free(at_spacing *s);

/* Counts one punctuation word: whether it has neighbours, and stands close to them. False without
 * memory. */
bool at_spacing_see(at_spacing *s, at_text word, bool has_left, bool close_left, bool has_right,
                    bool close_right);

/* Makes rules of what was counted. */
void at_spacing_learn(at_spacing *s);

/* The rule for a word wherever it stands. Quotes, which stand close on alternating sides, have
 * none: at_spacing_alternates. */
at_glue at_spacing_of(const at_spacing *s, at_text word);
bool at_spacing_alternates(at_text word);

/* how an @ that is no mark is written where it would be taken for one */
#define ATTEND_SPACING_AT "&#64;"

/* Appends the words with blanks where they belong. */
void at_spacing_join(const at_spacing *s, const at_text *words, size_t count, at_str *out);

/* {"!": "left", "(": "right", "/": "both", "&": "none"}; NULL without memory */
json_t *at_spacing_write(const at_spacing *s);
attend_status at_spacing_read(at_spacing *s, const json_t *object, const char *file,
                              attend_error *err);

#endif
