#include "store/model_folder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/checksum_list.h"
#include "base/file.h"
#include "base/guess.h"
#include "base/memory.h"
#include "base/number.h"
#include "store/weights.h"

/* ---- saving --------------------------------------------------------------------------------- */

static json_t *value_json(const at_option *o, const void *fields)
{
    const char *field = (const char *)fields + o->offset;
    at_str text = {0};
    json_t *value = NULL;
    switch (o->type) {
    case ATTEND_OPTION_INT: return json_integer(*(const int *)field);
    case ATTEND_OPTION_REAL: return json_real(*(const double *)field);
    case ATTEND_OPTION_FLAG: return json_boolean(*(const bool *)field);
    default:
        at_option_print(&text, o, fields);
        value = text.failed ? NULL : json_string(at_str_text(&text));
        at_str_free(&text);
        return value;
    }
}

typedef struct {
    char text[64];
} key_text;

/* the key of a setting in config.json */
static key_text key_of(const at_option *o)
{
    key_text key;
    snprintf(key.text, sizeof key.text, "%s", o->name);
    for (char *c = key.text; *c; c++)
        *c = *c == '-' ? '_' : *c;
    return key;
}

static json_t *settings_json(const char *type, at_option_set settings)
{
    json_t *json = json_pack("{ss}", "model_type", type);
    for (const at_option *o = settings.options; json && o->name; o++) {
        if (json_object_set_new(json, key_of(o).text, value_json(o, settings.fields)) < 0) {
            json_decref(json);
            json = NULL;
        }
    }
    return json;
}

attend_status at_model_config_save(const char *folder, const char *type, at_option_set settings,
                                   json_t *more, attend_error *err)
{
    at_json_start();
    json_t *json = settings_json(type, settings);
    char *path = at_file_join(folder, "config.json");
    attend_status status = ATTEND_OK;
    if (!path || !json || (more && json_object_update(json, more) < 0))
        status = at_error_memory(err);
    if (status >= 0)
        status = at_checksum_list_clear(folder, err);
    if (status >= 0)
        status = at_json_save(path, json, err);
    if (status >= 0)
        status = at_checksum_list_save(folder, (const char *const[]){"config.json", NULL}, err);
    at_free(path);
    json_decref(json);
    json_decref(more);
    return status;
}

/* ---- opening -------------------------------------------------------------------------------- */

/* the types of models: the command that takes them, and their keys that are not settings */
static const struct {
    const char *type, *command, *keys;
} types[] = {
    {"attend-translator", "attend translate", "source_features|feature_mean|feature_spread"},
    {"attend-classifier", "attend classify", "id2label"},
    {"attend-language-model", "attend generate", ""},
    {"attend-pointer", "attend point", "item_mean|item_spread"}};

static int type_of(const char *type)
{
    for (int i = 0; i < (int)(sizeof types / sizeof *types); i++)
        if (strcmp(types[i].type, type) == 0)
            return i;
    return -1;
}

/* the setting under a key, which has '_' for '-', or NULL */
static const at_option *setting_of(at_option_set settings, const char *key)
{
    char name[64];
    void *fields;
    size_t n = strlen(key);
    for (size_t i = 0; i <= n && n < sizeof name; i++)
        name[i] = key[i] == '_' ? '-' : key[i];
    return n < sizeof name ? at_option_find(&settings, 1, name, &fields) : NULL;
}

/* one field, as the option would be written */
static attend_status read_setting(at_option_set settings, const char *file, const char *key,
                                  const json_t *value, at_arena *strings, attend_error *err)
{
    char number[64], where[160];
    const at_option *o = setting_of(settings, key);
    if (!o)
        return ATTEND_OK;
    const char *text = json_string_value(value);
    if (json_is_boolean(value))
        text = json_is_true(value) ? "yes" : "no";
    else if (json_is_number(value)) {
        text = at_number_print(number, json_number_value(value));
    }
    snprintf(where, sizeof where, "%s: %s", at_show(file).text, o->name);
    if (!text)
        return at_error(err, ATTEND_FORMAT, "%s: neither text nor number; correct it", where);
    char *copy = at_arena_alloc_small(strings, strlen(text) + 1);
    if (!copy)
        return at_error_memory(err);
    attend_status status = at_option_assign(o, strcpy(copy, text), settings.fields, where, err);
    if (status == ATTEND_OPTION && err)
        err->status = ATTEND_FORMAT; /* of the file, not of the command line */
    return status == ATTEND_OPTION ? ATTEND_FORMAT : status;
}

