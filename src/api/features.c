/* Sequences of feature vectors, as files and in memory. */
#include "store/features.h"
#include "attend.h"

attend_status attend_features_open(const char *path, attend_features **out, attend_error *err)
{
    return at_features_open(path, out, err);
}

attend_status attend_features_new(int width, attend_features **out, attend_error *err)
{
    return at_features_new(width, out, err);
}

attend_status attend_features_add(attend_features *f, size_t frames, const float *values,
                                  attend_error *err)
{
    return at_features_add(f, frames, values, err);
}

attend_status attend_features_save(const attend_features *f, const char *path, attend_error *err)
{
    return at_features_save(f, NULL, at_features_count(f), path, err);
}

size_t attend_features_count(const attend_features *f) { return at_features_count(f); }
int attend_features_width(const attend_features *f) { return at_features_width(f); }
void attend_features_free(attend_features *f) { at_features_close(f); }
