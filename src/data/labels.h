/* The classes of a corpus with labels, or the tags of one with tags: numbered in the order of their
 * names, or of their values where all are whole numbers, so that the same labels always have the
 * same numbers. */
#ifndef ATTEND_DATA_LABELS_H
#define ATTEND_DATA_LABELS_H

#include "data/corpus.h"
#include "text/vocab.h"

/* at_vocab_find gives a label's class, at_vocab_count how many examples have it; at_vocab_free it.
 * At most 100,000 of them. */
attend_status at_labels_of(const at_corpus *c, at_vocab **out, attend_error *err);

#endif
