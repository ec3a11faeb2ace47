/* What a heat map says, for both ways of drawing it. */
#ifndef ATTEND_DRAW_HEAT_H
#define ATTEND_DRAW_HEAT_H

#include "base/error.h"

typedef struct {
    double low, high; /* low < high */
} at_range;

/* Is what the caller describes sound? */
attend_status at_heat_map_check(const attend_heat_map *map, attend_error *err);

/* the ends of the scale: as given, or 0 and the largest weight */
at_range at_heat_range(const attend_heat_map *map);

/* where a weight stands on the scale: 0 at its low end, 1 at its high one; NaN for a blank cell */
double at_heat_share(const attend_heat_map *map, at_range scale, int row, int column);

static inline const char *at_heat_label(const char *const *labels, int i)
{
    return labels[i] ? labels[i] : "";
}

#endif