static attend_status unknown_key(at_option_set settings, const char *file, const char *key,
                                 attend_error *err)
{
    char name[64];
    snprintf(name, sizeof name, "%s", key);
    at_guess guess = {.word = name};
    for (const at_option *o = settings.options; o->name; o++)
        at_guess_consider(&guess, o->name, strlen(o->name));
    return at_error(err, ATTEND_FORMAT,
                    "%s: unknown key '%.60s'%s%s%s; correct the file, or restore it",
                    at_show(file).text, key, *guess.best ? "; did you mean '" : "", guess.best,
                    *guess.best ? "'?" : "");
}

/* A file of ours has all keys of its type, and no others: a default in the place of a key that was
 * lost would make another model of it. */
static attend_status check_keys(at_option_set settings, const char *file, const char *type,
                                json_t *json, attend_error *err)
{
    const char *key, *others = types[type_of(type)].keys;
    json_t *value;
    json_object_foreach(json, key, value)
    {
        if (!setting_of(settings, key) && strcmp(key, "model_type") != 0
            && at_choice_find(others, key) < 0)
            return unknown_key(settings, file, key, err);
    }
    for (const at_option *o = settings.options; o->name; o++) {
        bool found = o->later;
        json_object_foreach(json, key, value) { found = found || setting_of(settings, key) == o; }
        if (!found)
            return at_error(err, ATTEND_FORMAT,
                            "%s: key '%s' is missing; restore the file, or train the model again",
                            at_show(file).text, key_of(o).text);
    }
    return ATTEND_OK;
}

/* A file in place of the folder is the commonest mistake: of its weights, or of lines. */
static attend_status check_folder(const char *folder, const char *config, attend_error *err)
{
    struct stat about;
    if (stat(folder, &about) < 0)
        return ATTEND_OK;
    if (!S_ISDIR(about.st_mode))
        return at_error(
            err, ATTEND_OPTION,
            "%s is a file; a model is the whole folder that attend train made, its --out",
            at_show(folder).text);
    if (!at_file_exists(config))
        return at_error(
            err, ATTEND_FILE,
            "%s: there is no config.json in it; a model is the folder that attend train "
            "made, its --out",
            at_show(folder).text);
    return ATTEND_OK;
}

attend_status at_model_config_load(const char *folder, const char *type, at_option_set settings,
                                   at_arena *strings, json_t **out, attend_error *err)
{
    json_t *json = NULL, *value;
    const char *key;
    char *path = at_file_join(folder, "config.json");
    attend_status status = path ? check_folder(folder, path, err) : at_error_memory(err);
    if (status >= 0)
        status = at_checksum_list_verify(folder, NULL, NULL, err);
    if (status >= 0)
        status = at_json_load(path, &json, err);
    const char *model = json_string_value(json_object_get(json, "model_type"));
    int kind = type_of(model ? model : "");
    if (status >= 0 && (kind < 0 || strcmp(model, type) != 0))
        status = at_error(err, ATTEND_FORMAT,
                          "%s: model_type is '%s', not '%s'; %s takes this model",
                          at_show(path).text, model ? model : "", type,
                          kind < 0 ? "no command" : types[kind].command);
    if (status >= 0)
        status = check_keys(settings, path, type, json, err);
    if (status >= 0)
        status = at_options_defaults(settings.options, settings.fields, err);
    json_object_foreach(json, key, value)
    {
        if (status >= 0)
            status = read_setting(settings, path, key, value, strings, err);
    }
    if (out && status >= 0)
        *out = json;
    else
        json_decref(json);
    at_free(path);
    return status;
}

attend_status at_model_config_error(const char *folder, attend_status status, attend_error *err)
{
    char message[sizeof err->message];
    if (status != ATTEND_OPTION)
        return status;
    snprintf(message, sizeof message, "%s", err ? err->message : "");
    return at_error(err, ATTEND_FORMAT, "%s/config.json: %s", at_show(folder).text, message);
}

