/* A chart made of characters: points and curves over one x axis, with ticks and a legend. Curves
 * without a mark are drawn in Braille dots, eight to a character, where the terminal knows them. */
#ifndef ATTEND_CLI_PLOT_H
#define ATTEND_CLI_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

typedef struct {
    const char *name;    /* in the legend */
    const double *x, *y; /* for a curve, x rises */
    size_t count;
    bool points;              /* single marks, not a curve */
    const char *mark, *plain; /* a character in UTF-8 (NULL: dots) and in ASCII */
    int color;                /* of ANSI: 31 to 36, or 0 */
    bool below;               /* drawn first, under the others */
} at_series;

typedef struct {
    int columns, rows; /* of the whole chart; rows without the legend */
    bool utf8, color;
    const char *x_name, *y_name;
} at_plot_style;

/* Earlier series are drawn over later ones; the legend keeps their order. */
void at_plot(at_str *out, const at_series *series, int count, at_plot_style style);

#endif
