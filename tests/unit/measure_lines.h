/* Lines for tests: at most 64 of them, from a text with newlines between them. */
#ifndef ATTEND_TESTS_MEASURE_LINES_H
#define ATTEND_TESTS_MEASURE_LINES_H

#include <string.h>

#include "attend.h"

typedef struct {
    char text[4096];
    const char *line[64];
    attend_lines lines;
} test_lines;

static inline const attend_lines *lines_of(test_lines *l, const char *name, const char *text)
{
    size_t count = 0;
    strncpy(l->text, text, sizeof l->text - 1);
    l->text[sizeof l->text - 1] = 0;
    for (char *at = l->text; at && count < 64; count++) {
        l->line[count] = at;
        at = strchr(at, '\n');
        if (at)
            *at++ = 0;
    }
    l->lines = (attend_lines){.name = name, .count = count, .line = l->line};
    return &l->lines;
}

#endif
