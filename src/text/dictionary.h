/* A dictionary of words: a file with a line "word<TAB>translation" for each.
 *
 *     at_dictionary *d;
 *     at_dictionary_open("words.tsv", &d, err);
 *     const char *t = at_dictionary_find(d, "Haus", 4);        "house", or NULL
 *
 * Of two lines for one word the first counts. Empty lines are skipped. Columns of numbers after the
 * translation, as a lexicon of attend align has them, are not read. */
#ifndef ATTEND_TEXT_DICTIONARY_H
#define ATTEND_TEXT_DICTIONARY_H

#include <stddef.h>

#include "base/error.h"

typedef attend_dictionary at_dictionary;

attend_status at_dictionary_open(const char *path, at_dictionary **out, attend_error *err);
size_t at_dictionary_size(const at_dictionary *d);

/* As it is written, else in lower case; ended by a zero, borrowed; NULL: it is not there. */
const char *at_dictionary_find(const at_dictionary *d, const char *word, size_t size);
void at_dictionary_free(at_dictionary *d); /* NULL is well */

#endif
