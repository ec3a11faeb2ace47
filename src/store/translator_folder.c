#include "store/translator_folder.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "store/weights.h"

static const char type[] = "attend-translator";

/* ---- saving --------------------------------------------------------------------------------- */

/* every setting as text, under its name with '_' for '-' */
static json_t *settings_json(const at_translator *s)
{
    json_t *json = json_pack("{ss}", "model_type", type);
    for (const at_option *o = at_translator_options; json && o->name; o++) {
        char key[64];
        at_str text = {0};
        at_option_print(&text, o, s);
        for (size_t i = 0; i < sizeof key; i++)
            if ((key[i] = o->name[i] == '-' ? '_' : o->name[i]) == '\0')
                break;
        json_t *value = o->type == ATTEND_OPTION_INT
                            ? json_integer(*(const int *)((const char *)s + o->offset))
                        : o->type == ATTEND_OPTION_REAL
                            ? json_real(*(const double *)((const char *)s + o->offset))
                        : o->type == ATTEND_OPTION_FLAG
                            ? json_boolean(*(const bool *)((const char *)s + o->offset))
                            : json_string(at_str_text(&text));
        if (text.failed || json_object_set_new(json, key, value) < 0) {
            json_decref(json);
            json = NULL;
        }
        at_str_free(&text);
    }
    return json;
}

static attend_status save_tokenizer(const char *folder, const char *name, const at_tokenizer *t,
                                    attend_error *err)
{
    char *path = at_file_join(folder, name);
    attend_status status = path ? at_tokenizer_save(t, path, err) : at_error_memory(err);
    at_free(path);
    return status;
}

attend_status at_translator_folder_save(const char *folder, const at_translator *settings,
                                        const at_tokenizer *source, const at_tokenizer *target,
                                        attend_error *err)
{
    attend_status status = at_folder_make(folder, err);
    if (status >= 0)
        status = save_tokenizer(folder, source == target ? "tokenizer" : "source", source, err);
    if (status >= 0 && source != target)
        status = save_tokenizer(folder, "target", target, err);
    if (status < 0)
        return status;
    at_json_start();
    json_t *json = settings_json(settings);
    char *path = at_file_join(folder, "config.json");
    status = path ? at_json_save(path, json, err) : at_error_memory(err);
    at_free(path);
    json_decref(json);
    return status;
}

/* ---- opening -------------------------------------------------------------------------------- */

static const char *keep_text(at_translator_folder *f, const char *text)
{
    char *copy = at_arena_alloc_small(&f->strings, strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

/* one field of config.json, as the option would be written; unknown keys are other programs' */
static attend_status read_setting(at_translator_folder *f, const char *file, const char *key,
                                  const json_t *value, attend_error *err)
{
    char name[64], number[64], where[160];
    at_option_set set = {at_translator_options, &f->settings};
    void *fields;
    size_t n = strlen(key);
    for (size_t i = 0; i <= n && n < sizeof name; i++)
        name[i] = key[i] == '_' ? '-' : key[i];
    const at_option *o = n < sizeof name ? at_option_find(&set, 1, name, &fields) : NULL;
    if (!o)
        return ATTEND_OK;
    const char *text = json_string_value(value);
    if (json_is_boolean(value))
        text = json_is_true(value) ? "yes" : "no";
    else if (json_is_number(value)) {
        snprintf(number, sizeof number, "%.17g", json_number_value(value));
        text = number;
    }
    snprintf(where, sizeof where, "%s: %s", at_show(file).text, name);
    if (!text)
        return at_error(err, ATTEND_FORMAT, "%s: neither text nor number; correct it", where);
    text = keep_text(f, text);
    return text ? at_option_assign(o, text, fields, where, err) : at_error_memory(err);
}

static attend_status read_config(at_translator_folder *f, const char *folder, attend_error *err)
{
    json_t *json = NULL, *value;
    const char *key;
    char *path = at_file_join(folder, "config.json");
    attend_status status = path ? at_json_load(path, &json, err) : at_error_memory(err);
    const char *model = json_string_value(json_object_get(json, "model_type"));
    if (status >= 0 && (!model || strcmp(model, type) != 0))
        status = at_error(err, ATTEND_FORMAT,
                          "%s: model_type is '%s', not '%s'; this is no "
                          "recurrent translator",
                          at_show(path).text, model ? model : "", type);
    if (status >= 0)
        status = at_options_defaults(at_translator_options, &f->settings, err);
    json_object_foreach(json, key, value)
    {
        if (status >= 0)
            status = read_setting(f, path, key, value, err);
    }
    json_decref(json);
    at_free(path);
    return status;
}

static attend_status open_tokenizer(const char *folder, const char *name, at_tokenizer **out,
                                    attend_error *err)
{
    char *path = at_file_join(folder, name);
    attend_status status = path ? at_tokenizer_open(path, out, err) : at_error_memory(err);
    at_free(path);
    return status;
}

attend_status at_translator_folder_open(const char *folder, at_translator_folder *f,
                                        attend_error *err)
{
    *f = (at_translator_folder){.params = NULL};
    attend_status status = read_config(f, folder, err);
    char *one = at_file_join(folder, "tokenizer");
    bool shared = one && at_file_exists(one);
    at_free(one);
    if (status >= 0)
        status = open_tokenizer(folder, shared ? "tokenizer" : "source", &f->source, err);
    if (status >= 0 && !shared)
        status = open_tokenizer(folder, "target", &f->target, err);
    if (status >= 0 && shared)
        f->target = f->source;
    if (status >= 0)
        status = at_translator_model(&f->settings, at_tokenizer_size(f->source),
                                     at_tokenizer_size(f->target), &f->model, err);
    if (status >= 0 && !(f->params = at_params_new(0)))
        status = at_error_memory(err);
    return status;
}

attend_status at_translator_folder_weights(at_translator_folder *f, const char *folder,
                                           const char *file, attend_error *err)
{
    char *path = file ? NULL : at_file_join(folder, "model.safetensors");
    if (!file && !path)
        return at_error_memory(err);
    attend_status status = at_weights_load(file ? file : path, "", f->params, err);
    at_free(path);
    at_params_seal(f->params);
    return status;
}

void at_translator_folder_free(at_translator_folder *f)
{
    if (f->target != f->source)
        at_tokenizer_free(f->target);
    at_tokenizer_free(f->source);
    if (f->params)
        at_params_free(f->params);
    at_arena_free(&f->strings);
}
