/* Fuzz target: any bytes as lines, with every policy for bytes that are no UTF-8. Lines come in
 * order, without their ends, and all bytes of plain text come back. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "data/lines.h"

static void require(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

static void read_lines(const uint8_t *data, size_t size, const at_line_options *options)
{
    at_line_stream s;
    at_stream *bytes;
    attend_error err;
    attend_status status = at_stream_memory("input", data, size, &bytes, &err);
    long number = 0;
    if (status < 0)
        return;
    status = at_lines_start(&s, bytes, options, &err);
    while (status >= 0 && at_lines_next(&s, &status, &err)) {
        require(s.number == ++number, "lines are counted");
        require(s.text[s.size] == 0 && strlen(s.text) == s.size,
                "a zero ends a line, none is in it");
        require(at_utf8_valid(s.text, s.size) == s.size, "lines are UTF-8");
        require(!memchr(s.text, '\n', s.size), "no line end is in a line");
        require(s.raw_size <= options->max_length, "lines keep to their limit");
    }
    require(status == ATTEND_OK || status == ATTEND_FORMAT, "nothing else can go wrong");
    at_lines_close(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    long live = at_alloc_live();
    for (int i = 0; i < 6; i++) {
        at_line_options options = {.encoding = (attend_encoding)(i % 3),
                                   .max_length = i % 2 ? 7 : 100000,
                                   .lenient = i >= 3};
        read_lines(data, size, &options);
    }
    require(at_alloc_live() == live, "nothing is left in memory");
    return 0;
}
