/* Pairs of texts for next-sentence prediction (Devlin et al. 2018, 3.1 and appendix A.2): sentences
 * of a document up to the wanted length, cut into A and B at random; in half of the pairs B is
 * replaced by sentences of another document. One in ten pairs is shorter than it could be.
 *
 * A supply of batches: source is [CLS] A [SEP] B [SEP] with segments, label 0 where B follows A and
 * 1 where it does not, as Hugging Face's BERT has it. Pairs differ from epoch to epoch. */
#ifndef ATTEND_DATA_NEXT_SENTENCE_H
#define ATTEND_DATA_NEXT_SENTENCE_H

#include "data/batch.h"

typedef struct {
    const at_tokenizer *tokenizer;
    int max_length; /* tokens of a pair with its frame */
    double short_share;
    uint64_t seed;
} at_pairing;

void at_pairing_defaults(at_pairing *p, const at_tokenizer *tokenizer, int max_length);

typedef struct at_next_sentences at_next_sentences;

/* data: plain text without frames, at least two documents; must outlive the result. */
attend_status at_next_sentences_new(const at_encoded *data, const at_pairing *pairing,
                                    at_next_sentences **out, attend_error *err);
void at_next_sentences_free(at_next_sentences *n); /* NULL is well */

at_supply at_next_sentences_supply(at_next_sentences *n);

#endif
