/* A stretch of text as characters, each with its place: what normalising changes and cutting cuts.
 * A list that grows; short ones need no memory of their own. */
#ifndef ATTEND_TEXT_LETTERS_H
#define ATTEND_TEXT_LETTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

typedef struct {
    uint32_t code;
    uint32_t begin, end; /* bytes of the text that it stands for */
} at_letter;

typedef struct {
    at_letter *item;
    size_t count, room;
    bool failed; /* memory ran out: nothing is added any more */
    at_letter few[128];
} at_letters;

void at_letters_start(at_letters *l); /* before anything else; the list must not be moved then */
void at_letters_free(at_letters *l);

void at_letters_grow(at_letters *l); /* room for one more, or failed */

static inline void at_letters_add(at_letters *l, uint32_t code, size_t begin, size_t end)
{
    if (l->count == l->room)
        at_letters_grow(l);
    if (!l->failed)
        l->item[l->count++] = (at_letter){code, (uint32_t)begin, (uint32_t)end};
}

/* Adds the characters of text[begin,end); an invalid byte is U+FFFD. Returns how many there are. */
size_t at_letters_read(at_letters *l, const char *text, size_t begin, size_t end);

/* Lower case, in `to`. */
void at_letters_lower(const at_letters *from, at_letters *to);

/* Without accents, in `to`: decomposed, put in canonical order, and the marks (category Mn) left
 * out; their bytes become the letter's before them. */
void at_letters_strip(const at_letters *from, at_letters *to);

/* Appends letters [begin,end) as UTF-8. */
void at_letters_text(const at_letters *l, size_t begin, size_t end, at_str *out);

#endif
