#include <string.h>

#include "attend.h"
#include "base/memory.h"
#include "decode/generate.h"
#include "store/model_folder.h"

struct attend_language {
    at_model *model;
    at_session *session;
};

attend_status attend_language_open(const char *folder, attend_language **out, attend_error *err)
{
    attend_language *m = *out = at_alloc_zero(1, sizeof *m);
    if (!m)
        return at_error_memory(err);
    attend_status status = at_model_open_for(folder, ATTEND_CAN_GENERATE, &m->model, err);
    const at_model *model = m->model;
    if (status >= 0)
        status = at_session_new(1, &model, &m->session, err);
    if (status < 0) {
        attend_language_free(m);
        *out = NULL;
    }
    return status;
}

void attend_language_free(attend_language *m)
{
    if (m) {
        at_session_free(m->session);
        at_model_free(m->model);
    }
    at_free(m);
}

void attend_generate_defaults(attend_generate_options *o)
{
    *o = (attend_generate_options){.size = sizeof *o,
                                   .most = 100,
                                   .temperature = 1,
                                   .top_p = 1,
                                   .repetition = 1,
                                   .seed = 1234};
}

attend_status attend_generate(attend_language *m, const attend_generate_options *options,
                              const char *prompt, char **text, attend_error *err)
{
    attend_generate_options defaults;
    attend_generate_defaults(&defaults);
    const attend_generate_options *o = options ? options : &defaults;
    *text = NULL;
    if (o->size != sizeof *o || o->most < 0 || o->most > 1 << 24 || o->lines < 0)
        return at_error(err, ATTEND_OPTION,
                        "attend_generate_defaults sets the options; most is 0 to %d", 1 << 24);
    at_generate_options inside = {.sampling = {.repetition = o->repetition,
                                               .temperature = o->temperature,
                                               .top_k = o->top_k,
                                               .top_p = o->top_p,
                                               .min_p = o->min_p},
                                  .greedy = o->greedy != 0,
                                  .most = o->most,
                                  .lines = o->lines,
                                  .seed = o->seed,
                                  .text = o->text};
    at_str out = {0};
    at_text given = {prompt ? prompt : "", prompt ? strlen(prompt) : 0};
    attend_status status = at_generate(m->session, &inside, given, &out, err);
    at_str_add(&out, "");
    if (status >= 0 && !(*text = at_str_take(&out)))
        status = at_error_memory(err);
    at_str_free(&out);
    return status;
}
