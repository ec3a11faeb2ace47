#include "api/recipe_model.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "store/model_config.h"

/* ---- where it is told ---------------------------------------------------------------------- */

const char *at_recipe_given(const at_recipe *r, const char *name)
{
    const char *value = NULL;
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->settings[i].name, name) == 0)
            value = r->settings[i].value;
    return value;
}

const char *at_recipe_told(const at_recipe *r, const char *name)
{
    const at_config_entry *e = at_config_find(&r->file, name);
    const char *value = at_recipe_given(r, name);
    return value ? value : e ? e->value : NULL;
}

bool at_recipe_goes_on(const at_recipe *r)
{
    const char *value = at_recipe_given(r, "resume");
    return value && at_choice_find("yes|true|on|1", value) >= 0;
}

/* ---- another preset than the file's -------------------------------------------------------- */

/* Is it what the preset itself has? own and other: settings as the preset has them; other is
 * changed. */
static bool of_preset(const at_preset *p, const at_config_entry *e, const void *own, void *other)
{
    at_option_set set = {p->kind->options, other};
    void *fields;
    attend_error ignored;
    const at_option *o = at_option_find(&set, 1, e->name, &fields);
    if (o && !e->value)
        return true;
    if (!o || at_option_assign(o, e->value, other, e->name, &ignored) < 0)
        return false;
    at_str a = {0}, b = {0};
    at_option_print(&a, o, own);
    at_option_print(&b, o, other);
    bool same = !a.failed && !b.failed && strcmp(at_str_text(&a), at_str_text(&b)) == 0;
    at_str_free(&a);
    at_str_free(&b);
    return same;
}

/* A file of all settings (--dump-config) would make a mixture of the two presets: what it has from
 * its own is forgotten. */
static attend_status forget_preset(at_recipe *r, attend_error *err)
{
    const at_config_entry *e = at_config_find(&r->file, "preset");
    const char *name = at_recipe_given(r, "preset");
    if (!e || !name || strcmp(e->value, name) == 0)
        return ATTEND_OK;
    const at_preset *p = at_preset_find(e->value, err);
    if (!p)
        return ATTEND_OPTION;
    void *own = at_alloc_zero(1, p->kind->settings_size),
         *other = at_alloc_zero(1, p->kind->settings_size);
    attend_status status = own && other ? at_preset_settings(p, own, err) : at_error_memory(err);
    if (status >= 0)
        status = at_preset_settings(p, other, err);
    size_t kept = 0;
    for (size_t i = 0; i < r->file.count && status >= 0; i++)
        if (!of_preset(p, &r->file.entry[i], own, other))
            r->file.entry[kept++] = r->file.entry[i];
    if (status >= 0)
        r->file.count = kept;
    at_free(own);
    at_free(other);
    return status;
}

/* ---- the model of another run -------------------------------------------------------------- */

static attend_status read_model(at_recipe *r, const char *folder, const at_model_kind *kind,
                                json_t *json, attend_error *err)
{
    const char *preset = json_string_value(json_object_get(json, "preset"));
    const char *wanted = at_recipe_told(r, "preset");
    if (!preset)
        return at_error(err, ATTEND_FORMAT,
                        "--init-from %s: no model of attend train: config.json has no preset",
                        at_show(folder).text);
    if (wanted && strcmp(wanted, preset) != 0)
        return at_error(err, ATTEND_OPTION,
                        "--preset %.40s: the model of --init-from is one of %.40s; leave the "
                        "preset out, or --init-from",
                        wanted, preset);
    r->preset = at_preset_find(preset, err);
    if (!r->preset)
        return ATTEND_OPTION;
    if (r->preset->kind != kind)
        return at_error(err, ATTEND_FORMAT,
                        "--init-from %s: config.json has the preset %.40s, which is not a %s; "
                        "restore the file",
                        at_show(folder).text, preset, kind->name);
    r->model = at_alloc_zero(1, kind->settings_size);
    return r->model ? at_model_config_settings(folder, kind, json, r->model, &r->strings, err)
                    : at_error_memory(err);
}

static attend_status take_model(at_recipe *r, const char *folder, attend_error *err)
{
    json_t *json;
    const at_model_kind *kind;
    attend_status status = at_model_config_read(folder, &kind, &json, err);
    if (status < 0)
        return status;
    status = read_model(r, folder, kind, json, err);
    r->begun = status >= 0;
    json_decref(json);
    return status;
}

static attend_status take_preset(at_recipe *r, attend_error *err)
{
    const at_config_entry *before = at_config_find(&r->stored, "preset");
    const char *name = at_recipe_told(r, "preset");
    if (before && name && strcmp(before->value, name) != 0)
        return at_error(err, ATTEND_OPTION,
                        "--preset %.40s: the run that goes on is one of %.40s; leave the preset "
                        "out, or start a new run elsewhere",
                        name, before->value);
    r->preset = at_preset_find(before ? before->value : name ? name : "bahdanau", err);
    if (!r->preset)
        return ATTEND_OPTION;
    r->model = at_alloc_zero(1, r->preset->kind->settings_size);
    return r->model ? at_preset_settings(r->preset, r->model, err) : at_error_memory(err);
}

attend_status at_recipe_choose(at_recipe *r, attend_error *err)
{
    const char *from = at_recipe_goes_on(r) ? NULL : at_recipe_told(r, "init-from");
    attend_status status = forget_preset(r, err);
    if (status >= 0)
        status = from && *from ? take_model(r, from, err) : take_preset(r, err);
    return status < 0 ? status : at_options_defaults(at_run_options, &r->run, err);
}
