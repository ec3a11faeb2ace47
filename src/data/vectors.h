/* Vectors of words from a text file, as GloVe, word2vec and fastText write them: on each line a
 * word and its numbers, separated by blanks; fastText's first line says how many lines and numbers
 * there are. The file, packed or not, is read once in constant memory. */
#ifndef ATTEND_DATA_VECTORS_H
#define ATTEND_DATA_VECTORS_H

#include "base/real.h"
#include "data/stream.h"
#include "text/vocab.h"

typedef struct {
    size_t lines; /* words of the file */
    size_t found; /* words of the vocabulary that it has */
} at_vector_counts;

/* Writes the vectors of words that the vocabulary has into their rows of table [vocabulary, width];
 * other rows stay. A word that comes twice has its first vector. */
attend_status at_vectors_read(const char *path, const at_vocab *vocab, int width, real *table,
                              at_vector_counts *counts, attend_error *err);

/* The same from bytes, which are closed. */
attend_status at_vectors_take(at_stream *bytes, const at_vocab *vocab, int width, real *table,
                              at_vector_counts *counts, attend_error *err);

#endif
