/* A strip of frames, one for each row of the weights, in reading order. */
#include <math.h>
#include <stdio.h>

#include "draw/panel.h"
#include "draw/step_frame.h"

enum { PAGE = 960, WIDEST = 440, INSIDE = 7, BETWEEN = 8, NUMBER = 16 };

static const at_color past = {0.5, 0.5, 0.5};

/* how frames are put on a page */
typedef struct {
    at_step_frame frame;
    int across, down;
    double wide, high; /* of a frame with its border and number */
} strip;

static bool make(strip *s, at_pen *p, const attend_heat_map *m)
{
    if (!at_step_frame_new(&s->frame, p, m, at_font_label, WIDEST))
        return false;
    s->wide = s->frame.width + 2 * INSIDE + NUMBER;
    s->high = s->frame.height + 2 * INSIDE;
    s->across = (int)((PAGE + BETWEEN) / (s->wide + BETWEEN));
    s->across = s->across < 1 ? 1 : s->across > m->rows ? m->rows : s->across;
    s->down = (m->rows + s->across - 1) / s->across;
    return true;
}

at_box at_steps_measure(at_pen *p, const attend_panel *panel)
{
    const attend_heat_map *m = panel->steps;
    at_box b = {.right = 0};
    strip s;
    if (!make(&s, p, m)) {
        p->starved = true;
        return b;
    }
    b.width = s.across * (s.wide + BETWEEN) - BETWEEN;
    b.height = s.down * (s.high + BETWEEN) - BETWEEN;
    b.top = m->title ? at_line_height(p, m->title, at_font_title) + ATTEND_GAP : 0;
    if (!m->hide_scale)
        b.right = at_scale_width(p, at_heat_range(m), fmax(s.high, 50));
    at_step_frame_free(&s.frame);
    return b;
}

static void draw_columns(at_pen *p, const attend_heat_map *m, const strip *s, int row, double x,
                         double y)
{
    at_range range = at_heat_range(m);
    at_font font = at_font_label;
    for (int j = 0; j < m->columns; j++) {
        double share = at_heat_share(m, range, row, j);
        const at_spot *at = &s->frame.above[j];
        if (!m->column_labels) {
            double each = s->frame.width / m->columns;
            at_pen_rectangle(p, x + j * each, y, each * fmin(1.5, m->columns - j), s->frame.bar,
                             at_color_weight(share));
            continue;
        }
        if (share >= 0.02)
            at_pen_round(p, x + at->x, y + at->y - s->frame.line / 2 + 0.5, at->width,
                         s->frame.line - 1, 3, at_color_weight(share));
        font.color = share >= 0.02 ? at_color_on_weight(share) : INK;
        at_pen_text(p, m->column_labels[j] ? m->column_labels[j] : "", font,
                    x + at->x + ATTEND_FRAME_PAD, y + at->y, 0, 0.5, 0);
    }
    if (!m->column_labels)
        at_pen_frame(p, x, y, s->frame.width, s->frame.bar,
                     (at_stroke){.width = 0.5, .color = past});
}

static void draw_frame(at_pen *p, const attend_heat_map *m, const strip *s, int row, double x,
                       double y)
{
    const at_stroke border = {.width = 0.6, .color = {0.8, 0.8, 0.8}};
    at_font font = at_font_label, number = {.size = 7, .color = past};
    double left = x + INSIDE + NUMBER, top = y + INSIDE;
    char text[16];
    at_pen_frame(p, x, y, s->wide, s->high, border);
    snprintf(text, sizeof text, "%d", row + 1);
    at_pen_text(p, text, number, x + INSIDE, top + s->frame.line / 2, 0, 0.5, 0);
    draw_columns(p, m, s, row, left, top);
    for (int i = 0; i <= row; i++) {
        const at_spot *at = &s->frame.below[i];
        font.bold = i == row;
        font.color = i == row ? at_color_line(2) : past;
        at_pen_text(p, at_heat_label(m->row_labels, i), font, left + at->x + ATTEND_FRAME_PAD,
                    top + at->y, 0, 0.5, 0);
    }
}

void at_steps_draw(at_pen *p, const attend_panel *panel, double x, double y, const at_box *box)
{
    const attend_heat_map *m = panel->steps;
    strip s;
    if (!make(&s, p, m)) {
        p->starved = true;
        return;
    }
    if (m->title)
        at_pen_text(p, m->title, at_font_title, x, y - box->top, 0, 0, 0);
    for (int i = 0; i < m->rows; i++)
        draw_frame(p, m, &s, i, x + i % s.across * (s.wide + BETWEEN),
                   y + i / s.across * (s.high + BETWEEN));
    if (!m->hide_scale)
        at_scale_draw(p, at_heat_range(m), x + box->width, y, fmax(s.high, 50));
    at_step_frame_free(&s.frame);
}
