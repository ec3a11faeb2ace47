/* Fuzz target: any bytes as lines of items, one after another through the same row. Every item lies
 * inside its line and has as many numbers as the others, all finite. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/pointer_examples.h"

static void require(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

static void parse(at_item_row *row, const char *line, size_t size)
{
    attend_error err;
    attend_status status = at_item_row_parse(row, (at_text){line, size}, &err);
    require(status == ATTEND_OK || status == ATTEND_FORMAT, "nothing else can go wrong");
    if (status < 0)
        return;
    for (size_t i = 0; i < row->count; i++) {
        at_text item = row->text[i];
        require(item.size > 0 && item.text >= line && item.text + item.size <= line + size,
                "an item lies in its line");
        for (int k = 0; k < row->width; k++)
            require(!isnan(row->values[i * (size_t)row->width + (size_t)k]), "a number is one");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    at_item_row row = {.count = 0};
    const char *text = (const char *)data;
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end ? (size_t)(end - text) - at : size - at;
        parse(&row, text + at, length);
        at += length + 1;
    }
    at_item_row_free(&row);
    return 0;
}
