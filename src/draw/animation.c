/* Frames one after the other as an SVG of texts and rectangles, animated by CSS: one class shows a
 * frame for the time of its step, by a delay; each token of the rows stays after its step, in grey,
 * until the last has been shown. Without animation the first frame stands still. */
#include <math.h>
#include <string.h>

#include "base/child.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/str.h"
#include "draw/figure.h"
#include "draw/step_frame.h"

enum { MARGIN = 12, WIDEST = 560 };

static const double step = 0.9, rest = 1.8; /* seconds of a frame, and more of the last */
static const at_font font = {.size = 14, .color = {0.13, 0.13, 0.13}};

typedef struct {
    const attend_heat_map *map;
    at_step_frame frame;
    double seconds;
    at_str out;
} film;

static void add_escaped(at_str *out, const char *text)
{
    for (; *text; text++) {
        const char *mark = *text == '&'   ? "&amp;"
                           : *text == '<' ? "&lt;"
                           : *text == '>' ? "&gt;"
                                          : NULL;
        if (mark)
            at_str_add(out, mark);
        else
            at_str_add_bytes(out, text, 1);
    }
}

static void add_color(at_str *out, at_color c)
{
    at_str_print(out, "#%02x%02x%02x", (int)(c.r * 255 + 0.5), (int)(c.g * 255 + 0.5),
                 (int)(c.b * 255 + 0.5));
}

/* a token in its spot; attributes: more of them, with a space before */
static void add_token(film *f, const char *label, const at_spot *at, const char *attributes)
{
    char clean[ATTEND_LABEL_SIZE];
    at_pen_label(label, clean);
    at_str_print(&f->out, "<text x=\"%.1f\" y=\"%.1f\"%s>", MARGIN + at->x + ATTEND_FRAME_PAD,
                 MARGIN + at->y + 0.35 * font.size, attributes);
    add_escaped(&f->out, clean);
    at_str_add(&f->out, "</text>\n");
}

static void add_style(film *f)
{
    int rows = f->map->rows;
    at_str_print(&f->out,
                 "<style>\n"
                 "text{font:%gpx %s;fill:#222}\n"
                 ".now{font-weight:bold;fill:#d55e00}\n"
                 ".past{fill:#808080}\n"
                 ".frame{opacity:0;animation:frame %.2fs steps(1,end) infinite}\n"
                 "#frame1{opacity:1}\n"
                 "@keyframes frame{0%%{opacity:1}%.4f%%{opacity:0}100%%{opacity:0}}\n",
                 font.size, at_pen_family, f->seconds, 100 * step / f->seconds);
    at_str_print(&f->out,
                 "#frame%d{animation-name:last}\n"
                 "@keyframes last{0%%{opacity:1}%.4f%%{opacity:0}100%%{opacity:0}}\n",
                 rows, 100 * (step + rest) / f->seconds);
    at_str_add(&f->out, "#token1{opacity:0}\n"); /* the first frame has it */
    for (int i = 0; i < rows; i++) {
        double past = i + 1 < rows ? 100 * (i + 1) * step / f->seconds : 100;
        at_str_print(&f->out,
                     "#token%d{animation:token%d %.2fs steps(1,end) infinite}\n"
                     "@keyframes token%d{0%%{opacity:0}%.4f%%{opacity:1}100%%{opacity:1}}\n",
                     i + 1, i + 1, f->seconds, i + 1, past);
    }
    at_str_add(&f->out, "@media (prefers-reduced-motion:reduce){*{animation:none!important}}\n"
                        "</style>\n");
}

