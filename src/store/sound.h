/* Recorded sound as frames of log-mel energies. Files are read by libsndfile (WAV, FLAC, Ogg, AIFF
 * and others), which is loaded when it is first needed.
 *
 * A frame is 25 ms of the mean of all channels under a Hann window. The power of its spectrum is
 * summed in triangles whose corners are equally far apart on the mel scale, 2595 log10(1 + f /
 * 700), from 60 to 7600 Hz; the logarithm of the sum, plus a floor of 1e-6, is a band. */
#ifndef ATTEND_STORE_SOUND_H
#define ATTEND_STORE_SOUND_H

#include <stddef.h>

#include "base/error.h"

/* The samples of a file, each the mean of its channels, -1 to 1; at_free releases them. */
attend_status at_sound_read(const char *path, float **samples, size_t *count, int *rate,
                            attend_error *err);

enum { ATTEND_BANDS_MAX = 256 };

/* Frames of sound.
 *
 * rate     samples in a second
 * bands    numbers of a frame, 1 to ATTEND_BANDS_MAX
 * hop      milliseconds from frame to frame
 * out      receives [frames][bands], at least one frame; release it with at_free */
attend_status at_sound_frames(const float *samples, size_t count, int rate, int bands, double hop,
                              float **out, size_t *frames, attend_error *err);

#endif
