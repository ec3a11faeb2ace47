#include <string.h>

#include "api/model.h"
#include "api/options.h"
#include "base/file.h"
#include "store/hub.h"

void attend_export_defaults(attend_export_options *o)
{
    *o = (attend_export_options){.size = sizeof *o};
}

/* the kind that is asked for, NULL: any */
static attend_status find_type(const char *to, const char **type, attend_error *err)
{
    at_str known = {0};
    *type = NULL;
    if (!to || strcmp(to, "hf") == 0)
        return ATTEND_OK;
    for (int i = 0; i < at_hub_count && !*type; i++) {
        at_str_print(&known, ", %s", at_hubs[i]->type);
        if (strcmp(at_hubs[i]->type, to) == 0)
            *type = to;
    }
    attend_status status = *type ? ATTEND_OK
                                 : at_error(err, ATTEND_OPTION,
                                            "--to %.40s: unknown kind of folder; choose hf%s", to,
                                            at_str_text(&known));
    at_str_free(&known);
    return status;
}

/* a model of the hub stays of its kind */
static attend_status check_type(const attend_model *m, const char *type, attend_error *err)
{
    const char *own = m->inside->hub->hub->type;
    if (!type || strcmp(own, type) == 0)
        return ATTEND_OK;
    return at_error(err, ATTEND_OPTION, "%s: --to %s: the model is of the kind %s; leave --to out",
                    at_show(m->path).text, type, own);
}

attend_status attend_export(const attend_model *m, const attend_export_options *options,
                            const char *out, attend_error *err)
{
    attend_export_options o;
    const char *type;
    attend_export_defaults(&o);
    attend_status status = at_options_accept(&o, sizeof o, options, "attend_export_defaults", err);
    if (status >= 0)
        status = find_type(o.to, &type, err);
    if (status < 0)
        return status;
    if (!m->inside->hub)
        return at_hub_write(m->inside, m->path, type, out, o.overwrite, err);
    status = check_type(m, type, err);
    return status < 0 ? status : at_hub_save(m->inside, out, o.overwrite, err);
}
