#include "cli/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDEST = 120, HIGHEST = 40, MARGIN = 8, LONGEST_NAME = 40 };

typedef struct {
    const char *mark; /* or NULL */
    unsigned char dots, color;
} cell;

typedef struct {
    at_plot_style style;
    int width, height; /* of the area inside the axes */
    double x0, x1, y0, y1;
    cell cells[HIGHEST][WIDEST];
} chart;

/* ---- the area --------------------------------------------------------------------------- */

static void find_range(const at_series *series, int count, chart *c)
{
    c->x0 = c->y0 = INFINITY;
    c->x1 = c->y1 = -INFINITY;
    for (int i = 0; i < count; i++)
        for (size_t j = 0; j < series[i].count; j++) {
            c->x0 = fmin(c->x0, series[i].x[j]);
            c->x1 = fmax(c->x1, series[i].x[j]);
            c->y0 = fmin(c->y0, series[i].y[j]);
            c->y1 = fmax(c->y1, series[i].y[j]);
        }
    if (!(c->x0 < c->x1)) {
        c->x0 -= 0.5;
        c->x1 += 0.5;
    }
    double space = c->y0 < c->y1 ? 0.03 * (c->y1 - c->y0) : 0.5;
    c->y0 -= space;
    c->y1 += space;
}

static int limit(int value, int end) { return value < 0 ? 0 : value < end ? value : end - 1; }

/* the place of a number on an axis cut into n */
static int place(double value, double from, double to, int n)
{
    return limit((int)floor((value - from) / (to - from) * n), n);
}

static void draw_points(chart *c, const at_series *s, const char *mark)
{
    for (size_t i = 0; i < s->count; i++) {
        int column = place(s->x[i], c->x0, c->x1, c->width);
        int row = c->height - 1 - place(s->y[i], c->y0, c->y1, c->height);
        c->cells[row][column] = (cell){.mark = mark, .color = (unsigned char)s->color};
    }
}

/* y of the curve at x, between two of its points */
static double value_at(const at_series *s, double x, size_t *hint)
{
    while (*hint + 2 < s->count && s->x[*hint + 1] < x)
        ++*hint;
    size_t i = *hint;
    double share = (x - s->x[i]) / (s->x[i + 1] - s->x[i]);
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return s->y[i] + share * (s->y[i + 1] - s->y[i]);
}

static void draw_marks(chart *c, const at_series *s, const char *mark)
{
    size_t hint = 0;
    for (int i = 0; i < c->width; i++) {
        double x = c->x0 + (i + 0.5) / c->width * (c->x1 - c->x0);
        int row = c->height - 1 - place(value_at(s, x, &hint), c->y0, c->y1, c->height);
        c->cells[row][i] = (cell){.mark = mark, .color = (unsigned char)s->color};
    }
}

/* Braille patterns number their dots 1-3, 7 down the left and 4-6, 8 down the right. */
static void draw_dot(chart *c, int column, int row, int color)
{
    static const unsigned char bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    cell *at = &c->cells[row / 4][column / 2];
    unsigned char dots = at->mark ? 0 : at->dots;
    *at = (cell){.dots = dots | bit[row % 4][column % 2], .color = (unsigned char)color};
}

/* neighbouring dots are joined by a vertical stroke where the curve is steep */
static void draw_dots(chart *c, const at_series *s)
{
    size_t hint = 0;
    int rows = 4 * c->height, before = -1;
    for (int i = 0; i < 2 * c->width; i++) {
        double x = c->x0 + (i + 0.5) / (2 * c->width) * (c->x1 - c->x0);
        int row = rows - 1 - place(value_at(s, x, &hint), c->y0, c->y1, rows);
        int from = before < 0 ? row : before;
        from += from < row ? 1 : from > row ? -1 : 0;
        for (int r = from; r != row; r += from < row ? 1 : -1)
            draw_dot(c, i, r, s->color);
        draw_dot(c, i, row, s->color);
        before = row;
    }
}

static void draw(chart *c, const at_series *s)
{
    const char *mark = c->style.utf8 ? s->mark : s->plain;
    if (s->points)
        draw_points(c, s, mark);
    else if (s->count > 1 && mark)
        draw_marks(c, s, mark);
    else if (s->count > 1)
        draw_dots(c, s);
}

/* ---- the axes --------------------------------------------------------------------------- */

