/* attend data patches and frames: feature vectors of pictures and of sound. */
#ifndef ATTEND_CLI_DATA_FEATURES_H
#define ATTEND_CLI_DATA_FEATURES_H

#include "attend.h"
#include "cli/cli.h"

typedef struct {
    const char *out; /* a file that ends in .safetensors */
    bool overwrite;
    const char *grid; /* of pictures: "8x8" */
    int patch;        /* colours along a side of a patch */
    int bands;        /* of sound */
    double hop;       /* milliseconds */
} at_feature_settings;

/* One sequence of patches for each picture, in the order of the files. */
attend_status at_data_patches(at_cli *cli, const at_feature_settings *s, int count,
                              const char *const *path, attend_error *err);

/* One sequence of frames for each file of sound. */
attend_status at_data_frames(at_cli *cli, const at_feature_settings *s, int count,
                             const char *const *path, attend_error *err);

#endif