/* a column in the colour of its weight */
static void add_cell(film *f, int row, int column)
{
    const attend_heat_map *m = f->map;
    double share = at_heat_share(m, at_heat_range(m), row, column);
    const at_spot *at = &f->frame.above[column];
    double each = f->frame.width / m->columns;
    if (!(share >= 0.02))
        return;
    if (m->column_labels)
        at_str_print(
            &f->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"4\" fill=\"",
            MARGIN + at->x, MARGIN + at->y - f->frame.line / 2 + 0.5, at->width, f->frame.line - 1);
    else
        at_str_print(&f->out, "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%.1f\" fill=\"",
                     MARGIN + column * each, (int)MARGIN, each, f->frame.bar);
    add_color(&f->out, at_color_weight(share));
    at_str_add(&f->out, "\"/>\n");
    if (m->column_labels)
        add_token(f, at_heat_label(m->column_labels, column), at,
                  at_color_on_weight(share).r > 0.5 ? " style=\"fill:#fff\"" : "");
}

static void add_frames(film *f)
{
    const attend_heat_map *m = f->map;
    for (int i = 0; i < m->rows; i++) {
        at_str_print(&f->out,
                     "<g class=\"frame\" id=\"frame%d\" style=\"animation-delay:%.2fs\">\n", i + 1,
                     i * step);
        for (int j = 0; j < m->columns; j++)
            add_cell(f, i, j);
        add_token(f, at_heat_label(m->row_labels, i), &f->frame.below[i], " class=\"now\"");
        at_str_add(&f->out, "</g>\n");
    }
}

static void write_film(film *f)
{
    const attend_heat_map *m = f->map;
    double width = ceil(f->frame.width + 2 * MARGIN), height = ceil(f->frame.height + 2 * MARGIN);
    f->seconds = m->rows * step + rest;
    at_str_print(&f->out,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
                 "viewBox=\"0 0 %g %g\">\n",
                 width, height, width, height);
    add_style(f);
    at_str_print(&f->out, "<rect width=\"%g\" height=\"%g\" fill=\"#fff\"/>\n", width, height);
    if (!m->column_labels)
        at_str_print(&f->out,
                     "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
                     "stroke=\"#808080\" stroke-width=\"0.5\"/>\n",
                     (int)MARGIN, (int)MARGIN, f->frame.width, f->frame.bar);
    for (int j = 0; m->column_labels && j < m->columns; j++)
        add_token(f, at_heat_label(m->column_labels, j), &f->frame.above[j], "");
    for (int i = 0; i < m->rows; i++) {
        at_str_print(&f->out, "<g id=\"token%d\">", i + 1);
        add_token(f, at_heat_label(m->row_labels, i), &f->frame.below[i], " class=\"past\"");
        at_str_add(&f->out, "</g>\n");
    }
    add_frames(f);
    at_str_add(&f->out, "</svg>\n");
}

typedef struct {
    const attend_heat_map *map;
    const char *path;
} saving;

static attend_status store(const film *f, const char *path, attend_error *err)
{
    at_writer *writer;
    if (f->out.failed)
        return at_error_memory(err);
    attend_status status = at_writer_open(&writer, path, err);
    if (status < 0)
        return status;
    at_writer_write(writer, f->out.text, f->out.length);
    return at_writer_commit(writer, err);
}

static attend_status save(void *arg, attend_error *err)
{
    const saving *s = arg;
    at_pen pen;
    film f = {.map = s->map};
    attend_status status = at_pen_open(&pen, err);
    if (status < 0)
        return status;
    status = at_step_frame_new(&f.frame, &pen, s->map, font, WIDEST) ? ATTEND_OK
                                                                     : at_error_memory(err);
    status = at_pen_close(&pen, status, err);
    if (status >= 0) {
        write_film(&f);
        status = store(&f, s->path, err);
    }
    at_str_free(&f.out);
    at_step_frame_free(&f.frame);
    return status;
}

attend_status at_animation_save(const attend_heat_map *map, const char *path, attend_error *err)
{
    saving s = {map, path};
    if (!at_file_ends(path, ".svg"))
        return at_error(err, ATTEND_OPTION, "%s: an animation's name ends in .svg",
                        at_show(path).text);
    attend_status status = at_steps_check(map, err);
    return status < 0 ? status : at_figure_in_child(save, &s, path, err);
}
