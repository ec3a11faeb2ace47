/* The score of a corpus, for validations and attend evaluate. */
#ifndef ATTEND_TRAIN_SCORE_H
#define ATTEND_TRAIN_SCORE_H

#include "attend.h"
#include "base/error.h"

/* A measure (measure/measures.def) with its default options, tokenized as the references need. */
attend_status at_corpus_score(const char *measure, const attend_lines *made,
                              const attend_lines *reference, double *value, attend_error *err);

/* The tokenization of BLEU that fits the references: by characters where no spaces stand between
 * words; none where they are tokenized already. */
const char *at_tokenization_of(const attend_lines *reference);

#endif
