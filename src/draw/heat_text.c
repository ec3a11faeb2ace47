/* The heat map of terminals. A cell is two characters wide, about a square:
 *
 *             ┌ il
 *             │ ┌ fait
 *             │ │ ┌ froid
 *          it ██░░·
 *         was · ▓▓·
 *        cold · ░░██
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "draw/axis.h"
#include "draw/color.h"
#include "draw/figure.h"
#include "draw/heat.h"

enum { NARROWEST = 30, WIDEST = 400, MAX_LABEL = 20, LABEL_WIDTH = 10, MAX_ROWS = 24 };

typedef struct {
    const attend_heat_map *map;
    attend_text_style style;
    at_range scale;
    int margin;        /* columns that row labels take */
    int rows, columns; /* of cells: as many as there are weights, or fewer, which share them */
    int wide;          /* characters of a cell */
} view;

/* ---- pieces of text ----------------------------------------------------------------------- */

/* text in at most `most` columns, without what would steer a terminal; returns its columns */
static int add_cut(at_str *out, const char *text, int max, bool utf8)
{
    at_str safe = {0};
    at_str_add_safe(&safe, text);
    const char *p = at_str_text(&safe);
    bool cut = at_str_columns(p) > max;
    int used = 0;
    for (size_t left = strlen(p); left;) {
        uint32_t code;
        int bytes = at_utf8_get(p, left, &code), n = bytes ? bytes : 1;
        int columns = at_utf8_columns(code);
        if (used + columns > max - cut)
            break;
        at_str_add_bytes(out, bytes && (utf8 || code < 128) ? p : "?",
                         bytes && (utf8 || code < 128) ? (size_t)bytes : 1);
        used += utf8 ? columns : 1;
        p += n;
        left -= (size_t)n;
    }
    if (cut && max > 0) {
        at_str_add(out, utf8 ? "…" : "~");
        used++;
    }
    out->failed |= safe.failed;
    at_str_free(&safe);
    return used;
}

/* text of at most `width` columns, with blanks before it */
static void add_right(at_str *out, const char *text, int width, bool utf8)
{
    at_str part = {0};
    int used = add_cut(&part, text, width, utf8);
    at_str_repeat(out, " ", width - used);
    at_str_add(out, at_str_text(&part));
    out->failed |= part.failed;
    at_str_free(&part);
}

static void add_title(at_str *out, const view *v, const char *text)
{
    if (!text)
        return;
    add_cut(out, text, v->style.columns, v->style.utf8);
    at_str_add(out, "\n");
}

/* ---- cells -------------------------------------------------------------------------------- */

enum { SHADES = 5 };
static const double min[SHADES] = {-INFINITY, 0.06, 0.3, 0.55, 0.8};
static const char *const blocks[SHADES] = {"·", "░", "▒", "▓", "█"};
static const char *const letters[SHADES] = {".", ":", "+", "*", "#"};

static int shade(double share)
{
    int i = SHADES - 1;
    while (share < min[i])
        i--;
    return i;
}

/* the largest weight of the cell's share of the map, and whether one of them is marked */
static double cell_share(const view *v, int row, int column, bool *marked)
{
    const attend_heat_map *m = v->map;
    double max = NAN;
    int to_row = (int)((long)(row + 1) * m->rows / v->rows);
    int to_column = (int)((long)(column + 1) * m->columns / v->columns);
    *marked = false;
    for (int i = (int)((long)row * m->rows / v->rows); i < to_row; i++)
        for (int j = (int)((long)column * m->columns / v->columns); j < to_column; j++) {
            max = fmax(max, at_heat_share(m, v->scale, i, j));
            *marked |= m->marks && m->marks[(size_t)i * (size_t)m->columns + (size_t)j];
        }
    return max;
}

