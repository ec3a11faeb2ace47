/* Figures: heat maps and charts beside each other on a page, as PNG, SVG or PDF; and heat maps as
 * text. attend.h describes what is drawn; these are its functions.
 *
 *     figure.c   the page: where each panel stands, and the file
 *     heat_map.c, chart.c, heads.c, grid.c, steps.c   a panel each, drawn with pen.c
 *     attention_map.c   rows of attention for heads.c and grid.c; step_frame.c: a frame of steps.c
 *     animation.c   the frames one after the other
 *     pen.c      lines and text on cairo and pango, which cairo.c loads when they are first used
 *     color.c    the colours of weights and lines; axis.c: round numbers along an axis
 *     heat_text.c   the heat map of terminals: no cairo */
#ifndef ATTEND_DRAW_FIGURE_H
#define ATTEND_DRAW_FIGURE_H

#include "base/error.h"
#include "base/str.h"

/* See attend_figure_save. */
attend_status at_figure_save(const attend_figure *figure, const char *path, attend_error *err);

/* See attend_figure_save_animation. */
attend_status at_animation_save(const attend_heat_map *map, const char *path, attend_error *err);

/* Runs a function that draws in a child process, because GLib ends a process that lacks memory or
 * threads; temporary files of a child that was killed are removed. */
attend_status at_figure_in_child(attend_status (*work)(void *arg, attend_error *err), void *arg,
                                 const char *path, attend_error *err);

/* See attend_heat_map_text; appends lines to out. */
attend_status at_heat_map_text(at_str *out, const attend_heat_map *map, attend_text_style style,
                               attend_error *err);

/* Does a figure's name end in something that can be drawn? An error says what there is. For
 * commands that want to know before a long job. */
attend_status at_figure_check_path(const char *path, attend_error *err);

#endif
