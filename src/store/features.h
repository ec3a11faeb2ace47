/* Sequences of feature vectors in a safetensors file: frames of sound, columns or parts of
 * pictures, whatever a model reads in place of words.
 *
 *     one tensor [frames, width] for each sequence    in the order of their names, where numbers
 *                                                     count as numbers: "clip2" before "clip10"
 *     or one tensor [sequences, frames, width]        and lengths [sequences], whole numbers, where
 *                                                     not all of its frames are used
 *
 * All have the same width; floats and whole numbers of any size are read, NaN and infinities are
 * not. The file stays on disk: a sequence is read when it is asked for.
 *
 * A file is untrusted: it is open only if all sizes make sense. */
#ifndef ATTEND_STORE_FEATURES_H
#define ATTEND_STORE_FEATURES_H

#include <stdint.h>

#include "store/safetensors.h"

enum { ATTEND_FEATURES_WIDEST = 1 << 16, ATTEND_FEATURES_LONGEST = 1 << 24 };

typedef attend_features at_features;

/* Is it such a file, by the end of its name? */
bool at_features_is(const char *path);

attend_status at_features_open(const char *path, at_features **out, attend_error *err);

/* The same from memory, which is borrowed until close; name stands for it in messages. */
attend_status at_features_open_memory(const char *name, const void *bytes, size_t size,
                                      at_features **out, attend_error *err);
void at_features_close(at_features *f); /* NULL is well */

size_t at_features_count(const at_features *f);         /* sequences */
int at_features_width(const at_features *f);            /* numbers of a frame */
int at_features_frames(const at_features *f, size_t i); /* of a sequence */
const char *at_features_file(const at_features *f);     /* its name, for messages */

/* what a sequence is called, fit for a message and never empty: its tensor's name, or its number */
typedef struct {
    char text[128];
} at_feature_name;

at_feature_name at_features_name(const at_features *f, size_t i);

/* The first frames of a sequence: out [frames,width]. Refuses NaN and infinities by name. */
attend_status at_features_read(const at_features *f, size_t i, int frames, real *out,
                               attend_error *err);

/* All of a file, read once. */
typedef struct {
    uint64_t print; /* changes with every number */
    /* [width], of the frames of those that count; spread is never 0 */
    double *mean, *spread;
} at_features_look;

/* counts [sequences]: which count; NULL: all. mean and spread are made by the caller, or both
 * NULL. */
attend_status at_features_scan(const at_features *f, const bool *counts, at_features_look *look,
                               attend_error *err);

/* ---- making ---------------------------------------------------------------------------- */

/* An empty one, in memory. */
attend_status at_features_new(int width, at_features **out, attend_error *err);

/* Adds a sequence; its numbers [frames,width] are copied, and must be finite. */
attend_status at_features_add(at_features *f, size_t frames, const float *values,
                              attend_error *err);

/* Writes some sequences (NULL: all), in this order, as tensors "0", "1", ... */
attend_status at_features_save(const at_features *f, const uint32_t *sequences, size_t count,
                               const char *path, attend_error *err);

#endif
