/* Fuzz target: any bytes as a paragraph; the first one chooses languages. Sentences follow each
 * other, and nothing but white space lies between them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "text/sentences.h"
#include "text/unicode.h"

static void require(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

static size_t skip(const char *text, size_t from, size_t to, size_t size)
{
    int blank;
    while (from < to && (blank = at_space_at(text + from, size - from)) > 0)
        from += (size_t)blank;
    return from;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const char *text = (const char *)data + 1;
    size_t covered = 0, begin, end, length = size - 1;
    at_sentences s = at_sentences_of(text, length, data[0]);
    while (at_sentences_next(&s, &begin, &end)) {
        require(begin < end && end <= length, "a sentence is inside");
        require(skip(text, covered, begin, length) == begin, "white space alone is left out");
        require(at_space_at(text + begin, length - begin) == 0, "none is at the start");
        covered = end;
    }
    require(skip(text, covered, length, length) == length, "nothing is left");
    return 0;
}
