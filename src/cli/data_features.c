#include "cli/data_features.h"

#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "cli/grid.h"

/* Adds the sequence of one file. */
typedef attend_status add_file(const at_feature_settings *s, const char *path, attend_features *to,
                               attend_error *err);

static attend_status check_out(const at_feature_settings *s, const char *action, attend_error *err)
{
    if (!s->out || !at_file_ends(s->out, ".safetensors"))
        return at_error(err, ATTEND_OPTION, "%s needs --out FILE.safetensors", action);
    if (!s->overwrite && at_file_exists(s->out))
        return at_error(err, ATTEND_OPTION, "--out: %s exists; --overwrite replaces it",
                        at_show(s->out).text);
    return ATTEND_OK;
}

static attend_status convert(at_cli *cli, const at_feature_settings *s, int width, add_file *add,
                             int count, const char *const *path, attend_error *err)
{
    attend_features *all = NULL;
    attend_status status = attend_features_new(width, &all, err);
    for (int i = 0; i < count && status >= 0; i++) {
        cli->input = path[i];
        status = add(s, path[i], all, err);
    }
    cli->input = status < 0 ? cli->input : NULL;
    if (status >= 0)
        status = attend_features_save(all, s->out, err);
    if (status >= 0)
        at_log(ATTEND_LOG_INFO, "%d sequence%s of %d numbers in %s", count, count == 1 ? "" : "s",
               width, at_show(s->out).text);
    attend_features_free(all);
    return status;
}

/* ---- pictures ------------------------------------------------------------------------------- */

static int numbers_of(const at_feature_settings *s) { return 3 * s->patch * s->patch + 2; }

static attend_status add_picture(const at_feature_settings *s, const char *path,
                                 attend_features *to, attend_error *err)
{
    attend_picture *picture = NULL;
    attend_error inner;
    at_grid grid;
    attend_status status = at_grid_read(s->grid, &grid, err);
    if (status >= 0)
        status = attend_picture_open(path, &picture, err);
    if (status < 0)
        return status;
    size_t patches = (size_t)grid.columns * (size_t)grid.rows;
    float *values = at_alloc(patches * (size_t)numbers_of(s) * sizeof *values);
    if (!values)
        status = at_error_memory(err);
    else if ((status = attend_picture_patches(picture, grid.rows, grid.columns, s->patch, values,
                                              &inner))
             < 0)
        status = at_error(err, status, "%s: %s", at_show(path).text, inner.message);
    else
        status = attend_features_add(to, patches, values, err);
    at_free(values);
    attend_free(picture);
    return status;
}

attend_status at_data_patches(at_cli *cli, const at_feature_settings *s, int count,
                              const char *const *path, attend_error *err)
{
    attend_status status = check_out(s, "patches", err);
    return status < 0 ? status : convert(cli, s, numbers_of(s), add_picture, count, path, err);
}

/* ---- sound ---------------------------------------------------------------------------------- */

static attend_status add_sound(const at_feature_settings *s, const char *path, attend_features *to,
                               attend_error *err)
{
    float *values;
    size_t frames;
    attend_status status = attend_sound_frames(path, s->bands, s->hop, &values, &frames, err);
    if (status < 0)
        return status;
    status = attend_features_add(to, frames, values, err);
    attend_free(values);
    return status;
}

attend_status at_data_frames(at_cli *cli, const at_feature_settings *s, int count,
                             const char *const *path, attend_error *err)
{
    attend_status status = check_out(s, "frames", err);
    return status < 0 ? status : convert(cli, s, s->bands, add_sound, count, path, err);
}
