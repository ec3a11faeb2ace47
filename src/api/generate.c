#include <string.h>

#include "api/model.h"
#include "api/options.h"
#include "base/memory.h"
#include "decode/generate.h"

void attend_generate_defaults(attend_generate_options *o)
{
    *o = (attend_generate_options){.size = sizeof *o,
                                   .most = 100,
                                   .temperature = 1,
                                   .top_p = 1,
                                   .repetition = 1,
                                   .penalty = 1,
                                   .seed = 1234};
}

attend_status attend_generate(const attend_model *m, const attend_generate_options *options,
                              const char *prompt, char **text, attend_error *err)
{
    attend_generate_options o;
    attend_generate_defaults(&o);
    *text = NULL;
    attend_status status = at_options_accept(&o, sizeof o, options, "attend_generate_defaults",
                                             err);
    if (status < 0)
        return status;
    if (o.most < 0 || o.most > 1 << 24 || o.lines < 0)
        return at_error(err, ATTEND_OPTION, "most %d, lines %d: most is 0 to %d, lines at least 0",
                        o.most, o.lines, 1 << 24);
    if (o.beam < 0 || o.beam > 1 << 16 || o.no_repeat < 0 || (unsigned)o.context > 2)
        return at_error(err, ATTEND_OPTION,
                        "beam %d, no_repeat %d, context %d: beam is 0 to %d, no_repeat at least 0, "
                        "context 0 to 2",
                        o.beam, o.no_repeat, (int)o.context, 1 << 16);
    at_str out = {0};
    at_session *session;
    at_text given = {prompt ? prompt : "", prompt ? strlen(prompt) : 0};
    status = at_model_session(m, NULL, 0, ATTEND_CAN_GENERATE, &session, err);
    if (status >= 0)
        status = at_generate(session, &o, given, &out, err);
    at_session_free(session);
    at_str_add(&out, "");
    if (status >= 0 && !(*text = at_str_take(&out)))
        status = at_error_memory(err);
    at_str_free(&out);
    return status;
}