static void add_cell(at_str *out, const view *v, int row, int column)
{
    bool marked, utf8 = v->style.utf8;
    double share = cell_share(v, row, column, &marked);
    bool blank = !isfinite(share);
    int s = blank ? 0 : shade(share);
    const char *glyph = blank || v->style.color ? " " : utf8 ? blocks[s] : letters[s];
    if (v->style.color && !blank) {
        at_color on = at_color_on_weight(share);
        at_str_print(out, "\x1b[48;5;%d;38;5;%dm", at_color_terminal(at_color_weight(share)),
                     at_color_terminal(on));
    }
    if (v->wide > 1)
        at_str_add(out, glyph);
    const char *second = s == 0 && v->wide > 1 ? " " : glyph;
    at_str_add(out, marked ? (utf8 ? "◆" : "o") : second);
    if (v->style.color && !blank)
        at_str_add(out, "\x1b[0m");
}

/* ---- rows and columns --------------------------------------------------------------------- */

static at_axis numbers(const double given[2], int count, int max)
{
    bool index = given[0] == 0 && given[1] == 0;
    double first = index ? 0 : given[0], last = index ? count - 1 : given[1];
    at_axis a = {.low = fmin(first, last), .high = fmax(first, last), .whole = index};
    if (!(a.low < a.high))
        at_axis_widen(&a, 0);
    at_axis_mark(&a, max);
    return a;
}

/* the number that belongs beside a row of cells, or "" */
static const char *row_number(const view *v, const at_axis *a, int row)
{
    bool falls = v->map->row_range[0] > v->map->row_range[1];
    for (int i = 0; i < a->count; i++) {
        double at = at_axis_position(a, a->tick[i]) * (v->rows - 1);
        if ((int)(at + 0.5) == (falls ? v->rows - 1 - row : row))
            return a->label[i];
    }
    return "";
}

static void add_rows(at_str *out, const view *v, int from, int to)
{
    at_axis a = numbers(v->map->row_range, v->map->rows, v->rows / 3);
    for (int i = 0; i < v->rows; i++) {
        const char *label = v->map->row_labels ? at_heat_label(v->map->row_labels, i)
                                               : row_number(v, &a, i);
        add_right(out, label, v->margin, v->style.utf8);
        at_str_add(out, " ");
        for (int j = from; j < to; j++)
            add_cell(out, v, i, j);
        while (out->length && out->text[out->length - 1] == ' ')
            out->text[--out->length] = 0;
        at_str_add(out, "\n");
    }
}

static void add_column_labels(at_str *out, const view *v, int from, int to)
{
    bool utf8 = v->style.utf8;
    for (int i = from; i < to; i++) {
        at_str_repeat(out, " ", v->margin + 1);
        for (int j = from; j < i; j++)
            at_str_add(out, utf8 ? "│ " : "| ");
        at_str_add(out, utf8 ? "┌ " : ", ");
        add_cut(out, at_heat_label(v->map->column_labels, i),
                v->style.columns - v->margin - 3 - 2 * (i - from), utf8);
        at_str_add(out, "\n");
    }
}

static void add_column_numbers(at_str *out, const view *v)
{
    int length = v->columns * v->wide, used = 0;
    bool falls = v->map->column_range[0] > v->map->column_range[1];
    at_axis a = numbers(v->map->column_range, v->map->columns, length / 12);
    at_str_repeat(out, " ", v->margin + 1);
    for (int k = 0; k < a.count; k++) {
        int i = falls ? a.count - 1 - k : k;
        double position = at_axis_position(&a, a.tick[i]);
        int at = (int)((falls ? 1 - position : position) * (length - v->wide) + 0.5);
        int columns = at_str_columns(a.label[i]), start = at - (columns - 1) / 2;
        if (start < used + (used > 0) || start + columns > v->style.columns - v->margin - 1)
            continue;
        at_str_repeat(out, " ", start - used);
        add_cut(out, a.label[i], columns, v->style.utf8);
        used = start + columns;
    }
    at_str_add(out, "\n");
    if (v->map->column_title) {
        at_str_repeat(out, " ", v->margin + 1);
        add_cut(out, v->map->column_title, v->style.columns - v->margin - 1, v->style.utf8);
        at_str_add(out, "\n");
    }
}

/* ---- the whole ---------------------------------------------------------------------------- */

