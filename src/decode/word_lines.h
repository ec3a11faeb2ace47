/* Lines of text as numbered words: those that alignment links count, from 0 in each line. Equal
 * words have equal numbers; marks at the ends of a word do not make it another one. */
#ifndef ATTEND_DECODE_WORD_LINES_H
#define ATTEND_DECODE_WORD_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

typedef struct {
    size_t count;     /* lines */
    size_t *begin;    /* [count + 1]: where the words of each line begin in `word` */
    uint32_t *word;   /* the number of each word, from 1 to numbers, not all of which are used */
    uint32_t numbers; /* the largest */
    size_t *spelling; /* [numbers + 1]: where the word begins in `spellings`, ended by a zero */
    at_str spellings;
} at_word_lines;

attend_status at_word_lines_read(at_word_lines *w, size_t count, const char *const *line,
                                 attend_error *err);
void at_word_lines_free(at_word_lines *w); /* also after a failed read */

static inline size_t at_word_lines_words(const at_word_lines *w, size_t line)
{
    return w->begin[line + 1] - w->begin[line];
}

static inline const char *at_word_lines_text(const at_word_lines *w, uint32_t number)
{
    return at_str_text(&w->spellings) + w->spelling[number];
}

#endif
