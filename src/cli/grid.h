/* "8x6": columns and rows of patches. */
#ifndef ATTEND_CLI_GRID_H
#define ATTEND_CLI_GRID_H

#include "base/error.h"

typedef struct {
    int columns, rows;
} at_grid;

attend_status at_grid_read(const char *text, at_grid *grid, attend_error *err);

#endif