static int margin_of(const view *v)
{
    int max = 4;
    for (int i = 0; v->map->row_labels && i < v->map->rows; i++) {
        int columns = at_str_columns(at_heat_label(v->map->row_labels, i));
        max = columns > max ? columns : max;
    }
    at_axis a = numbers(v->map->row_range, v->map->rows, 8);
    for (int i = 0; !v->map->row_labels && i < a.count; i++) {
        int columns = at_str_columns(a.label[i]);
        max = columns > max ? columns : max;
    }
    int width = v->style.columns / 3;
    width = width < MAX_LABEL ? width : MAX_LABEL;
    return max < width ? max : width;
}

/* what the shades stand for: each, in rows, or the colours from end to end */
static void add_scale(at_str *out, const view *v)
{
    const char *const *glyph = v->style.utf8 ? blocks : letters;
    int used = 0;
    at_str_repeat(out, " ", v->margin + 1);
    for (int i = 0; i < SHADES && !v->style.color; i++) {
        char piece[64];
        snprintf(piece, sizeof piece, "%s%s %.2g", glyph[i], i ? glyph[i] : "",
                 v->scale.low + (v->scale.high - v->scale.low) * fmax(0, min[i]));
        int columns = at_str_columns(piece);
        if (used && v->margin + 1 + used + 2 + columns > v->style.columns) {
            at_str_add(out, "\n");
            at_str_repeat(out, " ", v->margin + 1);
            used = 0;
        }
        at_str_print(out, "%s%s", used ? "  " : "", piece);
        used += columns + (used ? 2 : 0);
    }
    if (v->style.color)
        at_str_print(out, "%.2g ", v->scale.low);
    for (int i = 0; i < 12 && v->style.color; i++)
        at_str_print(out, "\x1b[48;5;%dm ", at_color_terminal(at_color_weight((i + 0.5) / 12)));
    if (v->style.color)
        at_str_print(out, "\x1b[0m %.2g", v->scale.high);
    at_str_add(out, "\n");
}

static void add_note(at_str *out, const view *v)
{
    const attend_heat_map *m = v->map;
    char note[100];
    if (v->rows == m->rows && v->columns == m->columns)
        return;
    snprintf(note, sizeof note, "%d by %d weights; a cell shows the largest of its share", m->rows,
             m->columns);
    at_str_repeat(out, " ", v->margin + 1);
    at_str_wrap(out, note, v->margin + 1, v->margin + 1, v->style.columns);
    at_str_add(out, "\n");
}

/* how many labelled columns stand side by side, with room for the label of the last */
static int band(const view *v)
{
    int width = (v->style.columns - v->margin - 1 - LABEL_WIDTH) / 2;
    return width < 1 ? 1 : width;
}

static view look(const attend_heat_map *m, attend_text_style style)
{
    view v = {.map = m, .style = style, .scale = at_heat_range(m), .wide = 2};
    v.style.columns = style.columns <= 0          ? 80
                      : style.columns < NARROWEST ? NARROWEST
                      : style.columns > WIDEST    ? WIDEST
                                                  : style.columns;
    v.margin = margin_of(&v);
    int width = v.style.columns - v.margin - 1;
    v.rows = m->row_labels || m->rows < MAX_ROWS ? m->rows : MAX_ROWS;
    v.columns = m->columns;
    if (m->column_labels)
        return v;
    v.wide = 2 * m->columns <= width ? 2 : 1;
    v.columns = m->columns < width ? m->columns : width;
    return v;
}

attend_status at_heat_map_text(at_str *out, const attend_heat_map *map, attend_text_style style,
                               attend_error *err)
{
    attend_status status = at_heat_map_check(map, err);
    if (status < 0)
        return status;
    view v = look(map, style);
    add_title(out, &v, map->title);
    if (map->column_labels)
        add_title(out, &v, map->column_title);
    int step = map->column_labels ? band(&v) : v.columns;
    for (int from = 0; from < v.columns; from += step) {
        int to = from + step < v.columns ? from + step : v.columns;
        if (from)
            at_str_add(out, "\n");
        if (map->column_labels)
            add_column_labels(out, &v, from, to);
        add_rows(out, &v, from, to);
    }
    if (!map->column_labels)
        add_column_numbers(out, &v);
    if (!map->hide_scale)
        add_scale(out, &v);
    add_note(out, &v);
    return out->failed ? at_error_memory(err) : ATTEND_OK;
}