/* a step of 1, 2 or 5 times a power of ten that gives at most `most` ticks */
static double tick_step(double from, double to, int most)
{
    double raw = (to - from) / most, power = pow(10, floor(log10(raw)));
    double digit = raw / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

static void tick_text(char *text, size_t size, double value, double step)
{
    int digits = step >= 1 ? 0 : (int)ceil(-log10(step) - 1e-9);
    value = fabs(value) < step / 2 ? 0 : value;
    if (fabs(value) >= 1e6 || digits > 4)
        snprintf(text, size, "%.3g", value);
    else
        snprintf(text, size, "%.*f", digits, value);
}

/* the number that belongs beside a row, or an empty text */
static void row_label(const chart *c, int row, double step, char *text, size_t size)
{
    double low = c->y0 + (c->height - 1 - row) * (c->y1 - c->y0) / c->height;
    double high = low + (c->y1 - c->y0) / c->height;
    double tick = ceil(low / step) * step;
    *text = 0;
    if (tick < high)
        tick_text(text, size, tick, step);
}

/* *color: the one in force */
static void write_cell(at_str *out, const chart *c, const cell *at, int *color)
{
    int wanted = c->style.color && (at->mark || at->dots) ? at->color : *color;
    if (wanted != *color)
        at_str_print(out, "\x1b[%dm", wanted);
    *color = wanted;
    if (at->mark)
        at_str_add(out, at->mark);
    else if (at->dots) /* U+2800 and the dots */
        at_str_print(out, "\xE2%c%c", 0xA0 | at->dots >> 6, 0x80 | (at->dots & 0x3F));
    else
        at_str_add(out, " ");
}

static void end_color(at_str *out, int *color)
{
    if (*color)
        at_str_add(out, "\x1b[0m");
    *color = 0;
}

static void write_rows(at_str *out, const chart *c)
{
    char label[32];
    double step = tick_step(c->y0, c->y1, c->height / 3);
    for (int row = 0; row < c->height; row++) {
        row_label(c, row, step, label, sizeof label);
        at_str_pad(out, label, -(MARGIN - 2));
        at_str_add(out, c->style.utf8 ? (*label ? " ┤" : " │") : (*label ? " +" : " |"));
        int end = c->width, color = 0;
        while (end > 0 && !c->cells[row][end - 1].mark && !c->cells[row][end - 1].dots)
            end--;
        for (int i = 0; i < end; i++)
            write_cell(out, c, &c->cells[row][i], &color);
        end_color(out, &color);
        at_str_add(out, "\n");
    }
}

static void write_x_axis(at_str *out, const chart *c)
{
    at_str line = {0}, labels = {0};
    double step = tick_step(c->x0, c->x1, c->width / 10);
    double tick = ceil(c->x0 / step) * step;
    at_str_repeat(&line, " ", MARGIN - 1);
    at_str_add(&line, c->style.utf8 ? "└" : "+");
    at_str_repeat(&labels, " ", MARGIN);
    for (int i = 0; i < c->width; i++) {
        bool here = tick <= c->x1 && place(tick, c->x0, c->x1, c->width) == i;
        at_str_add(&line, c->style.utf8 ? (here ? "┬" : "─") : (here ? "+" : "-"));
        if (!here)
            continue;
        char text[32];
        tick_text(text, sizeof text, tick, step);
        int start = MARGIN + i - (int)strlen(text) / 2, used = at_str_columns(at_str_text(&labels));
        if (start > used || used == MARGIN) {
            at_str_repeat(&labels, " ", start - used);
            at_str_add(&labels, text);
        }
        tick += step;
    }
    const char *name = c->style.x_name ? c->style.x_name : "";
    int space = MARGIN + c->width - at_str_columns(at_str_text(&labels)) - at_str_columns(name);
    at_str_add(&labels, space < 2 ? "\n" : "");
    at_str_repeat(&labels, " ", space < 2 ? MARGIN : space);
    at_str_print(out, "%s\n%s%s\n", at_str_text(&line), at_str_text(&labels), name);
    out->failed |= line.failed || labels.failed;
    at_str_free(&line);
    at_str_free(&labels);
}

static void write_legend(at_str *out, const chart *c, const at_series *series, int count)
{
    int column = MARGIN;
    at_str_repeat(out, " ", MARGIN);
    for (int i = 0; i < count; i++) {
        const at_series *s = &series[i];
        const char *mark = c->style.utf8 ? s->mark : s->plain;
        int width = 2 + at_str_columns(s->name);
        if (i && column + 3 + width > c->style.columns) {
            at_str_add(out, "\n");
            at_str_repeat(out, " ", MARGIN);
            column = MARGIN;
        } else if (i) {
            at_str_add(out, "   ");
            column += 3;
        }
        cell sample = {.mark = mark ? mark : "⠒", .color = (unsigned char)s->color};
        int color = 0;
        write_cell(out, c, &sample, &color);
        end_color(out, &color);
        at_str_print(out, " %s", s->name);
        column += width;
    }
    at_str_add(out, "\n");
}

void at_plot(at_str *out, const at_series *series, int count, at_plot_style style)
{
    chart c = {.style = style,
               .width = limit(style.columns - MARGIN, WIDEST + 1),
               .height = limit(style.rows - 2, HIGHEST + 1)};
    find_range(series, count, &c);
    if (c.width < 10 || c.height < 3 || !isfinite(c.x1 - c.x0) || !isfinite(c.y1 - c.y0))
        return;
    for (int i = count; i-- > 0;)
        if (series[i].below)
            draw(&c, &series[i]);
    for (int i = count; i-- > 0;)
        if (!series[i].below)
            draw(&c, &series[i]);
    if (style.y_name)
        at_str_print(out, "%*s%.*s\n", MARGIN - 1, "", LONGEST_NAME, style.y_name);
    write_rows(out, &c);
    write_x_axis(out, &c);
    write_legend(out, &c, series, count);
}
