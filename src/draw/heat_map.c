/* Weights as a heat map. Rows' labels stand at the left, columns' on top,
 * slanted where they are longer than a cell. Without, the axes have numbers. The scale of colours
 * stands at the right. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/memory.h"
#include "draw/axis.h"
#include "draw/heat.h"
#include "draw/panel.h"

enum { CELL = 17, SIDE = 420, PLAIN_SIDE = 215, MANY = 4096 };

static const double slope = 45; /* of column labels, in degrees */

/* ---- sizes -------------------------------------------------------------------------------- */

/* Labels shrink with the cells. Cells of words stay so large that theirs can be read, up to a side
 * of MAX_WORDS; beyond, only every n-th label is shown. */
enum { MAX_WORDS = 240 };
static const double min_font = 5, min_cell = 6.25, of_cell = 0.8;

static at_font label_font(double cell)
{
    at_font font = at_font_label;
    font.size = fmax(min_font, fmin(font.size, cell * of_cell));
    return font;
}

static int every(double cell) { return cell >= min_cell ? 1 : (int)ceil(min_cell / cell); }

static double widest(at_pen *p, const char *const *labels, int count, at_font font)
{
    double max = 0;
    for (int i = 0; i < count; i++)
        max = fmax(max, at_pen_measure(p, at_heat_label(labels, i), font).width);
    return max;
}

/* Cells are squares, and wider where that makes room for numbers or for short labels. */
static void choose_area(at_pen *p, const attend_panel *panel, at_box *b)
{
    const attend_heat_map *m = panel->heat_map;
    double max = fmax(m->rows, m->columns), cell = fmin(CELL, SIDE / max);
    bool words = m->row_labels || m->column_labels || m->digits;
    if (words && max <= MAX_WORDS)
        cell = fmax(cell, min_cell);
    double wide = cell;
    if (m->column_labels && cell == CELL) {
        double longest = widest(p, m->column_labels, m->columns, at_font_label) + 5;
        wide = longest < 1.8 * CELL ? fmax(CELL, longest) : CELL;
    }
    if (m->digits)
        wide = fmax(wide, 11 + 6.2 * (m->digits + 1));
    b->width = wide * m->columns;
    b->height = (m->digits ? CELL : cell) * m->rows;
    if (!words) {
        b->width = PLAIN_SIDE;
        b->height = PLAIN_SIDE * fmax(0.4, fmin(1.4, (double)m->rows / m->columns));
    }
    b->width = panel->width > 0 ? panel->width : b->width;
    b->height = panel->height > 0 ? panel->height : b->height;
}

static bool slanted(at_pen *p, const attend_heat_map *m, double cell)
{
    return widest(p, m->column_labels, m->columns, label_font(cell)) > cell - 2;
}

/* The numbers of the first and the last line stand in the middle of their cells. */
static at_axis numbers(const double given[2], int count, double length, double space)
{
    bool index = given[0] == 0 && given[1] == 0;
    double first = index ? 0 : given[0], last = index ? count - 1 : given[1];
    double half = count > 1 ? (last - first) / (count - 1) / 2 : 0.5;
    at_axis a = {.low = fmin(first, last) - fabs(half),
                 .high = fmax(first, last) + fabs(half),
                 .whole = index};
    if (!(a.low < a.high))
        at_axis_widen(&a, 0);
    at_axis_mark(&a, (int)(length / space));
    return a;
}

static double left_of(at_pen *p, const attend_heat_map *m, const at_box *b)
{
    double wide = 0, title = at_line_height(p, m->row_title, at_font_label);
    if (m->row_labels)
        wide = widest(p, m->row_labels, m->rows, label_font(b->height / m->rows));
    else {
        at_axis a = numbers(m->row_range, m->rows, b->height, 30);
        for (int i = 0; i < a.count; i++)
            wide = fmax(wide, at_pen_measure(p, a.label[i], at_font_label).width);
        wide += ATTEND_TICK;
    }
    return wide + ATTEND_GAP + (title > 0 ? title + 3 : 0);
}

