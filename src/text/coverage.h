/* How well a vocabulary fits a text: counts of words and pieces, and the words it does not know. */
#ifndef ATTEND_TEXT_COVERAGE_H
#define ATTEND_TEXT_COVERAGE_H

#include "text/tokenizer.h"

typedef attend_coverage at_coverage;

/* t must outlive it; NULL without memory */
at_coverage *at_coverage_new(const at_tokenizer *t);
void at_coverage_free(at_coverage *c);

attend_status at_coverage_add(at_coverage *c, const char *text, size_t size, attend_error *err);

attend_coverage_info at_coverage_so_far(const at_coverage *c);

/* Unknown texts, the most frequent first: their ids in the vocabulary that is returned, in *order;
 * both belong to c, until more text is added. NULL without memory. */
const at_vocab *at_coverage_unknown(at_coverage *c, const int32_t **order);

#endif
