/* cairo and pango, loaded when the first figure is drawn: what draws nothing does not wait for
 * them.
 *
 *     const at_cairo *c = at_cairo_load(err);      // NULL where a library is missing
 *     c->cairo.move_to(cr, x, y);                  // cairo_move_to
 *
 * A function that is wanted goes into the list; its type comes from the library's own header. */
#ifndef ATTEND_DRAW_CAIRO_H
#define ATTEND_DRAW_CAIRO_H

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <pango/pangocairo.h>

#include "base/error.h"

/* clang-format off */
#define CAIRO_LIST(X) \
    X(cairo_, image_surface_create) X(cairo_, svg_surface_create_for_stream) \
    X(cairo_, pdf_surface_create_for_stream) \
    X(cairo_, image_surface_get_data) X(cairo_, image_surface_get_stride) \
    X(cairo_, surface_write_to_png_stream) X(cairo_, surface_mark_dirty) X(cairo_, surface_flush) \
    X(cairo_, surface_finish) X(cairo_, surface_status) X(cairo_, surface_destroy) \
    X(cairo_, create) X(cairo_, destroy) X(cairo_, status) X(cairo_, status_to_string) \
    X(cairo_, save) X(cairo_, restore) X(cairo_, scale) X(cairo_, translate) X(cairo_, rotate) \
    X(cairo_, set_source_rgba) X(cairo_, set_source_surface) X(cairo_, get_source) \
    X(cairo_, pattern_set_filter) X(cairo_, paint) X(cairo_, set_line_width) \
    X(cairo_, set_line_cap) X(cairo_, set_line_join) X(cairo_, set_dash) X(cairo_, new_path) \
    X(cairo_, move_to) X(cairo_, line_to) X(cairo_, curve_to) X(cairo_, arc) \
    X(cairo_, rectangle) X(cairo_, clip) X(cairo_, fill) X(cairo_, fill_preserve) \
    X(cairo_, stroke) X(cairo_, font_options_create) X(cairo_, font_options_destroy) \
    X(cairo_, font_options_set_antialias) X(cairo_, font_options_set_hint_style) \
    X(cairo_, font_options_set_hint_metrics)

#define PANGO_LIST(X) \
    X(pango_, font_map_create_context) X(pango_, context_set_round_glyph_positions) \
    X(pango_, font_description_from_string) X(pango_, font_description_set_absolute_size) \
    X(pango_, font_description_set_weight) X(pango_, font_description_free) \
    X(pango_, layout_new) X(pango_, layout_set_text) X(pango_, layout_set_font_description) \
    X(pango_, layout_get_extents) X(pango_, layout_get_unknown_glyphs_count)

#define PANGO_CAIRO_LIST(X) \
    X(pango_cairo_, font_map_new) X(pango_cairo_, context_set_font_options) \
    X(pango_cairo_, context_set_resolution) X(pango_cairo_, update_layout) \
    X(pango_cairo_, show_layout)

#define GOBJECT_LIST(X) X(g_, object_unref)
/* clang-format on */

#define X(prefix, name) __typeof__(prefix##name) *name;
typedef struct {
    struct {
        CAIRO_LIST(X)
    } cairo;
    struct {
        PANGO_LIST(X)
    } pango;
    struct {
        PANGO_CAIRO_LIST(X)
    } pango_cairo;
    struct {
        GOBJECT_LIST(X)
    } gobject;
} at_cairo;
#undef X

/* The functions, for good; NULL and an error with the remedy where they cannot be loaded. Thread
 * safe. */
const at_cairo *at_cairo_load(attend_error *err);

#endif
