/* Points from a table in a text file: chosen columns of x, and one of y. */
#ifndef ATTEND_CLI_POINTS_H
#define ATTEND_CLI_POINTS_H

#include <stddef.h>

#include "base/error.h"

enum { ATTEND_POINTS_COLUMNS = 16, ATTEND_POINTS_NAME = 64 };

typedef struct {
    size_t rows, capacity;
    int columns;                                            /* of x */
    int x_column[ATTEND_POINTS_COLUMNS];                    /* where they stand in the file */
    char x_name[ATTEND_POINTS_COLUMNS][ATTEND_POINTS_NAME]; /* as in the header, or "x" */
    char y_name[ATTEND_POINTS_NAME];
    double *x, *y; /* rows times columns, and rows (NULL where no y was asked for) */
} at_point_table;

/* Reads a file ("-": standard input).
 *
 * x         "1", "temperature", "1,2": numbers or names of columns
 * y         the same of one column
 *
 * The first row is a header when none of its cells is a number. */
attend_status at_point_table_read(at_point_table *p, const char *path, const char *x, const char *y,
                                  attend_error *err);

/* Takes a name, as much of it as there is room for; NULL leaves what was there. */
void at_point_table_name(char out[ATTEND_POINTS_NAME], const char *name);

/* Reads the x of points to predict: the columns that have the names of `like`, else the first
 * ones, or those at the same places where there are more. */
attend_status at_point_table_read_like(at_point_table *p, const char *path,
                                       const at_point_table *like, attend_error *err);

/* "1.5,2": points of one column */
attend_status at_point_table_parse(at_point_table *p, const char *text, attend_error *err);
void at_point_table_free(at_point_table *p);

#endif
