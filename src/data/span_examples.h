/* Questions with the places of their answers as batches: a window (span_windows.h) is an example,
 * its target the positions of the first and the last token of the answer, or twice that of "no
 * answer" where the answer is not in the window. */
#ifndef ATTEND_DATA_SPAN_EXAMPLES_H
#define ATTEND_DATA_SPAN_EXAMPLES_H

#include "data/encode.h"
#include "data/span_windows.h"

typedef struct {
    size_t questions, windows;
    size_t unanswered; /* questions that have no answer in their context */
    size_t cut;        /* questions that were shortened */
} at_span_counts;

/* The examples of a corpus whose part is `wanted` (part NULL: all). Fails at an answer that is not
 * in its context, with file and line. */
attend_status at_span_examples_new(const at_corpus *c, const unsigned char *part, int wanted,
                                   const at_tokenizer *t, const at_span_options *o,
                                   at_span_counts *counts, at_encoded **out, attend_error *err);

#endif
