#include "base/csv.h"

#include <limits.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/packed.h"

enum { LARGEST = 1 << 30, MAX_CELLS = 100000 };

/* The character that the first line with content has outside of quotes; a tab before a semicolon
 * before a comma, since a decimal comma is not a separator in files that have the others. */
static char find_separator(const char *text)
{
    text += strspn(text, "\r\n");
    bool quoted = false, found[UCHAR_MAX + 1] = {false};
    for (; *text && (quoted || *text != '\n'); text++) {
        quoted ^= *text == '"';
        if (!quoted)
            found[(unsigned char)*text] = true;
    }
    for (const char *c = "\t;, "; *c; c++)
        if (found[(unsigned char)*c])
            return *c;
    return ',';
}

attend_status at_csv_start(at_csv *c, const char *name, char *text, size_t size, attend_error *err)
{
    *c = (at_csv){.name = name, .text = text, .next_line = 1};
    size_t length = strlen(text);
    if (length < size) {
        long line = 1;
        for (size_t i = 0; i < length; i++)
            line += text[i] == '\n';
        return at_error(err, ATTEND_FORMAT, "%s:%ld: a zero byte; is this a text file?", name,
                        line);
    }
    c->next = text + (strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0);
    c->separator = find_separator(c->next);
    return ATTEND_OK;
}

attend_status at_csv_open(at_csv *c, const char *path, attend_error *err)
{
    size_t size;
    char *text;
    bool standard = strcmp(path, "-") == 0;
    *c = (at_csv){0};
    attend_status status = at_input_read(standard ? "/dev/stdin" : path, LARGEST, &text, &size,
                                         err);
    if (status < 0)
        return status;
    status = at_packed_refuse(standard ? "standard input" : path, text, size, err);
    if (status < 0) {
        at_free(text);
        return status;
    }
    return at_csv_start(c, standard ? "standard input" : path, text, size, err);
}

void at_csv_close(at_csv *c)
{
    at_free(c->text);
    at_free(c->cell);
    *c = (at_csv){0};
}

static attend_status add_cell(at_csv *c, char *cell, attend_error *err)
{
    if (c->count == MAX_CELLS)
        return at_error(err, ATTEND_FORMAT, "%s:%ld: more than %d cells in a row", c->name, c->line,
                        MAX_CELLS);
    if (c->count == c->capacity) {
        int capacity = c->capacity ? 2 * c->capacity : 16;
        char **cells = at_realloc(c->cell, (size_t)c->capacity * sizeof *cells,
                                  (size_t)capacity * sizeof *cells);
        if (!cells)
            return at_error_memory(err);
        c->cell = cells;
        c->capacity = capacity;
    }
    c->cell[c->count++] = cell;
    return ATTEND_OK;
}

/* Moves a quoted cell to its own beginning, without the quotes; c->next stands behind it. */
static attend_status unquote(at_csv *c, attend_error *err)
{
    char *to = c->next, *from = c->next + 1;
    long line = c->next_line;
    for (; *from; from++) {
        c->next_line += *from == '\n';
        if (*from == '"' && from[1] != '"')
            break;
        from += *from == '"';
        *to++ = *from;
    }
    if (!*from)
        return at_error(err, ATTEND_FORMAT, "%s:%ld: a quote opens here and never closes", c->name,
                        line);
    c->next = from + 1;
    const char *after = c->next + (*c->next == '\r');
    if (*after && *after != '\n' && *c->next != c->separator)
        return at_error(
            err, ATTEND_FORMAT,
            "%s:%ld: text after a closing quote; a quote inside a cell is written twice", c->name,
            c->next_line);
    *to = 0; /* at the latest where the closing quote stood */
    return ATTEND_OK;
}

static void skip_empty_lines(at_csv *c)
{
    for (;;) {
        char *end = c->next + strspn(c->next, " \r");
        if (*end && *end != '\n')
            return;
        c->next_line += *end == '\n';
        c->next = end + (*end == '\n');
        if (!*end)
            return;
    }
}

/* One cell: c->next goes behind it and its separator. False after the last of the row. */
static bool take_cell(at_csv *c, attend_status *status, attend_error *err)
{
    char *cell = c->next, *end;
    if (*cell == '"') {
        *status = unquote(c, err);
        if (*status < 0)
            return false;
        end = NULL;
    } else {
        const char stops[] = {'\n', c->separator, 0};
        end = c->next += strcspn(c->next, stops);
        if (*end != c->separator && end > cell && end[-1] == '\r')
            end--;
    }
    c->next += *c->next == '\r';
    char stop = *c->next;
    c->next_line += stop == '\n';
    c->next += stop != 0;
    if (end)
        *end = 0;
    *status = add_cell(c, cell, err);
    return *status >= 0 && stop == c->separator;
}

/* blanks repeat, and may end a line */
static bool skip_blanks(at_csv *c)
{
    c->next += strspn(c->next, " ");
    if (c->next[0] == '\r' && (c->next[1] == '\n' || !c->next[1]))
        c->next++;
    if (*c->next && *c->next != '\n')
        return true;
    c->next_line += *c->next == '\n';
    c->next += *c->next == '\n';
    return false;
}

bool at_csv_next(at_csv *c, attend_status *status, attend_error *err)
{
    *status = ATTEND_OK;
    skip_empty_lines(c);
    c->line = c->next_line;
    c->count = 0;
    if (!*c->next)
        return false;
    bool blanks = c->separator == ' ';
    while ((!blanks || skip_blanks(c)) && take_cell(c, status, err)) {
    }
    return *status >= 0;
}

attend_status at_csv_number(const at_csv *c, int column, double *value, attend_error *err)
{
    if (column >= c->count)
        return at_error(err, ATTEND_FORMAT, "%s:%ld: column %d is needed, and there %s %d", c->name,
                        c->line, column + 1, c->count == 1 ? "is only" : "are only", c->count);
    const char *text = c->cell[column];
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length && strchr(" \t\r", text[length - 1]))
        length--;
    if (at_number_real(text, length, value))
        return ATTEND_OK;
    if (length == 0)
        return at_error(err, ATTEND_FORMAT, "%s:%ld: column %d is empty; it needs a number",
                        c->name, c->line, column + 1);
    return at_error(err, ATTEND_FORMAT, "%s:%ld: column %d: \"%s\" is not a number%s", c->name,
                    c->line, column + 1, at_show(text).text,
                    strchr(text, ',') ? "; write a decimal point" : "");
}
