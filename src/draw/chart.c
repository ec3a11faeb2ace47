/* Curves and points over common axes: a light grid, axes at the left and below, and the legend in
 * rows above, where it covers nothing. */
#include <math.h>
#include <stdbool.h>

#include "base/memory.h"
#include "draw/axis.h"
#include "draw/panel.h"

enum { WIDTH = 330, HEIGHT = 215, SAMPLE = 16, BETWEEN = 11, RUN = 512 };

/* ---- what the caller says ----------------------------------------------------------------- */

static bool sound_range(const double range[2], bool log)
{
    if (range[0] == 0 && range[1] == 0)
        return true;
    return isfinite(range[0]) && isfinite(range[1]) && range[0] < range[1] && (!log || range[0] > 0)
           && isfinite(range[1] - range[0]);
}

attend_status at_chart_check(const attend_chart *c, attend_error *err)
{
    if (c->count < 0 || (c->count && !c->series))
        return at_error(err, ATTEND_OPTION, "chart: %d series, and none given", c->count);
    if (!sound_range(c->x_range, c->log_x) || !sound_range(c->y_range, c->log_y))
        return at_error(err, ATTEND_OPTION,
                        "chart: a range rises, and is positive on a logarithmic axis");
    for (int i = 0; i < c->count; i++) {
        const attend_series *s = &c->series[i];
        bool rule = s->style == ATTEND_SERIES_RULE;
        if (s->style < ATTEND_SERIES_LINE || s->style > ATTEND_SERIES_RULE)
            return at_error(err, ATTEND_OPTION, "chart: series %d has the unknown style %d", i + 1,
                            (int)s->style);
        if (s->count && (!s->x || (!s->y && !rule)))
            return at_error(err, ATTEND_OPTION, "chart: series %d has %zu points, and no numbers",
                            i + 1, s->count);
    }
    return ATTEND_OK;
}

static int color_of(const attend_chart *c, int series)
{
    int next = 0;
    for (int i = 0; i <= series; i++)
        next += c->series[i].color == 0;
    return c->series[series].color ? c->series[series].color : next;
}

static bool has_line(const attend_series *s)
{
    return s->style != ATTEND_SERIES_POINTS && s->style != ATTEND_SERIES_RULE;
}

static bool has_points(const attend_series *s)
{
    return s->style == ATTEND_SERIES_POINTS || s->style == ATTEND_SERIES_BOTH;
}

/* ---- axes --------------------------------------------------------------------------------- */

typedef struct {
    at_axis x, y;
} axes;

static void take_series(axes *a, const attend_series *s)
{
    for (size_t i = 0; i < s->count; i++) {
        bool rule = s->style == ATTEND_SERIES_RULE;
        if (!rule && !isfinite(s->y[i]))
            continue;
        at_axis_take(&a->x, s->x[i]);
        if (!rule)
            at_axis_take(&a->y, s->y[i]);
    }
}

static void finish(at_axis *axis, const double range[2], double space, int max)
{
    if (range[0] < range[1]) {
        axis->low = range[0];
        axis->high = range[1];
    } else
        at_axis_widen(axis, space);
    at_axis_mark(axis, max);
}

static axes make_axes(const attend_chart *c, double width, double height)
{
    axes a = {at_axis_empty, at_axis_empty};
    a.x.log = c->log_x;
    a.y.log = c->log_y;
    for (int i = 0; i < c->count; i++)
        take_series(&a, &c->series[i]);
    finish(&a.x, c->x_range, 0.02, (int)(width / 45));
    finish(&a.y, c->y_range, 0.04, (int)(height / 30));
    return a;
}

static double widest_label(at_pen *p, const at_axis *a)
{
    double widest = 0;
    for (int i = 0; i < a->count; i++)
        widest = fmax(widest, at_pen_measure(p, a->label[i], at_font_label).width);
    return widest;
}

/* ---- legend ------------------------------------------------------------------------------- */

static double sample_width(const attend_series *s) { return has_line(s) ? SAMPLE : SAMPLE / 2; }

