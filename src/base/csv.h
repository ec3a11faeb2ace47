/* Tables in text files: comma, semicolon, tab or blanks between the cells, whichever the first line
 * has; quotes as in RFC 4180. Only \n ends a row (a \r before it goes), empty lines are skipped.
 *
 * Written by hand since libcsv does not say on which line a cell stands, and messages must.
 *
 *     at_csv c;
 *     attend_status status = at_csv_open(&c, "points.csv", err);
 *     while (status >= 0 && at_csv_next(&c, &status, err))
 *         use(c.line, c.count, c.cell[0]);
 *     at_csv_close(&c);
 */
#ifndef ATTEND_BASE_CSV_H
#define ATTEND_BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct {
    long line;         /* where this row starts */
    int count;         /* its cells */
    char **cell;       /* borrowed until the next row */
    char separator;    /* ' ' for blanks */
    const char *name;  /* of the file, for messages */
    char *text, *next; /* the file, and what is left of it */
    long next_line;
    int capacity;
} at_csv;

/* path "-" is standard input. At most 1 GiB, without zero bytes. */
attend_status at_csv_open(at_csv *c, const char *path, attend_error *err);
void at_csv_close(at_csv *c); /* also after a failed open */

/* The same from memory: text of that size and a zero behind it, which now belongs to c; name stands
 * for it in messages. */
attend_status at_csv_start(at_csv *c, const char *name, char *text, size_t size, attend_error *err);

/* The next row; false at the end, and with a negative status where the file is wrong. */
bool at_csv_next(at_csv *c, attend_status *status, attend_error *err);

/* A number in a cell, blanks around it allowed; an error names file, line and column. */
attend_status at_csv_number(const at_csv *c, int column, double *value, attend_error *err);

#endif
