#include "store/picture.h"

#include <math.h>
#include <png.h>
#include <string.h>

#include "base/file.h"
#include "base/library.h"
#include "base/memory.h"

#define FUNCTIONS(X)                    \
    X(png_image_begin_read_from_memory) \
    X(png_image_finish_read) X(png_image_write_to_memory) X(png_image_free)
#define X(name) __typeof__(name) *name;
static struct {
    FUNCTIONS(X)
} lib;
#undef X
#define X(name) #name,
static const char *const names[] = {FUNCTIONS(X) NULL};
#undef X
static at_library library = {
    .file = "libpng16.so.16", .package = "libpng16-16", .symbols = names, .functions = &lib};

static const size_t largest = (size_t)1 << 28; /* bytes of a file */

attend_status at_picture_check(const attend_picture *p, attend_error *err)
{
    if (p->width < 1 || p->height < 1 || !p->rgb || p->height > ATTEND_PICTURE_MAX / p->width)
        return at_error(err, ATTEND_FORMAT,
                        "a picture of %d by %d pixels; it can have 1 to %d pixels", p->width,
                        p->height, (int)ATTEND_PICTURE_MAX);
    return ATTEND_OK;
}

/* ---- files ---------------------------------------------------------------------------------- */

static attend_status decode(png_image *image, const char *path, attend_picture **out,
                            attend_error *err)
{
    static const png_color white = {255, 255, 255};
    if (image->height > ATTEND_PICTURE_MAX / image->width)
        return at_error(err, ATTEND_FORMAT,
                        "%s: %u by %u pixels; at most %d pixels are read, so make it smaller",
                        at_show(path).text, image->width, image->height, (int)ATTEND_PICTURE_MAX);
    size_t size = (size_t)3 * image->width * image->height;
    attend_picture *p = at_alloc(sizeof *p + size);
    if (!p)
        return at_error_memory(err);
    unsigned char *rgb = (unsigned char *)(p + 1);
    *p = (attend_picture){(int)image->width, (int)image->height, rgb};
    image->format = PNG_FORMAT_RGB;
    image->flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
    if (!lib.png_image_finish_read(image, &white, rgb, 0, NULL)) {
        at_free(p);
        return at_error(err, ATTEND_FORMAT, "%s: damaged: %s", at_show(path).text, image->message);
    }
    *out = p;
    return ATTEND_OK;
}

attend_status at_picture_read(const char *path, attend_picture **out, attend_error *err)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    char *bytes = NULL;
    size_t size;
    *out = NULL;
    attend_status status = at_library_load(&library, err);
    if (status >= 0)
        status = at_input_read(path, largest, &bytes, &size, err);
    if (status < 0)
        return status;
    if (!lib.png_image_begin_read_from_memory(&image, bytes, size))
        status = at_error(err, ATTEND_FORMAT, "%s: not a PNG picture: %s", at_show(path).text,
                          image.message);
    else
        status = decode(&image, path, out, err);
    lib.png_image_free(&image);
    at_free(bytes);
    return status;
}

attend_status at_picture_write(const attend_picture *p, at_str *out, attend_error *err)
{
    attend_status status = at_picture_check(p, err);
    if (status < 0 || (status = at_library_load(&library, err)) < 0)
        return status;
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)p->width,
                       .height = (png_uint_32)p->height,
                       .format = PNG_FORMAT_RGB};
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    char *bytes = at_alloc(size);
    if (!bytes)
        status = at_error_memory(err);
    else if (!lib.png_image_write_to_memory(&image, bytes, &size, 0, p->rgb, 0, NULL))
        status = at_error(err, ATTEND_FORMAT, "a picture cannot be written: %s", image.message);
    else
        at_str_add_bytes(out, bytes, size);
    lib.png_image_free(&image);
    at_free(bytes);
    return status < 0 ? status : out->failed ? at_error_memory(err) : ATTEND_OK;
}

/* ---- patches -------------------------------------------------------------------------------- */

/* the part of pixel `at` that lies between two borders */
static double part(int at, double from, double to) { return fmin(at + 1, to) - fmax(at, from); }

/* the mean colour between the borders, in pixels */
static void mean(const attend_picture *p, double left, double right, double top, double bottom,
                 float colour[3])
{
    double sum[3] = {0}, area = 0;
    for (int y = (int)top; y < p->height && y < bottom; y++)
        for (int x = (int)left; x < p->width && x < right; x++) {
            double weight = part(x, left, right) * part(y, top, bottom);
            const unsigned char *rgb = p->rgb + 3 * ((size_t)y * (size_t)p->width + (size_t)x);
            for (int c = 0; c < 3; c++)
                sum[c] += weight * rgb[c];
            area += weight;
        }
    for (int c = 0; c < 3; c++)
        colour[c] = (float)(sum[c] / area / 255);
}

static float position(int i, int count) { return (float)(2 * (i + 0.5) / count - 1); }

static void cut(const attend_picture *p, int row, int rows, int column, int columns, int side,
                float *out)
{
    double high = (double)p->height / (rows * side), wide = (double)p->width / (columns * side);
    for (int i = row * side; i < (row + 1) * side; i++)
        for (int k = column * side; k < (column + 1) * side; k++, out += 3)
            mean(p, k * wide, (k + 1) * wide, i * high, (i + 1) * high, out);
    out[0] = position(row, rows);
    out[1] = position(column, columns);
}

attend_status at_picture_patches(const attend_picture *p, int rows, int columns, int side,
                                 float *out, attend_error *err)
{
    enum { MAX_GRID = 256, MAX_SIDE = 64 };
    attend_status status = at_picture_check(p, err);
    if (status < 0)
        return status;
    if (rows < 1 || rows > MAX_GRID || columns < 1 || columns > MAX_GRID || side < 1
        || side > MAX_SIDE)
        return at_error(err, ATTEND_OPTION,
                        "a grid of %dx%d patches of %d by %d colours; it can be 1x1 to %dx%d, with "
                        "1 to %d",
                        columns, rows, side, side, (int)MAX_GRID, (int)MAX_GRID, (int)MAX_SIDE);
    if (p->width < columns || p->height < rows)
        return at_error(err, ATTEND_FORMAT,
                        "%d by %d pixels are fewer than the grid of %dx%d patches; choose a "
                        "smaller --grid",
                        p->width, p->height, columns, rows);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++, out += 3 * side * side + 2)
            cut(p, i, rows, k, columns, side, out);
    return ATTEND_OK;
}