typedef void placed(at_pen *p, const attend_chart *c, int series, double x, double y);

/* Walks over the entries in rows of that width, calling at each if it is not NULL; returns the
 * height of all. */
static double legend(at_pen *p, const attend_chart *c, double left, double top, double width,
                     placed *at)
{
    double x = 0, y = 0, line = at_pen_measure(p, "x", at_font_label).height + 1;
    bool any = false;
    for (int i = 0; i < c->count; i++) {
        if (!c->series[i].name)
            continue;
        double wide = sample_width(&c->series[i]) + ATTEND_GAP
                      + at_pen_measure(p, c->series[i].name, at_font_label).width;
        if (x > 0 && x + wide > width) {
            x = 0;
            y += line;
        }
        if (at)
            at(p, c, i, left + x, top + y + line / 2);
        x += wide + BETWEEN;
        any = true;
    }
    return any ? y + line + 2 : 0;
}

static at_stroke stroke_of(const attend_series *s, int color)
{
    at_stroke line = {.width = 1.6, .color = at_color_line(color)};
    line.dash = s->style == ATTEND_SERIES_DASHED ? 4.5 : s->style == ATTEND_SERIES_DOTTED ? 1.8 : 0;
    if (s->style == ATTEND_SERIES_RULE)
        line.width = 1, line.dash = 2.5;
    return line;
}

static void draw_entry(at_pen *p, const attend_chart *c, int i, double x, double y)
{
    const attend_series *s = &c->series[i];
    at_stroke stroke = stroke_of(s, color_of(c, i));
    double wide = sample_width(s), middle = x + wide / 2;
    if (has_line(s))
        at_pen_line(p, x, y, x + wide, y, stroke);
    if (s->style == ATTEND_SERIES_RULE)
        at_pen_line(p, middle, y - 5, middle, y + 5, stroke);
    if (has_points(s))
        at_pen_disc(p, middle, y, 2.2, stroke.color, has_line(s) ? 1 : 0.75, false);
    at_pen_text(p, s->name, at_font_label, x + wide + ATTEND_GAP, y, 0, 0.5, 0);
}

/* ---- the panel ---------------------------------------------------------------------------- */

at_box at_chart_measure(at_pen *p, const attend_panel *panel)
{
    const attend_chart *c = panel->chart;
    at_box b = {.width = panel->width > 0 ? panel->width : WIDTH,
                .height = panel->height > 0 ? panel->height : HEIGHT};
    axes a = make_axes(c, b.width, b.height);
    double line = at_pen_measure(p, "0", at_font_label).height;
    double title = at_line_height(p, c->title, at_font_title);
    b.left = ATTEND_TICK + ATTEND_GAP + widest_label(p, &a.y);
    b.left += c->y_title ? 3 + at_line_height(p, c->y_title, at_font_label) : 0;
    b.bottom = ATTEND_TICK + 1 + line + at_line_height(p, c->x_title, at_font_label);
    b.head = legend(p, c, 0, 0, b.width, NULL);
    b.top = b.head + (title > 0 ? title + ATTEND_GAP : line / 2);
    b.right = widest_label(p, &a.x) / 2;
    return b;
}

typedef struct {
    at_pen *pen;
    axes axes;
    double x, y, width, height;
} area;

static double position_x(const area *a, double value)
{
    return a->x + a->width * at_axis_position(&a->axes.x, value);
}

static double position_y(const area *a, double value)
{
    return a->y + a->height * (1 - at_axis_position(&a->axes.y, value));
}

