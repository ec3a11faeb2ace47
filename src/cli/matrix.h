/* Numbers in rows and columns under labels, for people.
 *
 *     weights    il   fait  froid
 *     it       0.81   0.12   0.07
 *     was         –   0.64   0.36
 *
 * Columns that do not fit side by side continue below. */
#ifndef ATTEND_CLI_MATRIX_H
#define ATTEND_CLI_MATRIX_H

#include <stdbool.h>

#include "base/str.h"

typedef struct {
    const char *title;
    size_t rows, columns;
    size_t stride;         /* from one row of numbers to the next */
    const double *numbers; /* one that is not finite is shown as – */
    const char *const *row_labels, *const *column_labels;
    int decimals;      /* 0: as many as the largest number leaves room for */
    const bool *marks; /* rows times columns: numbers with a * after them; or NULL */
} at_matrix_table;

void at_matrix_table_write(at_str *out, const at_matrix_table *m, int right, bool utf8);

#endif
