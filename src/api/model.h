/* Inside an attend_model, for the files of this folder. */
#ifndef ATTEND_API_MODEL_H
#define ATTEND_API_MODEL_H

#include "attend.h"
#include "decode/session.h"
#include "store/model_folder.h"

struct attend_model {
    at_model *inside;
    const char *path;
    const char *preset, *source_language, *target_language; /* or NULL */
    attend_setting *settings;
    size_t setting_count;
    at_arena memory; /* of all but `inside` */
};

/* A session of a model and of others that are used with it; all are checked. */
attend_status at_model_session(const attend_model *model, const attend_model *const *others,
                               size_t count, unsigned can, at_session **out, attend_error *err);

#endif
