/* A numeric axis: its range, and round numbers on it. */
#ifndef ATTEND_DRAW_AXIS_H
#define ATTEND_DRAW_AXIS_H

#include <stdbool.h>
#include <stddef.h>

enum { ATTEND_AXIS_TICKS = 32 };

typedef struct {
    double low, high; /* low < high */
    bool log, whole;  /* logarithmic; ticks at whole numbers alone */
    int count;
    double tick[ATTEND_AXIS_TICKS];
    char label[ATTEND_AXIS_TICKS][24]; /* "0.5", "−20", "10⁶" */
} at_axis;

/* Takes numbers into a range that starts as at_axis_empty. */
extern const at_axis at_axis_empty;
void at_axis_take(at_axis *a, double value);

/* Widens the range by that share of it on each side; one without any length, or with nothing in it,
 * gets some. */
void at_axis_widen(at_axis *a, double share);

/* Chooses at most `most` ticks: 1, 2 or 5 times a power of ten; on a logarithmic axis the powers of
 * ten, with 2 and 5 where they fit. */
void at_axis_mark(at_axis *a, int max);

/* where a number stands, from 0 at low to 1 at high; not finite where it has no place */
double at_axis_position(const at_axis *a, double value);

#endif
