/* How well a vocabulary fits a text: counts of words and pieces, and the words it does not know. */
#ifndef ATTEND_TEXT_COVERAGE_H
#define ATTEND_TEXT_COVERAGE_H

#include "text/tokenizer.h"

typedef struct at_coverage at_coverage;

typedef struct {
    uint64_t lines, bytes, characters, invalid;
    uint64_t words;       /* between white space */
    uint64_t known_words; /* none of whose pieces is unknown */
    uint64_t tokens, unknown;
    int32_t used;          /* pieces of the vocabulary that were needed, specials left out */
    int32_t unknown_texts; /* different ones */
} at_coverage_counts;

/* t must outlive it; NULL without memory */
at_coverage *at_coverage_new(const at_tokenizer *t);
void at_coverage_free(at_coverage *c);

attend_status at_coverage_add(at_coverage *c, const char *text, size_t size, attend_error *err);

at_coverage_counts at_coverage_so_far(const at_coverage *c);

/* Unknown texts, the most frequent first: count of them into order (at most unknown_texts), as ids
 * of the vocabulary that is returned, which belongs to c. NULL without memory. */
const at_vocab *at_coverage_unknown(at_coverage *c, const int32_t **order);

#endif
