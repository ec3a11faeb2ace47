/* A small heat map for each layer, from the top, and each head, from the left, with one scale.
 * Tokens are named at the edges of the grid where cells are large enough for it. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "draw/attention_map.h"
#include "draw/panel.h"

enum { SIDE = 110, CELL = 14, SPACE = 7, NAME = 40, NAMED = 26, IMAGE = 64 };

static const double min_cell = 6.25, of_cell = 0.8, white = 0.003;
static const at_range scale = {0, 1};
static const at_color absent = {0.94, 0.94, 0.94}; /* weights that there are not */
static const at_font grey = {.size = 9, .color = {0.35, 0.35, 0.35}};

typedef struct {
    double cell, wide, high; /* of a map */
    double across, down;     /* from one map to the next: there is room for "layer 0" */
    bool named;              /* tokens have labels */
    at_font font;
} sizes;

static sizes sizes_of(const attend_attention_map *m)
{
    int max = m->queries > m->keys ? m->queries : m->keys;
    sizes s = {
        .cell = fmin(CELL, (double)SIDE / max), .named = max <= NAMED, .font = at_font_label};
    if (s.named)
        s.cell = fmax(s.cell, min_cell);
    s.wide = s.cell * m->keys;
    s.high = s.cell * m->queries;
    s.across = fmax(s.wide, NAME) + SPACE;
    s.down = fmax(s.high, NAME) + SPACE;
    s.font.size = fmin(8, s.cell * of_cell);
    return s;
}

static double widest(at_pen *p, int count, const char *const *labels, at_font font)
{
    double max = 0;
    for (int i = 0; i < count; i++)
        max = fmax(max, at_pen_measure(p, at_heat_label(labels, i), font).width);
    return max;
}

at_box at_grid_measure(at_pen *p, const attend_panel *panel)
{
    const attend_attention_map *m = panel->grid;
    sizes s = sizes_of(m);
    double line = at_pen_measure(p, "0", grey).height;
    at_box b = {.right = 0};
    at_attention_index a;
    if (!at_attention_index_new(&a, m)) {
        p->starved = true;
        return b;
    }
    b.width = a.heads * s.across - SPACE;
    b.height = a.layers * s.down - SPACE;
    b.left = line + ATTEND_GAP;
    b.head = line + ATTEND_GAP;
    if (s.named) {
        b.left += widest(p, m->queries, m->query_labels, s.font) + ATTEND_GAP;
        b.head += widest(p, m->keys, m->key_labels, s.font) + ATTEND_GAP;
    }
    b.right = at_scale_width(p, scale, s.high);
    b.top = b.head + (m->title ? at_line_height(p, m->title, at_font_title) + ATTEND_GAP : 0);
    at_attention_index_free(&a);
    return b;
}

/* ---- drawing -------------------------------------------------------------------------------- */

static at_color color_of(double weight) { return isnan(weight) ? absent : at_color_weight(weight); }

static void draw_cells(at_pen *p, const at_attention_index *a, const sizes *s, int layer, int head,
                       double x, double y)
{
    for (int q = 0; q < a->map->queries; q++)
        for (int k = 0; k < a->map->keys; k++) {
            double w = at_attention_weight(a, layer, head, q, k);
            if (!(w < white))
                at_pen_rectangle(p, x + k * s->cell, y + q * s->cell, s->cell, s->cell,
                                 color_of(w));
        }
}

static void draw_image(at_pen *p, const at_attention_index *a, const sizes *s, int layer, int head,
                       double x, double y)
{
    int rows = a->map->queries, columns = a->map->keys;
    at_color *pixels = at_alloc((size_t)rows * (size_t)columns * sizeof *pixels);
    for (int i = 0; pixels && i < rows * columns; i++)
        pixels[i] = color_of(at_attention_weight(a, layer, head, i / columns, i % columns));
    if (pixels)
        at_pen_image(p, columns, rows, pixels, x, y, s->wide, s->high);
    else
        p->starved = true;
    at_free(pixels);
}

static void draw_names(at_pen *p, const at_attention_index *a, const sizes *s, double x, double y,
                       const at_box *box)
{
    const attend_attention_map *m = a->map;
    char text[24];
    for (int h = 0; h < a->heads; h++) {
        double left = x + h * s->across;
        snprintf(text, sizeof text, "head %d", a->head[h]);
        at_pen_text(p, text, grey, left + s->wide / 2, y - box->head, 0.5, 0, 0);
        for (int k = 0; s->named && k < m->keys; k++)
            at_pen_text(p, at_heat_label(m->key_labels, k), s->font, left + (k + 0.5) * s->cell,
                        y - ATTEND_GAP, 0, 0.5, -90);
    }
    for (int l = 0; l < a->layers; l++) {
        double top = y + l * s->down;
        snprintf(text, sizeof text, "layer %d", a->layer[l]);
        at_pen_text(p, text, grey, x - box->left, top + s->high / 2, 0.5, 0, -90);
        for (int q = 0; s->named && q < m->queries; q++)
            at_pen_text(p, at_heat_label(m->query_labels, q), s->font, x - ATTEND_GAP,
                        top + (q + 0.5) * s->cell, 1, 0.5, 0);
    }
}

void at_grid_draw(at_pen *p, const attend_panel *panel, double x, double y, const at_box *box)
{
    const attend_attention_map *m = panel->grid;
    const at_stroke thin = {.width = 0.5, .color = {0.55, 0.55, 0.55}};
    sizes s = sizes_of(m);
    at_attention_index a;
    bool many = m->queries > IMAGE || m->keys > IMAGE;
    if (!at_attention_index_new(&a, m)) {
        p->starved = true;
        return;
    }
    for (int l = 0; l < a.layers; l++)
        for (int h = 0; h < a.heads; h++) {
            double left = x + h * s.across, top = y + l * s.down;
            (many ? draw_image : draw_cells)(p, &a, &s, l, h, left, top);
            at_pen_frame(p, left, top, s.wide, s.high, thin);
        }
    draw_names(p, &a, &s, x, y, box);
    if (m->title)
        at_pen_text(p, m->title, at_font_title, x, y - box->top, 0, 0, 0);
    at_scale_draw(p, scale, x + box->width, y, s.high);
    at_attention_index_free(&a);
}
