/* What panels draw with: rectangles, lines, dots and text on a page that becomes a file. Lengths
 * are in points (1/72 inch), from the top left corner; angles in degrees, clockwise.
 *
 *     at_pen pen;
 *     attend_status status = at_pen_open(&pen, err);
 *     at_extent e = at_pen_measure(&pen, "words", plain);         // before the size is known
 *     at_pen_page(&pen, writer, ATTEND_PAGE_PNG, 300, 200, 2);
 *     at_pen_text(&pen, "words", plain, 10, 10, 0, 0, 0);
 *     status = at_pen_close(&pen, status, err);                   // keeps the first failure
 */
#ifndef ATTEND_DRAW_PEN_H
#define ATTEND_DRAW_PEN_H

#include <stdbool.h>

#include "base/file.h"
#include "draw/cairo.h"
#include "draw/color.h"

typedef enum { ATTEND_PAGE_PNG, ATTEND_PAGE_SVG, ATTEND_PAGE_PDF } at_page;

typedef struct {
    double width, height;
} at_extent;

typedef struct {
    double size;
    bool bold;
    at_color color;
} at_font;

typedef struct {
    double width;
    at_color color;
    double dash; /* length of the dashes and the gaps between them; 0: a whole line */
} at_stroke;

typedef struct {
    const at_cairo *c;
    PangoFontMap *fonts;
    PangoContext *context;
    cairo_surface_t *surface;
    cairo_t *cr;
    at_writer *writer;
    at_page page;
    int unknown;  /* characters drawn so far that no font has */
    bool starved; /* something was not drawn for lack of memory: at_pen_close fails */
} at_pen;

attend_status at_pen_open(at_pen *p, attend_error *err);

/* Starts the one page. scale: pixels in a point, for a PNG. */
void at_pen_page(at_pen *p, at_writer *writer, at_page page, double width, double height,
                 double scale);

/* Ends the page, if there is one, with all bytes given to the writer. */
attend_status at_pen_close(at_pen *p, attend_status status, attend_error *err);

enum { ATTEND_LABEL_SIZE = 4 * 120 + 8 };

/* A label in one line of valid UTF-8. */
void at_pen_label(const char *text, char out[ATTEND_LABEL_SIZE]);

/* the families of fonts, as pango and CSS write them */
extern const char at_pen_family[];

/* The size of a line of text; its height depends on the font alone. What a label must not hold
 * (control characters, bytes that are no UTF-8) is replaced, and more than 120 characters are cut.
 */
at_extent at_pen_measure(at_pen *p, const char *text, at_font font);

/* Text so that the point (x, y) lies at the share `across` of its width and `down` of its height,
 * turned around that point. */
void at_pen_text(at_pen *p, const char *text, at_font font, double x, double y, double across,
                 double down, double angle);

void at_pen_rectangle(at_pen *p, double x, double y, double width, double height, at_color color);
void at_pen_frame(at_pen *p, double x, double y, double width, double height, at_stroke stroke);
void at_pen_line(at_pen *p, double x0, double y0, double x1, double y1, at_stroke stroke);

/* a line through n points (x, y, x, y, ...) */
void at_pen_path(at_pen *p, int n, const double *points, at_stroke stroke);

/* a line that leaves and arrives horizontally, with a share of its colour */
void at_pen_curve(at_pen *p, double x0, double y0, double x1, double y1, at_stroke stroke,
                  double share);

/* a filled rectangle with round corners */
void at_pen_round(at_pen *p, double x, double y, double width, double height, double radius,
                  at_color color);

/* a disc, with a share of its colour, and a thin white edge where edge is true */
void at_pen_disc(at_pen *p, double x, double y, double radius, at_color color, double share,
                 bool edge);
void at_pen_ring(at_pen *p, double x, double y, double radius, at_stroke stroke);

/* columns times rows colours as an image, each pixel a rectangle */
void at_pen_image(at_pen *p, int columns, int rows, const at_color *pixels, double x, double y,
                  double width, double height);

/* From here to at_pen_unclip nothing is drawn outside the rectangle. */
void at_pen_clip(at_pen *p, double x, double y, double width, double height);
void at_pen_unclip(at_pen *p);

#endif
