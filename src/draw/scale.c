/* The scale of colours at the right of weights. */
#include <math.h>

#include "draw/axis.h"
#include "draw/panel.h"

enum { WIDTH = 8, SPACE = 10, SHADES = 64 };

/* two marks at least: one alone tells nothing */
static at_axis axis_of(at_range r, double height)
{
    enum { ENOUGH = 6 };
    at_axis a;
    int max = (int)(height / 30);
    do {
        a = (at_axis){.low = r.low, .high = r.high};
        at_axis_mark(&a, max++);
    } while (a.count < 2 && max < ENOUGH);
    return a;
}

double at_scale_width(at_pen *p, at_range range, double height)
{
    at_axis a = axis_of(range, height);
    double wide = 0;
    for (int i = 0; i < a.count; i++)
        wide = fmax(wide, at_pen_measure(p, a.label[i], at_font_label).width);
    return SPACE + WIDTH + ATTEND_TICK + 2 + wide;
}

void at_scale_draw(at_pen *p, at_range range, double x, double y, double height)
{
    double left = x + SPACE, right = left + WIDTH, step = height / SHADES;
    at_axis axis = axis_of(range, height);
    for (int i = 0; i < SHADES; i++)
        at_pen_rectangle(p, left, y + i * step, WIDTH, fmin(1.5, SHADES - i) * step,
                         at_color_weight(1 - (i + 0.5) / SHADES));
    at_pen_frame(p, left, y, WIDTH, height, at_stroke_axis);
    for (int i = 0; i < axis.count; i++) {
        double at = y + height * (1 - at_axis_position(&axis, axis.tick[i]));
        at_pen_line(p, right, at, right + ATTEND_TICK, at, at_stroke_axis);
        at_pen_text(p, axis.label[i], at_font_label, right + ATTEND_TICK + 2, at, 0, 0.5, 0);
    }
}
