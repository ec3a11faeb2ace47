/* Fonts are drawn without hinting, and placed without rounding: then text has one size on the
 * screen, in print and before the page exists, and the settings of a desktop do not change a
 * figure. */
#include "draw/pen.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

enum { MAX_LENGTH = (ATTEND_LABEL_SIZE - 8) / 4 };

const char at_pen_family[] = "DejaVu Sans, WenQuanYi Micro Hei, Noto Sans CJK SC, sans-serif";

/* ---- the page ----------------------------------------------------------------------------- */

attend_status at_pen_open(at_pen *p, attend_error *err)
{
    *p = (at_pen){.c = at_cairo_load(err)};
    if (!p->c)
        return ATTEND_FILE;
    p->fonts = p->c->pango_cairo.font_map_new();
    p->context = p->c->pango.font_map_create_context(p->fonts);
    cairo_font_options_t *plain = p->c->cairo.font_options_create();
    p->c->cairo.font_options_set_antialias(plain, CAIRO_ANTIALIAS_GRAY);
    p->c->cairo.font_options_set_hint_style(plain, CAIRO_HINT_STYLE_NONE);
    p->c->cairo.font_options_set_hint_metrics(plain, CAIRO_HINT_METRICS_OFF);
    p->c->pango_cairo.context_set_font_options(p->context, plain);
    p->c->pango_cairo.context_set_resolution(p->context, 72);
    p->c->pango.context_set_round_glyph_positions(p->context, FALSE);
    p->c->cairo.font_options_destroy(plain);
    return ATTEND_OK;
}

static cairo_status_t write_bytes(void *writer, const unsigned char *data, unsigned int size)
{
    return at_writer_write(writer, data, size) < 0 ? CAIRO_STATUS_WRITE_ERROR
                                                   : CAIRO_STATUS_SUCCESS;
}

void at_pen_page(at_pen *p, at_writer *writer, at_page page, double width, double height,
                 double scale)
{
    p->writer = writer;
    p->page = page;
    if (page == ATTEND_PAGE_SVG)
        p->surface = p->c->cairo.svg_surface_create_for_stream(write_bytes, writer, width, height);
    else if (page == ATTEND_PAGE_PDF)
        p->surface = p->c->cairo.pdf_surface_create_for_stream(write_bytes, writer, width, height);
    else
        p->surface = p->c->cairo.image_surface_create(
            CAIRO_FORMAT_RGB24, (int)(width * scale + 0.5), (int)(height * scale + 0.5));
    p->cr = p->c->cairo.create(p->surface);
    if (page == ATTEND_PAGE_PNG)
        p->c->cairo.scale(p->cr, scale, scale);
    at_pen_rectangle(p, 0, 0, width, height, (at_color){1, 1, 1});
}

static attend_status failed(at_pen *p, cairo_status_t status, attend_error *err)
{
    if (status == CAIRO_STATUS_SUCCESS || status == CAIRO_STATUS_WRITE_ERROR)
        return ATTEND_OK; /* the writer knows better why */
    if (status == CAIRO_STATUS_NO_MEMORY)
        return at_error_memory(err);
    return at_error(err, ATTEND_FILE, "figure: cairo says: %s",
                    p->c->cairo.status_to_string(status));
}

attend_status at_pen_close(at_pen *p, attend_status status, attend_error *err)
{
    if (!p->c)
        return status;
    if (p->cr) {
        cairo_status_t drawn = p->c->cairo.status(p->cr);
        p->c->cairo.destroy(p->cr);
        if (drawn == CAIRO_STATUS_SUCCESS && p->page == ATTEND_PAGE_PNG)
            drawn = p->c->cairo.surface_write_to_png_stream(p->surface, write_bytes, p->writer);
        p->c->cairo.surface_finish(p->surface);
        if (drawn == CAIRO_STATUS_SUCCESS)
            drawn = p->c->cairo.surface_status(p->surface);
        p->c->cairo.surface_destroy(p->surface);
        status = status < 0 ? status : failed(p, drawn, err);
    }
    p->c->gobject.object_unref(p->context);
    p->c->gobject.object_unref(p->fonts);
    return status >= 0 && p->starved ? at_error_memory(err) : status;
}

/* ---- text --------------------------------------------------------------------------------- */

