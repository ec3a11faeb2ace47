/* A panel of a figure: an area inside its axes, and what stands around it. */
#ifndef ATTEND_DRAW_PANEL_H
#define ATTEND_DRAW_PANEL_H

#include "draw/heat.h"
#include "draw/pen.h"

typedef struct {
    double width, height;            /* of the area */
    double left, right, top, bottom; /* around it */
    double head;                     /* the part of top below the title */
} at_box;

/* Is what the caller describes sound? Then nothing below fails. For heat maps see heat.h. */
attend_status at_picture_map_check(const attend_picture_map *map, attend_error *err);
attend_status at_chart_check(const attend_chart *chart, attend_error *err);

/* the room that a panel takes */
typedef at_box at_panel_measure(at_pen *p, const attend_panel *panel);
at_panel_measure at_heat_map_measure, at_chart_measure, at_heads_measure, at_grid_measure,
    at_steps_measure, at_picture_map_measure;

/* (x, y): the top left corner of the area */
typedef void at_panel_draw(at_pen *p, const attend_panel *panel, double x, double y,
                           const at_box *box);
at_panel_draw at_heat_map_draw, at_chart_draw, at_heads_draw, at_grid_draw, at_steps_draw,
    at_picture_map_draw;

/* The scale of colours, from x on: its width, and itself. */
double at_scale_width(at_pen *p, at_range range, double height);
void at_scale_draw(at_pen *p, at_range range, double x, double y, double height);

/* ---- the look they share ---- */

#define INK ((at_color){0.13, 0.13, 0.13})
#define PALE ((at_color){0.90, 0.90, 0.90})

static const at_font at_font_label = {.size = 9, .color = {0.13, 0.13, 0.13}};
static const at_font at_font_title = {.size = 10, .bold = true, .color = {0.13, 0.13, 0.13}};
static const at_stroke at_stroke_axis = {.width = 0.7, .color = {0.13, 0.13, 0.13}};

enum { ATTEND_TICK = 3, ATTEND_GAP = 4 }; /* length of a tick; between things side by side */

/* height of a line of text, or 0 for NULL */
static inline double at_line_height(at_pen *p, const char *text, at_font font)
{
    return text ? at_pen_measure(p, text, font).height : 0;
}

#endif
