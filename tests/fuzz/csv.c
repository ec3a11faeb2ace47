/* Fuzz target: any bytes as a table. Every cell lies inside the text, and every row has one. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/memory.h"

static void require(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    at_csv c;
    attend_error err;
    char *text = at_alloc(size + 1);
    require(text != NULL, "memory");
    memcpy(text, data, size);
    text[size] = 0;
    attend_status status = at_csv_start(&c, "input", text, size, &err);
    long line = 0;
    while (status >= 0 && at_csv_next(&c, &status, &err)) {
        require(c.count > 0, "a row has a cell");
        require(c.line > line, "lines are counted upwards");
        line = c.line;
        for (int i = 0; i < c.count; i++) {
            double number;
            require(c.cell[i] >= text && c.cell[i] + strlen(c.cell[i]) <= text + size,
                    "a cell lies in the text");
            at_csv_number(&c, i, &number, &err);
        }
    }
    require(status == ATTEND_OK || status == ATTEND_FORMAT, "nothing else can go wrong");
    at_csv_close(&c);
    return 0;
}
