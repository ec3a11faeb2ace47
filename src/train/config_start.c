/* What a configuration starts from: a preset or a model, and the task. */
#include "train/config_parts.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/option_alias.h"
#include "store/hub.h"
#include "store/model_config.h"
#include "store/model_folder.h"

/* ---- values -------------------------------------------------------------------------------- */

const char *at_train_config_given(const at_train_config *c, const char *name)
{
    const char *value = NULL;
    for (size_t i = 0; i < c->count; i++)
        if (at_option_alias_same(c->settings[i].name, name))
            value = c->settings[i].value;
    return value;
}

const char *at_train_config_value(const at_train_config *c, const char *name)
{
    const at_config_entry *e = at_config_find(&c->file, name);
    const char *value = at_train_config_given(c, name);
    return value ? value : e ? e->value : NULL;
}

static bool is_given(const at_train_config *c, const char *flag)
{
    const char *value = at_train_config_given(c, flag);
    return value && at_choice_find("yes|true|on|1", value) >= 0;
}

bool at_train_config_resumes(const at_train_config *c) { return is_given(c, "resume"); }

static bool pretrains(const at_train_config *c) { return is_given(c, "pretrain"); }

/* ---- another preset than the file's -------------------------------------------------------- */

/* Is it what the preset itself has? own and other: settings as the preset has them; other is
 * changed. */
static bool of_preset(const at_preset *p, const at_config_entry *e, const void *own, void *other)
{
    at_option_set set = {p->kind->options, other};
    void *fields;
    attend_error ignored;
    if (strcmp(e->name, "task") == 0)
        return !e->value || strcmp(e->value, at_task_for(p->kind, false)->name) == 0;
    const char *training = at_preset_training(p, e->name);
    const at_option *o = at_option_find(&set, 1, e->name, &fields);
    if (!e->value)
        return true;
    if (!o)
        return training ? strcmp(e->value, training) == 0
                        : at_train_config_is_default(e->name, e->value);
    if (at_option_assign(o, e->value, other, e->name, &ignored) < 0)
        return false;
    at_str a = {0}, b = {0};
    at_option_print(&a, o, own);
    at_option_print(&b, o, other);
    bool same = !a.failed && !b.failed && strcmp(at_str_text(&a), at_str_text(&b)) == 0;
    at_str_free(&a);
    at_str_free(&b);
    return same;
}

/* A file of all settings (--dump-config) would make a mixture of the two presets: settings of its
 * own preset are left out. */
static attend_status forget_preset(at_train_config *c, attend_error *err)
{
    const at_config_entry *e = at_config_find(&c->file, "preset");
    const char *name = at_train_config_given(c, "preset");
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
    for (size_t i = 0; i < c->file.count && status >= 0; i++)
        if (!of_preset(p, &c->file.entry[i], own, other))
            c->file.entry[kept++] = c->file.entry[i];
    if (status >= 0)
        c->file.count = kept;
    at_free(own);
    at_free(other);
    return status;
}

/* ---- the model of another run -------------------------------------------------------------- */

static attend_status read_model(at_train_config *c, const char *folder, const at_model_kind *kind,
                                json_t *json, attend_error *err)
{
    const char *preset = json_string_value(json_object_get(json, "preset"));
    const char *wanted = at_train_config_value(c, "preset");
    if (!preset)
        return at_error(err, ATTEND_FORMAT,
                        "--init-from %s: no model of attend train: config.json has no preset",
                        at_show(folder).text);
    if (wanted && strcmp(wanted, preset) != 0)
        return at_error(err, ATTEND_OPTION,
                        "--preset %.40s: the model of --init-from is one of %.40s; leave the "
                        "preset out, or --init-from",
                        wanted, preset);
    c->preset = at_preset_find(preset, err);
    if (!c->preset)
        return ATTEND_OPTION;
    if (c->preset->kind != kind)
        return at_error(err, ATTEND_FORMAT,
                        "--init-from %s: config.json has the preset %.40s, which is not a %s; "
                        "restore the file",
                        at_show(folder).text, preset, kind->name);
    c->model = at_alloc_zero(1, kind->settings_size);
    return c->model ? at_model_config_settings(folder, kind, json, c->model, &c->strings, err)
                    : at_error_memory(err);
}

/* The settings of an open model, with strings of our own. */
static attend_status copy_settings(at_train_config *c, const at_model *m, attend_error *err)
{
    const at_option *o = m->kind->options;
    attend_status status = at_options_defaults(o, c->model, err);
    for (; o->name && status >= 0; o++) {
        at_str value = {0};
        at_option_print(&value, o, m->settings);
        char *copy = value.length ? at_arena_alloc_small(&c->strings, value.length + 1) : NULL;
        if (value.failed || (value.length && !copy))
            status = at_error_memory(err);
        else if (copy)
            status = at_option_assign(o, strcpy(copy, at_str_text(&value)), c->model, o->name, err);
        at_str_free(&value);
    }
    return status;
}

