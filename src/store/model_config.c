/* config.json: the settings of a model under their names, and what its kind adds. */
#include "store/model_config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/checksum_list.h"
#include "base/file.h"
#include "base/guess.h"
#include "base/memory.h"
#include "base/number.h"
#include "store/hub.h"

/* ---- saving --------------------------------------------------------------------------------- */

json_t *at_config_value(const at_option *o, const void *fields)
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

/* a word with `to` for `from`: names of settings have '-' where keys of config.json have '_' */
static key_text changed(const char *word, char from, char to)
{
    key_text text;
    snprintf(text.text, sizeof text.text, "%s", word);
    for (char *c = text.text; *c; c++)
        *c = *c == from ? to : *c;
    return text;
}

static key_text key_of(const at_option *o) { return changed(o->name, '-', '_'); }

static json_t *settings_json(const at_model_kind *kind, void *settings)
{
    json_t *json = json_pack("{ss}", "model_type", kind->type);
    for (const at_option *o = kind->options; json && o->name; o++) {
        if (json_object_set_new(json, key_of(o).text, at_config_value(o, settings)) < 0) {
            json_decref(json);
            json = NULL;
        }
    }
    return json;
}

attend_status at_model_config_save(const char *folder, const at_model_kind *kind, void *settings,
                                   json_t *more, attend_error *err)
{
    at_json_start();
    json_t *json = settings_json(kind, settings);
    char *path = at_file_join(folder, "config.json");
    bool made = path && json && (!more || json_object_update(json, more) == 0);
    attend_status status = made ? at_checksum_list_clear(folder, err) : at_error_memory(err);
    if (status >= 0 && (status = at_json_save(path, json, err)) >= 0)
        status = at_checksum_list_save(folder, (const char *const[]){"config.json", NULL}, err);
    at_free(path);
    json_decref(json);
    json_decref(more);
    return status;
}

/* ---- opening -------------------------------------------------------------------------------- */

/* the keys of a kind that are not settings */
static const char *other_keys(const at_model_kind *kind)
{
    return kind->parts & ATTEND_PART_VECTORS  ? "source_features|feature_mean|feature_spread"
           : kind->parts & ATTEND_PART_LABELS ? "id2label"
           : kind->parts & ATTEND_PART_ITEMS  ? "item_mean|item_spread"
                                              : "";
}

/* the setting under a key, or NULL */
static const at_option *setting_of(at_option_set settings, const char *key)
{
    void *fields;
    if (strlen(key) >= sizeof(key_text))
        return NULL;
    return at_option_find(&settings, 1, changed(key, '_', '-').text, &fields);
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

static attend_status unknown_key(at_option_set settings, const char *file, const char *others,
                                 const char *key, attend_error *err)
{
    key_text name = changed(key, '_', '-');
    at_guess guess = {.word = name.text};
    for (const at_option *o = settings.options; o->name; o++)
        at_guess_consider(&guess, o->name, strlen(o->name));
    for (size_t n; *others; others += n + (others[n] == '|')) {
        n = strcspn(others, "|");
        at_guess_consider(&guess, changed(others, '_', '-').text, n);
    }
    return at_error(err, ATTEND_FORMAT,
                    "%s: unknown key '%.60s'%s%s%s; correct the file, or restore it",
                    at_show(file).text, key, *guess.best ? "; did you mean '" : "",
                    changed(guess.best, '-', '_').text, *guess.best ? "'?" : "");
}

/* A file of ours has all keys of its type, and no others: a default in the place of a key that was
 * lost would make another model of it. */
static attend_status check_keys(at_option_set settings, const char *file, const char *others,
                                json_t *json, attend_error *err)
{
    const char *key;
    json_t *value;
    json_object_foreach(json, key, value)
    {
        if (!setting_of(settings, key) && strcmp(key, "model_type") != 0
            && at_choice_find(others, key) < 0)
            return unknown_key(settings, file, others, key, err);
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

static attend_status unknown_type(const char *folder, const char *type, attend_error *err)
{
    at_str kinds = {0};
    for (int i = 0; i < at_model_kind_count; i++)
        if (!(at_model_kinds[i]->parts & ATTEND_PART_FILE)) {
            at_str_add(&kinds, kinds.length ? ", " : "");
            at_str_add(&kinds, at_model_kinds[i]->type);
        }
    for (int i = 0; i < at_hub_count; i++)
        if (i == 0 || strcmp(at_hubs[i]->type, at_hubs[i - 1]->type) != 0)
            at_str_print(&kinds, ", %s", at_hubs[i]->type);
    attend_status status = at_error(err, ATTEND_FORMAT,
                                    "%s/config.json: model_type '%.60s' is not a kind of model "
                                    "that attend knows: %s",
                                    at_show(folder).text, type ? type : "", at_str_text(&kinds));
    at_str_free(&kinds);
    return status;
}

attend_status at_model_config_load(const char *folder, json_t **out, attend_error *err)
{
    char *path = at_file_join(folder, "config.json");
    *out = NULL;
    attend_status status = path ? check_folder(folder, path, err) : at_error_memory(err);
    if (status >= 0)
        status = at_checksum_list_verify(folder, NULL, NULL, err);
    if (status >= 0)
        status = at_json_load(path, out, err);
    at_free(path);
    return status;
}

attend_status at_model_config_kind(const char *folder, const json_t *json,
                                   const at_model_kind **kind, attend_error *err)
{
    const char *type = json_string_value(json_object_get(json, "model_type"));
    *kind = type ? at_model_kind_of(type) : NULL;
    return *kind && !((*kind)->parts & ATTEND_PART_FILE) ? ATTEND_OK
                                                         : unknown_type(folder, type, err);
}

attend_status at_model_config_settings(const char *folder, const at_model_kind *kind, json_t *json,
                                       void *fields, at_arena *strings, attend_error *err)
{
    at_option_set settings = {kind->options, fields};
    json_t *value;
    const char *key;
    char *path = at_file_join(folder, "config.json");
    attend_status status = path ? check_keys(settings, path, other_keys(kind), json, err)
                                : at_error_memory(err);
    if (status >= 0)
        status = at_options_defaults(kind->options, fields, err);
    json_object_foreach(json, key, value)
    {
        if (status >= 0)
            status = read_setting(settings, path, key, value, strings, err);
    }
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

/* ---- labels and lists of numbers ------------------------------------------------------------ */

json_t *at_config_labels(const at_vocab *labels)
{
    json_t *names = json_object();
    for (int32_t i = 0; names && i < at_vocab_size(labels); i++) {
        char key[16];
        size_t size;
        const char *text = at_vocab_text(labels, i, &size);
        snprintf(key, sizeof key, "%d", (int)i);
        if (json_object_set_new(names, key, json_stringn(text, size)) < 0)
            return json_decref(names), NULL;
    }
    return names;
}

json_t *at_config_numbers_json(const double *value, int n)
{
    json_t *list = json_array();
    for (int i = 0; list && i < n; i++)
        if (json_array_append_new(list, json_real(value[i])) < 0)
            return json_decref(list), NULL;
    return list;
}

int at_config_numbers(const json_t *json, const char *name, int most, double above, double *to)
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
