/* Pictures as PNG files, by libpng, which is loaded when it is first needed. */
#ifndef ATTEND_STORE_PICTURE_H
#define ATTEND_STORE_PICTURE_H

#include "attend.h"
#include "base/error.h"
#include "base/str.h"

enum { ATTEND_PICTURE_MAX = 1 << 26 }; /* pixels */

/* Reads a picture, in one block that at_free releases: 8 bits of red, green and blue, sRGB. 16 bits
 * are rounded, grey and palettes become colours, and what is transparent is laid over white. Fails
 * before any memory is taken if the header says that it is larger than ATTEND_PICTURE_MAX. */
attend_status at_picture_read(const char *path, attend_picture **out, attend_error *err);

/* Appends the picture as the bytes of a PNG file. */
attend_status at_picture_write(const attend_picture *picture, at_str *out, attend_error *err);

/* Is it one: sides of at least 1, no more pixels than allowed? */
attend_status at_picture_check(const attend_picture *picture, attend_error *err);

/* Cuts a picture into rows times columns patches, each of side times side mean colours, weighted by
 * area where borders cut pixels.
 *
 * out   [rows][columns][side * side * 3 + 2]: colours of 0 to 1, row by row, then the patch's
 *       position: down and across, -1 to 1 */
attend_status at_picture_patches(const attend_picture *picture, int rows, int columns, int side,
                                 float *out, attend_error *err);

#endif
