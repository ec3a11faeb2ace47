/* Fuzz target: any bytes as JSON lines or a table whose keys or columns are chosen: first
 * come the names of the text, the second text and the label, a zero byte behind each; empty is
 * none. */
#include "data_reader.h"

enum { NAMES = 3, MOST = 200 };

static size_t take_names(const uint8_t *data, size_t size, char names[NAMES][MOST + 1])
{
    size_t at = 0;
    for (int i = 0; i < NAMES; i++) {
        const uint8_t *zero = memchr(data + at, 0, size - at);
        size_t length = zero ? (size_t)(zero - data) - at : 0;
        if (!zero || length > MOST)
            return at;
        memcpy(names[i], data + at, length);
        at += length + 1;
    }
    return at;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {"jsonl", "csv", "tsv"};
    char names[NAMES][MOST + 1] = {"", "", ""};
    if (size == 0)
        return 0;
    size_t at = take_names(data, size, names);
    for (int i = 0; i < 6; i++) {
        at_read_options o = {.format = formats[i / 2],
                             .lenient = i % 2,
                             .source_column = *names[0] ? names[0] : NULL,
                             .target_column = *names[1] ? names[1] : NULL,
                             .label_column = *names[2] ? names[2] : NULL};
        read_with(o, data + at, size - at, NULL, 0);
    }
    return 0;
}