/* Columns: labels on top, or numbers below. Slanted labels lean out over the right edge. */
static void around_columns(at_pen *p, const attend_heat_map *m, at_box *b)
{
    double line = at_pen_measure(p, "0", at_font_label).height, turn = slope * 3.14159265 / 180;
    double title = at_line_height(p, m->column_title, at_font_label);
    if (!m->column_labels) {
        b->bottom = ATTEND_TICK + 1 + line + title;
        return;
    }
    double cell = b->width / m->columns;
    at_font font = label_font(cell);
    b->top = line + 2 + (title > 0 ? title + 2 : 0);
    if (!slanted(p, m, cell))
        return;
    double high = 0;
    for (int i = 0; i < m->columns; i++) {
        at_extent e = at_pen_measure(p, at_heat_label(m->column_labels, i), font);
        double reach = e.width * cos(turn) + e.height / 2 - cell * (m->columns - i - 0.5);
        high = fmax(high, e.width * sin(turn) + e.height * cos(turn) / 2);
        b->right = fmax(b->right, reach);
    }
    b->top = high + ATTEND_GAP + (title > 0 ? title + 2 : 0);
}

at_box at_heat_map_measure(at_pen *p, const attend_panel *panel)
{
    const attend_heat_map *m = panel->heat_map;
    at_box b = {.right = 0};
    choose_area(p, panel, &b);
    b.left = left_of(p, m, &b);
    around_columns(p, m, &b);
    if (!m->hide_scale)
        b.right = fmax(b.right, at_scale_width(p, at_heat_range(m), b.height));
    double title = at_line_height(p, m->title, at_font_title);
    b.head = b.top;
    b.top += title > 0 ? title + ATTEND_GAP : 0;
    return b;
}

/* ---- drawing ------------------------------------------------------------------------------ */

typedef struct {
    at_pen *pen;
    const attend_heat_map *map;
    double x, y, wide, high; /* the corner, and the size of a cell */
    at_range scale;
} area;

/* Each rectangle reaches under the next ones, so that no seams show between them. */
static void draw_cells(const area *a)
{
    const attend_heat_map *m = a->map;
    for (int i = 0; i < m->rows; i++)
        for (int j = 0; j < m->columns; j++) {
            double right = fmin(1.5, m->columns - j), down = fmin(1.5, m->rows - i);
            at_pen_rectangle(a->pen, a->x + j * a->wide, a->y + i * a->high, right * a->wide,
                             down * a->high, at_color_weight(at_heat_share(m, a->scale, i, j)));
        }
}

static void draw_image(const area *a)
{
    const attend_heat_map *m = a->map;
    at_color *pixels = at_alloc((size_t)m->rows * (size_t)m->columns * sizeof *pixels);
    if (!pixels) {
        draw_cells(a);
        return;
    }
    for (int i = 0; i < m->rows; i++)
        for (int j = 0; j < m->columns; j++)
            pixels[(size_t)i * (size_t)m->columns + (size_t)j] = at_color_weight(
                at_heat_share(m, a->scale, i, j));
    at_pen_image(a->pen, m->columns, m->rows, pixels, a->x, a->y, m->columns * a->wide,
                 m->rows * a->high);
    at_free(pixels);
}

/* lines between cells that are large enough to be told apart */
static void draw_grid(const area *a)
{
    const attend_heat_map *m = a->map;
    const at_stroke white = {.width = 0.8, .color = {1, 1, 1}};
    double right = a->x + m->columns * a->wide, bottom = a->y + m->rows * a->high;
    for (int i = 1; i < m->rows; i++)
        at_pen_line(a->pen, a->x, a->y + i * a->high, right, a->y + i * a->high, white);
    for (int j = 1; j < m->columns; j++)
        at_pen_line(a->pen, a->x + j * a->wide, a->y, a->x + j * a->wide, bottom, white);
}

static void draw_inside(const area *a)
{
    const attend_heat_map *m = a->map;
    for (int i = 0; i < m->rows; i++)
        for (int j = 0; j < m->columns; j++) {
            size_t at = (size_t)i * (size_t)m->columns + (size_t)j;
            double s = at_heat_share(m, a->scale, i, j), x = a->x + (j + 0.5) * a->wide;
            double y = a->y + (i + 0.5) * a->high;
            at_font font = {.size = 8, .color = at_color_on_weight(s)};
            char number[40];
            snprintf(number, sizeof number, "%.*f", m->digits, m->weights[at]);
            if (m->digits && isfinite(s))
                at_pen_text(a->pen, number, font, x, y, 0.5, 0.5, 0);
            if (m->marks && m->marks[at])
                at_pen_ring(a->pen, x, y, fmin(a->wide, a->high) * 0.33,
                            (at_stroke){.width = 1.3, .color = at_color_line(2)});
        }
}

