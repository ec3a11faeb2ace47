/* Pictures: files, and their patches. */
#include "store/picture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"

static char path[] = "/tmp/attend-picture-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    return close(mkstemp(path));
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void write_bytes(const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void what_is_written_is_read_again(void **state)
{
    unsigned char rgb[5 * 3 * 3];
    attend_picture picture = {5, 3, rgb}, *again;
    attend_error err;
    (void)state;
    for (size_t i = 0; i < sizeof rgb; i++)
        rgb[i] = (unsigned char)(i * 37);
    assert_int_equal(attend_picture_save(&picture, path, &err), ATTEND_OK);
    assert_int_equal(at_picture_read(path, &again, &err), ATTEND_OK);
    assert_int_equal(again->width, 5);
    assert_int_equal(again->height, 3);
    assert_memory_equal(again->rgb, rgb, sizeof rgb);
    attend_free(again);
}

/* One pixel of 16 bits, one that is transparent, two of one bit, and a header of 60000 by 60000
 * pixels. */
/* clang-format off */
static const unsigned char deep[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
    0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x10, 0x02, 0x00, 0x00, 0x00, 0xc0,
    0xe7, 0x8f, 0x9d, 0x00, 0x00, 0x00, 0x0f, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x68,
    0x68, 0x70, 0x70, 0xf8, 0xff, 0x1f, 0x00, 0x0a, 0x44, 0x03, 0x7f, 0xf6, 0x14, 0xf3, 0xe1,
    0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
static const unsigned char clear[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
    0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00, 0x00, 0x1f,
    0x15, 0xc4, 0x89, 0x00, 0x00, 0x00, 0x0b, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x60,
    0x00, 0x02, 0x00, 0x00, 0x05, 0x00, 0x01, 0x7a, 0x5e, 0xab, 0x3f, 0x00, 0x00, 0x00, 0x00,
    0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
static const unsigned char bits[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
    0x52, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x01, 0x00, 0x00, 0x00, 0x00, 0xdc,
    0x59, 0x42, 0x27, 0x00, 0x00, 0x00, 0x0a, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x70,
    0x00, 0x00, 0x00, 0x42, 0x00, 0x41, 0x29, 0x37, 0xf4, 0xef, 0x00, 0x00, 0x00, 0x00, 0x49,
    0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
static const unsigned char huge[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
    0x52, 0x00, 0x00, 0xea, 0x60, 0x00, 0x00, 0xea, 0x60, 0x08, 0x02, 0x00, 0x00, 0x00, 0x0f,
    0xb0, 0xe2, 0x15, 0x00, 0x00, 0x00, 0x09, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x00,
    0x00, 0x00, 0x01, 0x00, 0x01, 0x5e, 0xff, 0x7d, 0xf9, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45,
    0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
/* clang-format on */

static void expect_pixel(const unsigned char *bytes, size_t size, int red, int green, int blue)
{
    attend_picture *picture;
    attend_error err;
    write_bytes(bytes, size);
    assert_int_equal(at_picture_read(path, &picture, &err), ATTEND_OK);
    const unsigned char *last = picture->rgb + 3 * (picture->width - 1);
    assert_int_equal(last[0], red);
    assert_int_equal(last[1], green);
    assert_int_equal(last[2], blue);
    attend_free(picture);
}

static void every_kind_of_pixel_becomes_eight_bits_of_colour(void **state)
{
    (void)state;
    expect_pixel(deep, sizeof deep, 0x80, 0x40, 0xff);
    expect_pixel(clear, sizeof clear, 255, 255, 255);
    expect_pixel(bits, sizeof bits, 255, 255, 255);
}

static void a_huge_header_is_refused_before_memory_is_taken(void **state)
{
    attend_picture *picture;
    attend_error err;
    (void)state;
    write_bytes(huge, sizeof huge);
    assert_int_equal(at_picture_read(path, &picture, &err), ATTEND_FORMAT);
    assert_null(picture);
    assert_non_null(strstr(err.message, "60000 by 60000 pixels"));
}

static void other_files_are_refused(void **state)
{
    attend_picture *picture;
    attend_error err;
    (void)state;
    write_bytes("P6 1 1 255 abc", 14);
    assert_int_equal(at_picture_read(path, &picture, &err), ATTEND_FORMAT);
    assert_non_null(strstr(err.message, "not a PNG picture"));
    write_bytes("", 0);
    assert_int_equal(at_picture_read(path, &picture, &err), ATTEND_FORMAT);
    assert_int_equal(at_picture_read("/nowhere/x.png", &picture, &err), ATTEND_FILE);
}

static void a_cut_file_is_damaged(void **state)
{
    unsigned char rgb[64 * 64 * 3] = {0};
    attend_picture picture = {64, 64, rgb}, *again;
    attend_error err;
    at_str bytes = {0};
    (void)state;
    for (size_t i = 0; i < sizeof rgb; i++)
        rgb[i] = (unsigned char)(i * i >> 3);
    assert_int_equal(at_picture_write(&picture, &bytes, &err), ATTEND_OK);
    write_bytes(bytes.text, bytes.length / 2);
    assert_int_equal(at_picture_read(path, &again, &err), ATTEND_FORMAT);
    assert_non_null(strstr(err.message, "damaged"));
    at_str_free(&bytes);
}

/* ---- patches -------------------------------------------------------------------------------- */

static void patches_are_mean_colours_and_positions(void **state)
{
    /* 4 by 2 pixels, in a grid of two by one patches of one colour */
    unsigned char rgb[24] = {255, 0, 0,   255, 0, 0, 0, 255, 0, 0, 255, 0,
                             0,   0, 255, 255, 0, 0, 0, 255, 0, 0, 255, 0};
    attend_picture picture = {4, 2, rgb};
    const float wanted[] = {0.75f, 0, 0.25f, 0, -0.5f, 0, 1, 0, 0, 0.5f};
    float out[10];
    attend_error err;
    (void)state;
    assert_int_equal(at_picture_patches(&picture, 1, 2, 1, out, &err), ATTEND_OK);
    for (int i = 0; i < 10; i++)
        assert_true(fabsf(out[i] - wanted[i]) < 1e-6f);
}

/* Borders cut pixels: three pixels in two patches share the one in the middle. */
static void pixels_are_shared_by_area(void **state)
{
    unsigned char rgb[9] = {0, 0, 0, 255, 255, 255, 255, 255, 255};
    attend_picture picture = {3, 1, rgb};
    float out[10];
    attend_error err;
    (void)state;
    assert_int_equal(at_picture_patches(&picture, 1, 2, 1, out, &err), ATTEND_OK);
    assert_true(fabsf(out[0] - 1 / 3.f) < 1e-6f);
    assert_true(fabsf(out[5] - 1) < 1e-6f);
    assert_int_equal(at_picture_patches(&picture, 1, 1, 1, out, &err), ATTEND_OK);
    assert_true(fabsf(out[0] - 2 / 3.f) < 1e-6f);
}

static void pictures_smaller_than_the_grid_are_refused(void **state)
{
    unsigned char rgb[12] = {0};
    attend_picture picture = {2, 2, rgb}, none = {0, 2, rgb};
    float out[200];
    attend_error err;
    (void)state;
    assert_int_equal(at_picture_patches(&picture, 2, 2, 4, out, &err), ATTEND_OK);
    assert_int_equal(at_picture_patches(&picture, 2, 3, 1, out, &err), ATTEND_FORMAT);
    assert_non_null(strstr(err.message, "fewer than the grid of 3x2"));
    assert_int_equal(at_picture_patches(&picture, 0, 1, 1, out, &err), ATTEND_OPTION);
    assert_int_equal(at_picture_patches(&picture, 1, 1, 65, out, &err), ATTEND_OPTION);
    assert_int_equal(at_picture_patches(&none, 1, 1, 1, out, &err), ATTEND_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(every_kind_of_pixel_becomes_eight_bits_of_colour),
        cmocka_unit_test(a_huge_header_is_refused_before_memory_is_taken),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(a_cut_file_is_damaged),
        cmocka_unit_test(patches_are_mean_colours_and_positions),
        cmocka_unit_test(pixels_are_shared_by_area),
        cmocka_unit_test(pictures_smaller_than_the_grid_are_refused),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
