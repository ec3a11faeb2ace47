/* A small table, written for people, for Markdown or as JSON.
 *
 *     static const at_column columns[] = {{"name"}, {"bytes", ATTEND_COLUMN_NUMBER}, {0}};
 *     at_table t = {.columns = columns};
 *     at_table_cell(&t, "%s", name);           // row by row
 *     at_table_cell(&t, "%zu", bytes);
 *     at_table_write(&out, &t, ATTEND_TABLE_TEXT, 80);
 *     at_table_free(&t);
 */
#ifndef ATTEND_CLI_TABLE_H
#define ATTEND_CLI_TABLE_H

#include "base/str.h"

typedef enum {
    ATTEND_COLUMN_TEXT,
    ATTEND_COLUMN_CODE,   /* text, set as code in Markdown */
    ATTEND_COLUMN_NUMBER, /* right aligned; a JSON number */
    ATTEND_COLUMN_VALUE,  /* any JSON value, as "[2, 3]" */
} at_column_kind;

typedef struct {
    const char *title; /* NULL ends the columns; also the key in JSON */
    at_column_kind kind;
} at_column;

typedef struct {
    const at_column *columns;
    at_str cells; /* each ended by a zero byte */
    int count;
} at_table;

typedef enum { ATTEND_TABLE_TEXT, ATTEND_TABLE_MARKDOWN, ATTEND_TABLE_JSON } at_table_format;

void at_table_cell(at_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* right: the columns of the terminal, at which text is wrapped. JSON is an array of objects. */
void at_table_write(at_str *out, const at_table *t, at_table_format format, int right);
/* A line of a name and its value, which begins at column left and is wrapped at column right. */
void at_table_pair(at_str *out, const char *name, const char *value, int left, int right);

void at_table_free(at_table *t);

#endif
