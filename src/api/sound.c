#include "store/sound.h"
#include "attend.h"
#include "base/memory.h"

attend_status attend_sound_frames(const char *path, int bands, double hop, float **out,
                                  size_t *frames, attend_error *err)
{
    float *samples;
    size_t count;
    int rate;
    *out = NULL;
    attend_status status = at_sound_read(path, &samples, &count, &rate, err);
    if (status >= 0)
        status = at_sound_frames(samples, count, rate, bands, hop, out, frames, err);
    at_free(samples);
    return status;
}