void at_pen_label(const char *text, char out[ATTEND_LABEL_SIZE])
{
    size_t left = strlen(text), used = 0;
    int count = 0;
    for (; left && count < MAX_LENGTH; count++) {
        uint32_t code;
        int length = at_utf8_get(text, left, &code);
        if (code < 32 || (code >= 127 && code < 160) || code == 0x2028 || code == 0x2029)
            code = ' ';
        used += (size_t)at_utf8_put(out + used, code);
        text += length ? length : 1;
        left -= (size_t)(length ? length : 1);
    }
    strcpy(out + used, left ? "…" : "");
}

static PangoLayout *lay_out(at_pen *p, const char *text, at_font font)
{
    char label[ATTEND_LABEL_SIZE];
    at_pen_label(text, label);
    PangoFontDescription *description = p->c->pango.font_description_from_string(at_pen_family);
    p->c->pango.font_description_set_absolute_size(description, font.size * PANGO_SCALE);
    p->c->pango.font_description_set_weight(description,
                                            font.bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
    PangoLayout *layout = p->c->pango.layout_new(p->context);
    p->c->pango.layout_set_font_description(layout, description);
    p->c->pango.layout_set_text(layout, label, -1);
    p->c->pango.font_description_free(description);
    return layout;
}

static at_extent extent(at_pen *p, PangoLayout *layout)
{
    PangoRectangle r;
    p->c->pango.layout_get_extents(layout, NULL, &r);
    return (at_extent){(double)r.width / PANGO_SCALE, (double)r.height / PANGO_SCALE};
}

at_extent at_pen_measure(at_pen *p, const char *text, at_font font)
{
    PangoLayout *layout = lay_out(p, text, font);
    at_extent e = extent(p, layout);
    p->c->gobject.object_unref(layout);
    return e;
}

static void set_color(at_pen *p, at_color c, double share)
{
    p->c->cairo.set_source_rgba(p->cr, c.r, c.g, c.b, share);
}

void at_pen_text(at_pen *p, const char *text, at_font font, double x, double y, double across,
                 double down, double angle)
{
    PangoLayout *layout = lay_out(p, text, font);
    at_extent e = extent(p, layout);
    p->unknown += p->c->pango.layout_get_unknown_glyphs_count(layout);
    p->c->cairo.save(p->cr);
    p->c->cairo.translate(p->cr, x, y);
    p->c->cairo.rotate(p->cr, angle * 3.14159265358979 / 180);
    p->c->cairo.translate(p->cr, -across * e.width, -down * e.height);
    set_color(p, font.color, 1);
    p->c->cairo.new_path(p->cr);
    p->c->cairo.move_to(p->cr, 0, 0);
    p->c->pango_cairo.update_layout(p->cr, layout);
    p->c->pango_cairo.show_layout(p->cr, layout);
    p->c->cairo.new_path(p->cr);
    p->c->cairo.restore(p->cr);
    p->c->gobject.object_unref(layout);
}

/* ---- lines and areas ---------------------------------------------------------------------- */

static void stroke_path(at_pen *p, at_stroke s)
{
    double dash[2] = {s.dash, s.dash};
    set_color(p, s.color, 1);
    p->c->cairo.set_line_width(p->cr, s.width);
    p->c->cairo.set_dash(p->cr, dash, s.dash > 0 ? 2 : 0, 0);
    p->c->cairo.stroke(p->cr);
}

void at_pen_rectangle(at_pen *p, double x, double y, double width, double height, at_color color)
{
    set_color(p, color, 1);
    p->c->cairo.rectangle(p->cr, x, y, width, height);
    p->c->cairo.fill(p->cr);
}

void at_pen_frame(at_pen *p, double x, double y, double width, double height, at_stroke stroke)
{
    p->c->cairo.rectangle(p->cr, x, y, width, height);
    p->c->cairo.set_line_join(p->cr, CAIRO_LINE_JOIN_MITER);
    stroke_path(p, stroke);
}

void at_pen_line(at_pen *p, double x0, double y0, double x1, double y1, at_stroke stroke)
{
    at_pen_path(p, 2, (double[]){x0, y0, x1, y1}, stroke);
}

void at_pen_path(at_pen *p, int n, const double *points, at_stroke stroke)
{
    p->c->cairo.new_path(p->cr);
    for (int i = 0; i < n; i++)
        (i ? p->c->cairo.line_to : p->c->cairo.move_to)(p->cr, points[2 * i], points[2 * i + 1]);
    p->c->cairo.set_line_cap(p->cr, CAIRO_LINE_CAP_BUTT);
    p->c->cairo.set_line_join(p->cr, CAIRO_LINE_JOIN_ROUND);
    stroke_path(p, stroke);
}

void at_pen_curve(at_pen *p, double x0, double y0, double x1, double y1, at_stroke stroke,
                  double share)
{
    double middle = (x0 + x1) / 2;
    p->c->cairo.new_path(p->cr);
    p->c->cairo.move_to(p->cr, x0, y0);
    p->c->cairo.curve_to(p->cr, middle, y0, middle, y1, x1, y1);
    set_color(p, stroke.color, share);
    p->c->cairo.set_line_width(p->cr, stroke.width);
    p->c->cairo.set_dash(p->cr, NULL, 0, 0);
    p->c->cairo.stroke(p->cr);
}

void at_pen_round(at_pen *p, double x, double y, double width, double height, double radius,
                  at_color color)
{
    static const double quarter = 3.14159265358979 / 2;
    double left = x + radius, right = x + width - radius;
    double top = y + radius, bottom = y + height - radius;
    p->c->cairo.new_path(p->cr);
    p->c->cairo.arc(p->cr, right, top, radius, -quarter, 0);
    p->c->cairo.arc(p->cr, right, bottom, radius, 0, quarter);
    p->c->cairo.arc(p->cr, left, bottom, radius, quarter, 2 * quarter);
    p->c->cairo.arc(p->cr, left, top, radius, 2 * quarter, 3 * quarter);
    set_color(p, color, 1);
    p->c->cairo.fill(p->cr);
}

void at_pen_disc(at_pen *p, double x, double y, double radius, at_color color, double share,
                 bool edge)
{
    p->c->cairo.new_path(p->cr);
    p->c->cairo.arc(p->cr, x, y, radius, 0, 2 * 3.14159265358979);
    set_color(p, color, share);
    p->c->cairo.fill_preserve(p->cr);
    if (edge)
        stroke_path(p, (at_stroke){.width = 0.5, .color = {1, 1, 1}});
    p->c->cairo.new_path(p->cr);
}

void at_pen_ring(at_pen *p, double x, double y, double radius, at_stroke stroke)
{
    p->c->cairo.new_path(p->cr);
    p->c->cairo.arc(p->cr, x, y, radius, 0, 2 * 3.14159265358979);
    stroke_path(p, stroke);
}

void at_pen_image(at_pen *p, int columns, int rows, const at_color *pixels, double x, double y,
                  double width, double height)
{
    cairo_surface_t *image = p->c->cairo.image_surface_create(CAIRO_FORMAT_RGB24, columns, rows);
    unsigned char *data = p->c->cairo.image_surface_get_data(image);
    int stride = p->c->cairo.image_surface_get_stride(image);
    p->c->cairo.surface_flush(image);
    for (int i = 0; data && i < rows; i++)
        for (int j = 0; j < columns; j++) {
            at_color c = pixels[(size_t)i * (size_t)columns + (size_t)j];
            uint32_t rgb = (uint32_t)(c.r * 255 + 0.5) << 16 | (uint32_t)(c.g * 255 + 0.5) << 8
                           | (uint32_t)(c.b * 255 + 0.5);
            memcpy(data + (size_t)i * (size_t)stride + 4 * (size_t)j, &rgb, 4);
        }
    p->c->cairo.surface_mark_dirty(image);
    p->c->cairo.save(p->cr);
    p->c->cairo.translate(p->cr, x, y);
    p->c->cairo.scale(p->cr, width / columns, height / rows);
    p->c->cairo.set_source_surface(p->cr, image, 0, 0);
    p->c->cairo.pattern_set_filter(p->c->cairo.get_source(p->cr), CAIRO_FILTER_NEAREST);
    p->c->cairo.paint(p->cr);
    p->c->cairo.restore(p->cr);
    p->c->cairo.surface_destroy(image);
}

void at_pen_clip(at_pen *p, double x, double y, double width, double height)
{
    p->c->cairo.save(p->cr);
    p->c->cairo.rectangle(p->cr, x, y, width, height);
    p->c->cairo.clip(p->cr);
}

void at_pen_unclip(at_pen *p) { p->c->cairo.restore(p->cr); }
