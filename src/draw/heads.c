/* The head view: tokens that attend at the left, tokens that are attended to at the right, and a
 * curve for each weight, in the colour of its head and as opaque as the weight is large. */
#include <math.h>
#include <stdio.h>

#include "draw/attention_map.h"
#include "draw/panel.h"

enum { ROW = 16, SIDE = 720, NARROW = 120, WIDE = 260, SQUARE = 8, BETWEEN = 10, PAD = 6 };

static const double min_row = 8, of_row = 0.72;
static const double faint = 0.02; /* a weight below it cannot be seen */

static double row_of(const attend_attention_map *m)
{
    return fmax(min_row, fmin(ROW, SIDE / fmax(m->queries, m->keys)));
}

static at_font font_of(const attend_attention_map *m)
{
    at_font font = at_font_label;
    font.size = fmin(10, row_of(m) * of_row);
    return font;
}

static double widest(at_pen *p, const char *title, int count, const char *const *labels,
                     at_font font)
{
    double max = title ? at_pen_measure(p, title, at_font_label).width : 0;
    for (int i = 0; i < count; i++)
        max = fmax(max, at_pen_measure(p, at_heat_label(labels, i), font).width);
    return max;
}

/* ---- the legend ----------------------------------------------------------------------------- */

typedef struct {
    char text[24];
} name;

static name name_of(int head)
{
    name n;
    snprintf(n.text, sizeof n.text, "head %d", head);
    return n;
}

/* Lines of squares and names from (x, y) on; draws them if asked. The height that they take. */
static double legend(at_pen *p, const at_attention_index *a, double x, double y, double width,
                     bool draws)
{
    double line = at_pen_measure(p, "0", at_font_label).height + 2, left = 0, top = 0;
    if (a->heads < 2)
        return 0;
    for (int h = 0; h < a->heads; h++) {
        name n = name_of(a->head[h]);
        double each = SQUARE + 3 + at_pen_measure(p, n.text, at_font_label).width;
        if (left > 0 && left + each > width) {
            left = 0;
            top += line;
        }
        if (draws) {
            at_pen_round(p, x + left, y + top + (line - SQUARE) / 2, SQUARE, SQUARE, 2,
                         at_color_head(h));
            at_pen_text(p, n.text, at_font_label, x + left + SQUARE + 3, y + top + line / 2, 0, 0.5,
                        0);
        }
        left += each + BETWEEN;
    }
    return top + line;
}

/* ---- the panel ------------------------------------------------------------------------------ */

at_box at_heads_measure(at_pen *p, const attend_panel *panel)
{
    const attend_attention_map *m = panel->heads;
    at_font font = font_of(m);
    at_box b = {.height = row_of(m) * fmax(m->queries, m->keys)};
    at_attention_index a;
    b.width = fmax(NARROW, fmin(WIDE, 0.5 * b.height));
    b.left = widest(p, m->query_title, m->queries, m->query_labels, font) + PAD;
    b.right = widest(p, m->key_title, m->keys, m->key_labels, font) + PAD;
    if (at_attention_index_new(&a, m)) {
        double legends = legend(p, &a, 0, 0, b.left + b.width + b.right, false);
        b.bottom = legends > 0 ? legends + PAD : 0;
        at_attention_index_free(&a);
    } else
        p->starved = true;
    double line = at_pen_measure(p, "0", at_font_label).height;
    b.head = m->query_title || m->key_title ? line + ATTEND_GAP : 0;
    b.top = b.head + (m->title ? at_line_height(p, m->title, at_font_title) + ATTEND_GAP : 0);
    return b;
}

typedef struct {
    double x, y, row; /* of the first token's middle, and from one to the next */
} column;

/* The shorter column is stretched, but not by much, and stands in the middle of the longer one. */
static column column_of(const attend_attention_map *m, int count, double x, double y)
{
    double height = row_of(m) * fmax(m->queries, m->keys);
    double row = fmin(height / count, 1.6 * row_of(m));
    return (column){x, y + (height - row * count + row) / 2, row};
}

static void draw_head(at_pen *p, const at_attention_index *a, int head, column from, column to)
{
    double band = row_of(a->map) * 0.5, each = band / a->heads; /* heads side by side */
    double aside = a->heads > 1 ? (head + 0.5) * each - band / 2 : 0;
    at_stroke stroke = {.width = fmax(0.9, fmin(1.6, each)), .color = at_color_head(head)};
    from.y += aside;
    to.y += aside;
    for (int q = 0; q < a->map->queries; q++)
        for (int k = 0; k < a->map->keys; k++) {
            double w = at_attention_over_layers(a, head, q, k);
            if (w >= faint)
                at_pen_curve(p, from.x, from.y + q * from.row, to.x, to.y + k * to.row, stroke,
                             fmin(w, 1));
        }
}

static void draw_tokens(at_pen *p, const attend_attention_map *m, column queries, column keys)
{
    at_font font = font_of(m);
    for (int q = 0; q < m->queries; q++)
        at_pen_text(p, at_heat_label(m->query_labels, q), font, queries.x - PAD,
                    queries.y + q * queries.row, 1, 0.5, 0);
    for (int k = 0; k < m->keys; k++)
        at_pen_text(p, at_heat_label(m->key_labels, k), font, keys.x + PAD, keys.y + k * keys.row,
                    0, 0.5, 0);
}

void at_heads_draw(at_pen *p, const attend_panel *panel, double x, double y, const at_box *box)
{
    const attend_attention_map *m = panel->heads;
    const at_font grey = {.size = 9, .color = {0.45, 0.45, 0.45}};
    column queries = column_of(m, m->queries, x, y);
    column keys = column_of(m, m->keys, x + box->width, y);
    at_attention_index a;
    if (m->title)
        at_pen_text(p, m->title, at_font_title, x - box->left, y - box->top, 0, 0, 0);
    if (m->query_title)
        at_pen_text(p, m->query_title, grey, queries.x - PAD, y - box->head, 1, 0, 0);
    if (m->key_title)
        at_pen_text(p, m->key_title, grey, keys.x + PAD, y - box->head, 0, 0, 0);
    draw_tokens(p, m, queries, keys);
    if (!at_attention_index_new(&a, m)) {
        p->starved = true;
        return;
    }
    for (int h = 0; h < a.heads; h++)
        draw_head(p, &a, h, queries, keys);
    legend(p, &a, x - box->left, y + box->height + PAD, box->left + box->width + box->right, true);
    at_attention_index_free(&a);
}
