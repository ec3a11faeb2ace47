/* Fuzz target: any bytes as a file of word vectors. Rows that are written have finite numbers, and
 * as many rows are written as are said to be. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/vectors.h"

enum { WIDTH = 2, WORDS = 3 };

static void require(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const words[WORDS] = {"a", "b c", "\xc3\xa9"};
    at_vocab *vocab = at_vocab_new();
    at_stream *bytes;
    at_vector_counts counts;
    attend_error err;
    real table[WORDS * WIDTH];
    size_t written = 0;
    for (int i = 0; i < WORDS; i++)
        at_vocab_add(vocab, words[i], strlen(words[i]));
    for (int i = 0; i < WORDS * WIDTH; i++)
        table[i] = (real)2e30; /* no vector has such a number */
    attend_status status = at_stream_memory("input", data, size, &bytes, &err);
    if (status >= 0)
        status = at_vectors_take(bytes, vocab, WIDTH, table, &counts, &err);
    require(status >= 0 || status == ATTEND_FORMAT, "read or refused");
    for (int i = 0; i < WORDS && status >= 0; i++) {
        bool all = table[2 * i] < (real)2e30 && table[2 * i + 1] < (real)2e30;
        bool none = table[2 * i] == (real)2e30 && table[2 * i + 1] == (real)2e30;
        require(all || none, "a row is written whole");
        written += all;
    }
    require(status < 0 || written == counts.found, "rows are counted");
    at_vocab_free(vocab);
    return 0;
}
