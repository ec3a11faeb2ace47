#include "cli/models.h"

#include "base/error.h"

attend_status at_cli_model_open(at_cli *cli, const char *path, attend_capability can,
                                attend_model **out, attend_error *err)
{
    cli->input = path;
    attend_status status = attend_model_open(path, out, err);
    if (status < 0)
        return status;
    status = attend_model_require(*out, can, err);
    if (status < 0) {
        attend_model_free(*out);
        *out = NULL;
    }
    return status;
}

attend_status at_models_add(at_models *m, at_cli *cli, const char *path, attend_error *err)
{
    if (m->count == ATTEND_MODELS_MAX)
        return at_error(err, ATTEND_OPTION, "an ensemble has at most %d models",
                        (int)ATTEND_MODELS_MAX);
    attend_status status = at_cli_model_open(cli, path, ATTEND_CAN_TRANSLATE, &m->model[m->count],
                                             err);
    if (status < 0)
        return status;
    m->count++;
    const attend_model *last = m->model[m->count - 1];
    return attend_model_check_ensemble(m->model[0], &last, m->count > 1, err);
}

attend_status at_models_add_all(at_models *m, at_cli *cli, const at_paths *paths, attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (int i = 0; paths && i < paths->count && status >= 0; i++)
        status = at_models_add(m, cli, paths->item[i], err);
    return status;
}

void at_models_use(const at_models *m, attend_translate_options *o)
{
    o->ensemble = (const attend_model *const *)m->model + 1;
    o->ensemble_count = m->count - 1;
}

static attend_model_info info_of(const attend_model *m)
{
    attend_model_info info = {.size = sizeof info};
    attend_model_describe(m, &info, NULL);
    return info;
}

attend_status at_models_need_attention(const at_models *m, const char *option, attend_error *err)
{
    for (size_t i = 0; i < m->count; i++)
        if (info_of(m->model[i]).attention >> ATTEND_ATTENTION_CROSS & 1)
            return ATTEND_OK;
    return at_error(err, ATTEND_OPTION, "%s: a model without attention has no weights", option);
}

int at_models_features(const at_models *m) { return info_of(m->model[0]).features; }

void at_models_free(at_models *m)
{
    for (size_t i = 0; i < m->count; i++)
        attend_model_free(m->model[i]);
    m->count = 0;
}
