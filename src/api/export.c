#include "api/model.h"
#include "api/options.h"
#include "base/file.h"
#include "store/hub.h"

void attend_export_defaults(attend_export_options *o)
{
    *o = (attend_export_options){.size = sizeof *o};
}

attend_status attend_export(const attend_model *m, const attend_export_options *options,
                            const char *out, attend_error *err)
{
    attend_export_options o;
    attend_export_defaults(&o);
    attend_status status = at_options_accept(&o, sizeof o, options, "attend_export_defaults", err);
    if (status < 0)
        return status;
    if (!m->inside->hub)
        return at_error(err, ATTEND_OPTION,
                        "%s: only a model that came from the Hugging Face hub can be exported; "
                        "copy one that attend trained with `attend average MODEL --out FOLDER`",
                        at_show(m->path).text);
    return at_hub_save(m->inside, out, o.overwrite, err);
}
