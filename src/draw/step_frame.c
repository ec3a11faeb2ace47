#include "draw/step_frame.h"

#include <math.h>

#include "base/memory.h"

enum { BETWEEN = 6, BAR = 12, NARROWEST = 90 };

/* Tokens as running text from y on; the height that they take. *widest: the longest line. */
static double flow(at_pen *p, int count, const char *const *labels, at_font font, double y,
                   double line, double max_width, at_spot *spot, double *widest)
{
    double x = 0, top = y;
    for (int i = 0; i < count; i++) {
        double width = at_pen_measure(p, at_heat_label(labels, i), font).width
                       + 2 * ATTEND_FRAME_PAD;
        if (x > 0 && x + width > max_width) {
            x = 0;
            top += line;
        }
        spot[i] = (at_spot){x, top + line / 2, width};
        x += width + 1;
        *widest = fmax(*widest, x - 1);
    }
    return top + line - y;
}

bool at_step_frame_new(at_step_frame *f, at_pen *p, const attend_heat_map *m, at_font font,
                       double max_width)
{
    at_font bold = font;
    *f = (at_step_frame){.above = at_alloc(((size_t)m->columns + 1) * sizeof *f->above),
                         .below = at_alloc(((size_t)m->rows + 1) * sizeof *f->below),
                         .width = NARROWEST};
    if (!f->above || !f->below) {
        at_step_frame_free(f);
        return false;
    }
    bold.bold = true;
    f->line = at_pen_measure(p, "0", font).height + 4;
    f->bar = m->column_labels ? 0 : BAR;
    double high = f->bar;
    if (m->column_labels)
        high = flow(p, m->columns, m->column_labels, font, 0, f->line, max_width, f->above,
                    &f->width);
    else
        f->width = fmin(max_width, fmax(NARROWEST, 3.0 * m->columns));
    high += BETWEEN;
    f->height = high
                + flow(p, m->rows, m->row_labels, bold, high, f->line, fmax(max_width, f->width),
                       f->below, &f->width);
    return true;
}

void at_step_frame_free(at_step_frame *f)
{
    at_free(f->above);
    at_free(f->below);
    *f = (at_step_frame){.width = 0};
}

attend_status at_steps_check(const attend_heat_map *m, attend_error *err)
{
    enum { MAX_STEPS = 1024 };
    attend_status status = at_heat_map_check(m, err);
    if (status >= 0 && (!m->row_labels || m->rows > MAX_STEPS || m->columns > 4 * MAX_STEPS))
        return at_error(err, ATTEND_OPTION,
                        "steps: %d rows%s and %d columns; rows must have labels, and be at most %d "
                        "with %d columns",
                        m->rows, m->row_labels ? "" : " without labels", m->columns, (int)MAX_STEPS,
                        4 * MAX_STEPS);
    return status;
}