/* ---- lists of numbers ---------------------------------------------------------------------- */

json_t *at_model_numbers_json(const double *value, int n)
{
    json_t *list = json_array();
    for (int i = 0; list && i < n; i++)
        if (json_array_append_new(list, json_real(value[i])) < 0)
            return json_decref(list), NULL;
    return list;
}

int at_model_numbers(const json_t *json, const char *name, int most, double above, double *to)
{
    const json_t *list = json_object_get(json, name);
    size_t n = json_array_size(list);
    if (n > (size_t)most)
        return 0;
    for (size_t i = 0; i < n; i++) {
        const json_t *x = json_array_get(list, i);
        to[i] = json_is_number(x) ? json_number_value(x) : NAN;
        if (!isfinite(to[i]) || !(to[i] > above))
            return 0;
    }
    return (int)n;
}

/* ---- tokenizers and weights ---------------------------------------------------------------- */

attend_status at_model_tokenizer_save(const char *folder, const char *name, const at_tokenizer *t,
                                      attend_error *err)
{
    char *path = at_file_join(folder, name);
    attend_status status = path ? at_tokenizer_save(t, path, err) : at_error_memory(err);
    at_free(path);
    return status;
}

void at_model_tokenizer_forget(const char *folder, const char *name)
{
    char *path = at_file_join(folder, name);
    if (path)
        at_tokenizer_forget(path);
    at_free(path);
}

attend_status at_model_tokenizer_open(const char *folder, const char *name, at_tokenizer **out,
                                      attend_error *err)
{
    char *path = at_file_join(folder, name);
    attend_status status = path ? at_tokenizer_open(path, out, err) : at_error_memory(err);
    at_free(path);
    return status;
}

static attend_status load_weights(const char *path, at_params *params, attend_error *err)
{
    attend_status status = at_weights_borrow(path, params, err);
    at_params_seal(params);
    at_params_share(params);
    return status;
}

static attend_status check_weights(const char *path, const at_tape *tried, const at_params *params,
                                   attend_error *err)
{
    if (at_failed(tried) && at_tape_error(tried)->status == ATTEND_MEMORY)
        return at_error_memory(err);
    if (at_failed(tried))
        return at_error(err, ATTEND_FORMAT, "%s: %s; the settings are those of another model",
                        at_show(path).text, at_tape_error(tried)->message);
    for (int i = 0; i < at_params_count(params); i++)
        if (!at_param_used(tried, i))
            return at_error(err, ATTEND_FORMAT,
                            "%s: tensor '%s' has no place in the model; the settings are those of "
                            "another one",
                            at_show(path).text, at_params_at(params, i)->name);
    return ATTEND_OK;
}

/* A run that is on its way has settings, but no weights before its first validation. */
static attend_status no_weights(const char *folder, attend_error *err)
{
    char *settings = at_file_join(folder, "training/settings.yaml");
    attend_status status = ATTEND_OK;
    if (settings && at_file_exists(settings))
        status = at_error(err, ATTEND_FILE,
                          "%s: there are no weights yet, the first validation writes them; attend "
                          "train --resume --out %s goes on to it",
                          at_show(folder).text, at_show(folder).text);
    at_free(settings);
    return status;
}

attend_status at_model_weights(const char *folder, const char *file, at_params *params,
                               at_model_trial *trial, const void *model, attend_error *err)
{
    char *own = file ? NULL : at_file_join(folder, "model.safetensors");
    const char *path = file ? file : own;
    attend_status status = path ? ATTEND_OK : at_error_memory(err);
    if (own && !at_file_exists(own))
        status = no_weights(folder, err);
    if (status >= 0)
        status = load_weights(path, params, err);
    at_tape *t = status < 0 ? NULL : at_tape_new(params, ATTEND_INFER);
    if (t) {
        at_tape_dry(t);
        trial(t, model);
        status = check_weights(path, t, params, err);
        at_tape_free(t);
    } else if (status >= 0)
        status = at_error_memory(err);
    at_free(own);
    return status;
}
