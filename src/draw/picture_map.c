/* A picture once for each row of the weights, white where the row does not attend, and the row's
 * label below it. */
#include <math.h>

#include "base/memory.h"
#include "draw/panel.h"

enum { PAGE = 720, SIDE = 130, BETWEEN = 10, MAX_PIXELS = 512, MAX_ROWS = 256 };

attend_status at_picture_map_check(const attend_picture_map *m, attend_error *err)
{
    const attend_heat_map *w = m->weights;
    const attend_picture *p = m->picture;
    attend_status status = w ? at_heat_map_check(w, err)
                             : at_error(err, ATTEND_OPTION, "picture: it has no weights");
    if (status < 0)
        return status;
    if (!p || !p->rgb || p->width < 1 || p->height < 1)
        return at_error(err, ATTEND_OPTION, "picture: there are no pixels under the weights");
    if (!w->row_labels || w->rows > MAX_ROWS)
        return at_error(err, ATTEND_OPTION,
                        "picture: %d rows%s; they must have labels, and be at most %d", w->rows,
                        w->row_labels ? "" : " without labels", (int)MAX_ROWS);
    if (m->rows < 1 || m->columns < 1 || (long long)m->rows * m->columns != w->columns)
        return at_error(err, ATTEND_OPTION,
                        "picture: a grid of %dx%d has %lld patches, and the source %d; --grid "
                        "COLUMNSxROWS must be that of the patches",
                        m->columns, m->rows, (long long)m->rows * m->columns, w->columns);
    return ATTEND_OK;
}

/* how copies are put on a page */
typedef struct {
    double wide, high, line;
    int across, down;
} tiles;

static tiles tiles_of(at_pen *p, const attend_picture_map *m)
{
    double ratio = (double)m->picture->height / m->picture->width;
    tiles t = {.wide = fmin(SIDE, SIDE / ratio), .high = fmin(SIDE, SIDE * ratio)};
    t.line = at_pen_measure(p, "0", at_font_label).height + ATTEND_GAP;
    t.across = (int)((PAGE + BETWEEN) / (t.wide + BETWEEN));
    t.across = t.across < 1 ? 1 : t.across > m->weights->rows ? m->weights->rows : t.across;
    t.down = (m->weights->rows + t.across - 1) / t.across;
    return t;
}

at_box at_picture_map_measure(at_pen *p, const attend_panel *panel)
{
    const attend_heat_map *w = panel->picture->weights;
    tiles t = tiles_of(p, panel->picture);
    return (at_box){.width = t.across * (t.wide + BETWEEN) - BETWEEN,
                    .height = t.down * (t.high + t.line + BETWEEN) - BETWEEN,
                    .top = w->title ? at_line_height(p, w->title, at_font_title) + ATTEND_GAP : 0};
}

/* the mean of a pixel and white, by the weight of its patch in the row */
static at_color shade(const unsigned char *rgb, double share)
{
    double s = 0.12 + 0.88 * (share > 0 ? share : 0);
    return (at_color){1 + s * (rgb[0] / 255.0 - 1), 1 + s * (rgb[1] / 255.0 - 1),
                      1 + s * (rgb[2] / 255.0 - 1)};
}

static void draw_copy(at_pen *p, const attend_picture_map *m, int row, double x, double y, tiles t)
{
    const attend_picture *from = m->picture;
    const attend_heat_map *w = m->weights;
    int wide = from->width < MAX_PIXELS ? from->width : MAX_PIXELS,
        high = from->height < MAX_PIXELS ? from->height : MAX_PIXELS;
    double most = 0;
    for (int i = 0; i < w->columns; i++)
        most = fmax(most, w->weights[row * w->columns + i]);
    at_color *pixels = at_alloc((size_t)wide * (size_t)high * sizeof *pixels);
    if (!pixels) {
        p->starved = true;
        return;
    }
    for (int i = 0; i < high; i++)
        for (int k = 0; k < wide; k++) {
            size_t at = (size_t)((long long)i * from->height / high) * (size_t)from->width
                        + (size_t)((long long)k * from->width / wide);
            int patch = i * m->rows / high * m->columns + k * m->columns / wide;
            double weight = w->weights[row * w->columns + patch];
            pixels[i * wide + k] = shade(from->rgb + 3 * at, most > 0 ? weight / most : 0);
        }
    at_pen_image(p, wide, high, pixels, x, y, t.wide, t.high);
    at_pen_frame(p, x, y, t.wide, t.high, (at_stroke){.width = 0.6, .color = {0.7, 0.7, 0.7}});
    at_free(pixels);
}

void at_picture_map_draw(at_pen *p, const attend_panel *panel, double x, double y,
                         const at_box *box)
{
    const attend_heat_map *w = panel->picture->weights;
    tiles t = tiles_of(p, panel->picture);
    if (w->title)
        at_pen_text(p, w->title, at_font_title, x, y - box->top, 0, 0, 0);
    for (int i = 0; i < w->rows; i++) {
        double left = x + i % t.across * (t.wide + BETWEEN),
               top = y + i / t.across * (t.high + t.line + BETWEEN);
        draw_copy(p, panel->picture, i, left, top, t);
        at_pen_text(p, at_heat_label(w->row_labels, i), at_font_label, left + t.wide / 2,
                    top + t.high + t.line / 2 + 1, 0.5, 0.5, 0);
    }
}