/* A folder of the hub has no preset: any of its kind names the settings. */
static attend_status take_hub_model(at_train_config *c, const char *folder, attend_error *err)
{
    at_model *m;
    attend_status status = at_model_open_unweighted(folder, &m, err);
    if (status < 0)
        return status;
    for (int i = 0; i < at_preset_count && !c->preset; i++)
        c->preset = at_presets[i]->kind == m->kind ? at_presets[i] : NULL;
    c->model = at_alloc_zero(1, m->kind->settings_size);
    if (!c->preset)
        status = at_error(err, ATTEND_OPTION, "--init-from %s: a %s cannot be trained",
                          at_show(folder).text, m->kind->name);
    else
        status = c->model ? copy_settings(c, m, err) : at_error_memory(err);
    at_model_free(m);
    return status;
}

static attend_status take_model(at_train_config *c, const char *folder, attend_error *err)
{
    json_t *json;
    const at_model_kind *kind;
    attend_status status = at_model_config_load(folder, &json, err);
    if (status < 0)
        return status;
    const at_hub *hub = at_hub_find(folder, json, &status, err);
    if (status >= 0 && hub)
        status = take_hub_model(c, folder, err);
    else if (status >= 0)
        status = at_model_config_kind(folder, json, &kind, err);
    if (status >= 0 && !hub)
        status = read_model(c, folder, kind, json, err);
    c->from_model = status >= 0;
    json_decref(json);
    return status;
}

static attend_status take_preset(at_train_config *c, attend_error *err)
{
    const at_config_entry *before = at_config_find(&c->stored, "preset");
    const char *name = at_train_config_value(c, "preset");
    if (before && name && strcmp(before->value, name) != 0)
        return at_error(err, ATTEND_OPTION,
                        "--preset %.40s: the run that goes on is one of %.40s; leave the preset "
                        "out, or start a new run elsewhere",
                        name, before->value);
    const char *usual = pretrains(c) ? "bert-tiny" : "bahdanau";
    c->preset = at_preset_find(before ? before->value : name ? name : usual, err);
    if (!c->preset)
        return ATTEND_OPTION;
    c->model = at_alloc_zero(1, c->preset->kind->settings_size);
    return c->model ? at_preset_settings(c->preset, c->model, err) : at_error_memory(err);
}

/* ---- the task ------------------------------------------------------------------------------ */

static attend_status add_set(at_train_config *c, const at_option *options, void *fields,
                             attend_error *err)
{
    c->sets[c->n_sets++] = (at_option_set){options, fields};
    return at_options_defaults(options, fields, err);
}

static attend_status take_task(at_train_config *c, attend_error *err)
{
    const at_config_entry *before = at_config_find(&c->stored, "task");
    const char *name = before ? before->value : at_train_config_value(c, "task");
    const at_model_kind *kind = c->preset->kind;
    bool pretrain = pretrains(c);
    c->task = name && *name ? at_task_find(name, kind, pretrain, err) : at_task_for(kind, pretrain);
    if (!c->task && !(name && *name))
        return at_error(err, ATTEND_OPTION,
                        "a %s is not pre-trained on text; attend train trains it, and attend list "
                        "presets shows others",
                        kind->name);
    if (!c->task)
        return ATTEND_OPTION;
    if (kind->aim)
        kind->aim(c->model, c->task->can);
    c->own = at_alloc_zero(1, c->task->settings_size ? c->task->settings_size : 1);
    return c->own ? ATTEND_OK : at_error_memory(err);
}

/* What the preset says of training; a run that starts from a model begins with the defaults. */
static attend_status take_training(at_train_config *c, attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (const attend_setting *s = c->from_model ? NULL : c->preset->training;
         s && s->name && status >= 0; s++) {
        void *fields;
        const at_option *o = at_option_find(c->sets, c->n_sets, s->name, &fields);
        if (o)
            status = at_option_assign(o, s->value, fields, s->name, err);
    }
    return status;
}

static attend_status make_sets(at_train_config *c, attend_error *err)
{
    attend_status status = add_set(c, at_run_options, &c->run, err);
    for (int i = 0; status >= 0 && c->task->shared[i]; i++)
        status = add_set(c, c->task->shared[i], &c->run, err);
    if (status >= 0 && c->task->options)
        status = add_set(c, c->task->options, c->own, err);
    c->run.task = c->task->name;
    c->sets[c->n_sets++] = (at_option_set){c->preset->kind->options, c->model};
    return status < 0 ? status : take_training(c, err);
}

attend_status at_train_config_start(at_train_config *c, attend_error *err)
{
    const char *from = at_train_config_resumes(c) ? NULL : at_train_config_value(c, "init-from");
    attend_status status = forget_preset(c, err);
    if (status >= 0)
        status = from && *from ? take_model(c, from, err) : take_preset(c, err);
    if (status >= 0)
        status = take_task(c, err);
    return status < 0 ? status : make_sets(c, err);
}