static void draw_rows(const area *a, const at_box *b)
{
    const attend_heat_map *m = a->map;
    if (m->row_title)
        at_pen_text(a->pen, m->row_title, at_font_label, a->x - b->left, a->y + b->height / 2, 0.5,
                    0, -90);
    for (int i = 0; m->row_labels && i < m->rows; i += every(a->high))
        at_pen_text(a->pen, at_heat_label(m->row_labels, i), label_font(a->high), a->x - ATTEND_GAP,
                    a->y + (i + 0.5) * a->high, 1, 0.5, 0);
    if (m->row_labels)
        return;
    at_axis axis = numbers(m->row_range, m->rows, b->height, 30);
    for (int i = 0; i < axis.count; i++) {
        double at = at_axis_position(&axis, axis.tick[i]);
        double y = a->y + b->height * (m->row_range[0] > m->row_range[1] ? 1 - at : at);
        at_pen_line(a->pen, a->x - ATTEND_TICK, y, a->x, y, at_stroke_axis);
        at_pen_text(a->pen, axis.label[i], at_font_label, a->x - ATTEND_TICK - 2, y, 1, 0.5, 0);
    }
}

static void draw_column_labels(const area *a, const at_box *b)
{
    const attend_heat_map *m = a->map;
    at_font font = label_font(a->wide);
    bool lean = slanted(a->pen, m, a->wide);
    for (int j = 0; j < m->columns; j += every(a->wide)) {
        double x = a->x + (j + 0.5) * a->wide;
        if (lean)
            at_pen_text(a->pen, at_heat_label(m->column_labels, j), font, x, a->y - ATTEND_GAP, 0,
                        0.5, -slope);
        else
            at_pen_text(a->pen, at_heat_label(m->column_labels, j), font, x, a->y - 2, 0.5, 1, 0);
    }
    if (m->column_title)
        at_pen_text(a->pen, m->column_title, at_font_label, a->x + b->width / 2, a->y - b->head,
                    0.5, 0, 0);
}

static void draw_columns(const area *a, const at_box *b)
{
    const attend_heat_map *m = a->map;
    double bottom = a->y + b->height;
    if (m->column_labels) {
        draw_column_labels(a, b);
        return;
    }
    at_axis axis = numbers(m->column_range, m->columns, b->width, 45);
    for (int i = 0; i < axis.count; i++) {
        double at = at_axis_position(&axis, axis.tick[i]);
        double x = a->x + b->width * (m->column_range[0] > m->column_range[1] ? 1 - at : at);
        at_pen_line(a->pen, x, bottom, x, bottom + ATTEND_TICK, at_stroke_axis);
        at_pen_text(a->pen, axis.label[i], at_font_label, x, bottom + ATTEND_TICK + 1, 0.5, 0, 0);
    }
    if (m->column_title)
        at_pen_text(a->pen, m->column_title, at_font_label, a->x + b->width / 2, bottom + b->bottom,
                    0.5, 1, 0);
}

void at_heat_map_draw(at_pen *p, const attend_panel *panel, double x, double y, const at_box *box)
{
    const attend_heat_map *m = panel->heat_map;
    area a = {.pen = p,
              .map = m,
              .x = x,
              .y = y,
              .wide = box->width / m->columns,
              .high = box->height / m->rows,
              .scale = at_heat_range(m)};
    if ((size_t)m->rows * (size_t)m->columns > MANY)
        draw_image(&a);
    else
        draw_cells(&a);
    if (fmin(a.wide, a.high) >= 8)
        draw_grid(&a);
    draw_inside(&a);
    at_pen_frame(p, x, y, box->width, box->height, at_stroke_axis);
    if (m->title)
        at_pen_text(p, m->title, at_font_title, x, y - box->top, 0, 0, 0);
    draw_rows(&a, box);
    draw_columns(&a, box);
    if (!m->hide_scale)
        at_scale_draw(p, a.scale, x + box->width, y, box->height);
}
