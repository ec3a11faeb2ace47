/* Colours: of weights, and of lines. */
#ifndef ATTEND_DRAW_COLOR_H
#define ATTEND_DRAW_COLOR_H

typedef struct {
    double r, g, b; /* sRGB, 0 to 1 */
} at_color;

/* The colour of a weight from 0 (white) to 1 (deep blue); not finite: grey.
 *
 * Equal steps of the weight look equally large, and the lightness falls all the way, so it reads
 * the same in print and to the colour-blind. */
at_color at_color_weight(double share);

/* black or white, whichever is legible on the colour of that weight */
at_color at_color_on_weight(double share);

/* Of lines, as attend_series.color says: 1 to 7, -1 grey, -2 black. */
at_color at_color_line(int number);
enum { ATTEND_COLOR_LINES = 7 };

/* Of heads, from 0 on: eight that anyone can tell apart; then the same darker, and lighter. */
at_color at_color_head(int number);

/* the nearest of the 256 colours of terminals */
int at_color_terminal(at_color color);

#endif
