/* Word translation probabilities from aligned sentence pairs: relative frequencies of the links. */
#ifndef ATTEND_DECODE_LEXICON_H
#define ATTEND_DECODE_LEXICON_H

#include "decode/word_lines.h"

/* Appends a line "source<TAB>target<TAB>p(target | source)<TAB>p(source | target)<TAB>links" for
 * each pair of words that is linked, ordered by source, and for each the likeliest first.
 *
 * links   of each line, as Pharaoh writes them */
attend_status at_lexicon_print(const at_word_lines *source, const at_word_lines *target,
                               const char *const *links, at_str *out, attend_error *err);

#endif
