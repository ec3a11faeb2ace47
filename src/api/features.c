/* Sequences of feature vectors, as files and in memory. */
#include "api/model.h"
#include "attend.h"
#include "base/memory.h"

struct attend_features {
    at_features *inside;
};

const at_features *at_features_of(const attend_features *f) { return f->inside; }

attend_status attend_features_open(const char *path, attend_features **out, attend_error *err)
{
    attend_features *f = *out = at_alloc_zero(1, sizeof *f);
    attend_status status = f ? at_features_open(path, &f->inside, err) : at_error_memory(err);
    if (status < 0) {
        at_free(f);
        *out = NULL;
    }
    return status;
}

attend_status attend_features_new(int width, attend_features **out, attend_error *err)
{
    attend_features *f = *out = at_alloc_zero(1, sizeof *f);
    attend_status status = f ? at_features_new(width, &f->inside, err) : at_error_memory(err);
    if (status < 0) {
        at_free(f);
        *out = NULL;
    }
    return status;
}

attend_status attend_features_add(attend_features *f, size_t frames, const float *values,
                                  attend_error *err)
{
    return at_features_add(f->inside, frames, values, err);
}

attend_status attend_features_save(const attend_features *f, const char *path, attend_error *err)
{
    return at_features_save(f->inside, NULL, at_features_count(f->inside), path, err);
}

size_t attend_features_count(const attend_features *f) { return at_features_count(f->inside); }
int attend_features_width(const attend_features *f) { return at_features_width(f->inside); }

void attend_features_free(attend_features *f)
{
    if (f)
        at_features_close(f->inside);
    at_free(f);
}
