#include "store/pointer_folder.h"

#include <math.h>

#include "base/file.h"
#include "store/model_folder.h"

static const char type[] = "attend-pointer";

static json_t *numbers(const double *value, int n)
{
    json_t *list = json_array();
    for (int i = 0; list && i < n; i++)
        if (json_array_append_new(list, json_real(value[i])) < 0)
            return json_decref(list), NULL;
    return list;
}

attend_status at_pointer_folder_save(const char *folder, const at_pointer_folder *f,
                                     attend_error *err)
{
    at_option_set set = {at_pointer_options, (void *)&f->settings};
    attend_status status = at_folder_make(folder, err);
    if (status < 0)
        return status;
    at_json_start();
    json_t *more = json_pack("{so, so}", "item_mean", numbers(f->mean, f->model.width),
                             "item_spread", numbers(f->spread, f->model.width));
    return more ? at_model_config_save(folder, type, set, more, err) : at_error_memory(err);
}

/* Numbers of that name into to; how many, or 0 where they make no sense. */
static int read_numbers(const json_t *json, const char *name, bool positive, double *to)
{
    const json_t *list = json_object_get(json, name);
    size_t n = json_array_size(list);
    if (n > ATTEND_ITEM_WIDTH_MOST)
        return 0;
    for (size_t i = 0; i < n; i++) {
        const json_t *x = json_array_get(list, i);
        to[i] = json_is_number(x) ? json_number_value(x) : NAN;
        if (!isfinite(to[i]) || (positive && !(to[i] > 0)))
            return 0;
    }
    return (int)n;
}

attend_status at_pointer_folder_open(const char *folder, at_pointer_folder *f, attend_error *err)
{
    *f = (at_pointer_folder){.params = NULL};
    at_option_set set = {at_pointer_options, &f->settings};
    json_t *json = NULL;
    attend_status status = at_model_config_load(folder, type, set, &f->strings, &json, err);
    int width = read_numbers(json, "item_mean", false, f->mean);
    if (status >= 0 && (width == 0 || read_numbers(json, "item_spread", true, f->spread) != width))
        status = at_error(err, ATTEND_FORMAT,
                          "%s/config.json: item_mean and item_spread must be lists of as many "
                          "numbers as an item has, 1 to %d",
                          at_show(folder).text, ATTEND_ITEM_WIDTH_MOST);
    json_decref(json);
    if (status >= 0)
        status = at_pointer_model(&f->settings, width, &f->model, err);
    if (status >= 0 && !(f->params = at_params_new(0)))
        status = at_error_memory(err);
    return status;
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
