/* One frame of a sequence of steps: the columns' tokens as running text, shaded by the weights of a
 * row, and below them the rows' tokens up to this row.
 *
 *      1  the  old [frog] sleeps
 *         la   grenouille
 *
 * Where columns have no labels they are a bar. Frames are drawn beside each other (steps.c) and one
 * after the other (animation.c). */
#ifndef ATTEND_DRAW_STEP_FRAME_H
#define ATTEND_DRAW_STEP_FRAME_H

#include "draw/heat.h"
#include "draw/pen.h"

enum { ATTEND_FRAME_PAD = 4 }; /* around a token in its spot */

typedef struct {
    double x, y, width; /* the left end, and the middle of the line */
} at_spot;

typedef struct {
    double width, height;
    double line;    /* height of a line of tokens */
    at_spot *above; /* [columns] */
    at_spot *below; /* [rows] */
    double bar;     /* height of the bar without labels; or 0 */
} at_step_frame;

/* Lays out the frames of a sound map, all alike, at most max_width wide; false without memory. */
bool at_step_frame_new(at_step_frame *f, at_pen *p, const attend_heat_map *map, at_font font,
                       double max_width);
void at_step_frame_free(at_step_frame *f);

/* Is what the caller describes sound, with labels of the rows? */
attend_status at_steps_check(const attend_heat_map *map, attend_error *err);

#endif
