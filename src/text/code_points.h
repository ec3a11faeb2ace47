/* A stretch of text as characters, each with its place: what normalising changes and cutting cuts.
 * A list that grows; short ones need no memory of their own. */
#ifndef ATTEND_TEXT_CODE_POINTS_H
#define ATTEND_TEXT_CODE_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

typedef struct {
    uint32_t code;
    uint32_t begin, end; /* bytes of the text that it stands for */
} at_code_point;

typedef struct {
    at_code_point *item;
    size_t count, capacity;
    bool failed; /* memory ran out: nothing is added any more */
    at_code_point few[128];
} at_code_points;

void at_code_points_start(
    at_code_points *l); /* before anything else; the list must not be moved then */
void at_code_points_free(at_code_points *l);

void at_code_points_grow(at_code_points *l); /* room for one more, or failed */

static inline void at_code_points_add(at_code_points *l, uint32_t code, size_t begin, size_t end)
{
    if (l->count == l->capacity)
        at_code_points_grow(l);
    if (!l->failed)
        l->item[l->count++] = (at_code_point){code, (uint32_t)begin, (uint32_t)end};
}

/* Adds the characters of text[begin,end); an invalid byte is U+FFFD. Returns how many there are. */
size_t at_code_points_read(at_code_points *l, const char *text, size_t begin, size_t end);

/* Lower case, in `to`. */
void at_code_points_lower(const at_code_points *from, at_code_points *to);

/* Without accents, in `to`: decomposed, put in canonical order, and the marks (category Mn) left
 * out; their bytes become the letter's before them. */
void at_code_points_strip(const at_code_points *from, at_code_points *to);

/* Appends letters [begin,end) as UTF-8. */
void at_code_points_text(const at_code_points *l, size_t begin, size_t end, at_str *out);

#endif
