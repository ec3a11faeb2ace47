#include "store/picture.h"
#include "base/file.h"

attend_status attend_picture_open(const char *path, attend_picture **out, attend_error *err)
{
    return at_picture_read(path, out, err);
}

attend_status attend_picture_save(const attend_picture *picture, const char *path,
                                  attend_error *err)
{
    at_str bytes = {0};
    attend_status status = at_picture_write(picture, &bytes, err);
    if (status >= 0)
        status = at_file_write(path, &bytes, err);
    at_str_free(&bytes);
    return status;
}

attend_status attend_picture_patches(const attend_picture *picture, int rows, int columns, int side,
                                     float *out, attend_error *err)
{
    return at_picture_patches(picture, rows, columns, side, out, err);
}
