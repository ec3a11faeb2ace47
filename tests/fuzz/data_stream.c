/* Fuzz target: any bytes as a plain file, gzip or a zip archive. Unpacking ends, says why where it
 * cannot go on, and gives the same bytes in parts of any size. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/key.h"
#include "data/stream.h"

enum { MOST = 1 << 22 };

static void require(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

/* a hash of all bytes, up to a limit */
static uint64_t drain(const uint8_t *data, size_t size, size_t part, bool peek)
{
    static char buffer[1 << 16];
    at_stream *s;
    attend_error err;
    const char *head;
    size_t head_size, total = 0;
    uint64_t key = 0;
    ptrdiff_t got = at_stream_memory("input", data, size, &s, &err);
    if (got >= 0 && peek)
        got = at_stream_peek(s, &head, &head_size, &err);
    while (got >= 0 && total < MOST && (got = at_stream_read(s, buffer, part, &err)) > 0) {
        require((size_t)got <= part, "no more than was asked for");
        for (ptrdiff_t i = 0; i < got && total < MOST; i++, total++)
            key = key * 31 + (unsigned char)buffer[i];
    }
    require(got >= 0 || got == ATTEND_FORMAT, "nothing else can go wrong");
    require(got >= 0 || strlen(err.message) > 0, "a refusal says why");
    at_stream_close(s);
    return got < 0 ? 0 : key;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    long live = at_alloc_live();
    uint64_t key = drain(data, size, 1 << 16, false);
    require(key == drain(data, size, 13, false), "parts of any size give the same");
    require(key == drain(data, size, 1000, true), "looking ahead changes nothing");
    require(at_alloc_live() == live, "nothing is left in memory");
    return 0;
}
