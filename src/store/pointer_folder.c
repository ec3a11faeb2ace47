#include "store/pointer_folder.h"

#include <math.h>

#include "base/file.h"
#include "store/model_folder.h"

static const char type[] = "attend-pointer";

attend_status at_pointer_folder_save(const char *folder, const at_pointer_folder *f,
                                     attend_error *err)
{
    at_option_set set = {at_pointer_options, (void *)&f->settings};
    attend_status status = at_folder_make(folder, err);
    if (status < 0)
        return status;
    at_json_start();
    json_t *more = json_pack("{so, so}", "item_mean",
                             at_model_numbers_json(f->mean, f->model.width), "item_spread",
                             at_model_numbers_json(f->spread, f->model.width));
    return more ? at_model_config_save(folder, type, set, more, err) : at_error_memory(err);
}

attend_status at_pointer_folder_open(const char *folder, at_pointer_folder *f, attend_error *err)
{
    *f = (at_pointer_folder){.params = NULL};
    at_option_set set = {at_pointer_options, &f->settings};
    json_t *json = NULL;
    attend_status status = at_model_config_load(folder, type, set, &f->strings, &json, err);
    int width = at_model_numbers(json, "item_mean", ATTEND_ITEM_WIDTH_MOST, -INFINITY, f->mean);
    if (status >= 0
        && (width == 0
            || at_model_numbers(json, "item_spread", ATTEND_ITEM_WIDTH_MOST, 0, f->spread)
                   != width))
        status = at_error(err, ATTEND_FORMAT,
                          "%s/config.json: item_mean and item_spread must be lists of as many "
                          "numbers as an item has, 1 to %d",
                          at_show(folder).text, ATTEND_ITEM_WIDTH_MOST);
    json_decref(json);
    if (status >= 0)
        status = at_pointer_model(&f->settings, width, &f->model, err);
    status = at_model_config_error(folder, status, err);
    if (status >= 0 && !(f->params = at_params_new(0)))
        status = at_error_memory(err);
    return status;
}

/* one item, pointed to and then the end */
static void try_out(at_tape *t, const void *model)
{
    static const int length[1] = {1}, before[2] = {0, 1};
    const at_pointer *m = model;
    at_pointing p = at_pointer_read(t, m, at_zeros(t, SHAPE(1, 1, m->width)), length);
    if (!at_failed(t))
        at_pointer_point(t, m, &p, (at_ids){SHAPE(1, 2), before});
}

attend_status at_pointer_folder_weights(at_pointer_folder *f, const char *folder, attend_error *err)
{
    return at_model_weights(folder, NULL, f->params, try_out, &f->model, err);
}

void at_pointer_folder_free(at_pointer_folder *f)
{
    if (f->params)
        at_params_free(f->params);
    at_arena_free(&f->strings);
}

void at_pointer_folder_scale(const at_pointer_folder *f, const real *item, real *to)
{
    for (int i = 0; i < f->model.width; i++)
        to[i] = (real)(((double)item[i] - f->mean[i]) / f->spread[i]);
}