static void draw_axes(const area *a)
{
    const at_stroke grid = {.width = 0.6, .color = PALE};
    double bottom = a->y + a->height;
    for (int i = 0; i < a->axes.x.count; i++) {
        double x = position_x(a, a->axes.x.tick[i]);
        at_pen_line(a->pen, x, a->y, x, bottom, grid);
        at_pen_line(a->pen, x, bottom, x, bottom + ATTEND_TICK, at_stroke_axis);
        at_pen_text(a->pen, a->axes.x.label[i], at_font_label, x, bottom + ATTEND_TICK + 1, 0.5, 0,
                    0);
    }
    for (int i = 0; i < a->axes.y.count; i++) {
        double y = position_y(a, a->axes.y.tick[i]);
        at_pen_line(a->pen, a->x, y, a->x + a->width, y, grid);
        at_pen_line(a->pen, a->x - ATTEND_TICK, y, a->x, y, at_stroke_axis);
        at_pen_text(a->pen, a->axes.y.label[i], at_font_label, a->x - ATTEND_TICK - 2, y, 1, 0.5,
                    0);
    }
    at_pen_path(a->pen, 3, (double[]){a->x, a->y, a->x, bottom, a->x + a->width, bottom},
                at_stroke_axis);
}

/* The line in runs of bounded length, each starting where the one before ended; a number that has
 * no place ends a run. */
static void draw_line(const area *a, const attend_series *s, at_stroke stroke)
{
    double run[2 * RUN];
    int n = 0;
    for (size_t i = 0; i < s->count; i++) {
        double x = position_x(a, s->x[i]), y = position_y(a, s->y[i]);
        bool shown = isfinite(x) && isfinite(y);
        if (shown) {
            run[2 * n] = fmax(-1e5, fmin(1e5, x));
            run[2 * n++ + 1] = fmax(-1e5, fmin(1e5, y));
        }
        if (n > 1 && (!shown || n == RUN || i + 1 == s->count))
            at_pen_path(a->pen, n, run, stroke);
        if (!shown)
            n = 0;
        else if (n == RUN) {
            run[0] = run[2 * RUN - 2];
            run[1] = run[2 * RUN - 1];
            n = 1;
        }
    }
}

static void draw_points(const area *a, const attend_series *s, at_color color)
{
    double radius = s->count > 2000 ? 1 : s->count > 400 ? 1.6 : 2.2;
    bool alone = s->style == ATTEND_SERIES_POINTS;
    for (size_t i = 0; i < s->count; i++) {
        double x = position_x(a, s->x[i]), y = position_y(a, s->y[i]);
        if (isfinite(x) && isfinite(y) && fabs(x) < 1e5 && fabs(y) < 1e5)
            at_pen_disc(a->pen, x, y, radius, color, alone ? 0.75 : 1, s->count <= 2000);
    }
}

static void draw_series(const area *a, const attend_series *s, int color)
{
    at_stroke stroke = stroke_of(s, color);
    if (has_line(s))
        draw_line(a, s, stroke);
    if (has_points(s))
        draw_points(a, s, stroke.color);
    for (size_t i = 0; s->style == ATTEND_SERIES_RULE && i < s->count; i++) {
        double x = position_x(a, s->x[i]);
        if (isfinite(x))
            at_pen_line(a->pen, x, a->y, x, a->y + a->height, stroke);
    }
}

void at_chart_draw(at_pen *p, const attend_panel *panel, double x, double y, const at_box *box)
{
    const attend_chart *c = panel->chart;
    area a = {.pen = p,
              .axes = make_axes(c, box->width, box->height),
              .x = x,
              .y = y,
              .width = box->width,
              .height = box->height};
    if (c->title)
        at_pen_text(p, c->title, at_font_title, x, y - box->top, 0, 0, 0);
    legend(p, c, x, y - box->head, a.width, draw_entry);
    draw_axes(&a);
    at_pen_clip(p, x, y - 3, a.width + 3, a.height + 3);
    for (int i = 0; i < c->count; i++)
        draw_series(&a, &c->series[i], color_of(c, i));
    at_pen_unclip(p);
    if (c->x_title)
        at_pen_text(p, c->x_title, at_font_label, x + a.width / 2, y + a.height + box->bottom, 0.5,
                    1, 0);
    if (c->y_title)
        at_pen_text(p, c->y_title, at_font_label, x - box->left, y + a.height / 2, 0.5, 0, -90);
}
