/* Folders of the Hugging Face hub: which kind one is, its settings, its parts. */
#include "store/hub.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json_write.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "store/generation.h"

const at_hub *const at_hubs[] = {
#define HUB(name) &at_hub_##name,
#include "store/hubs.def"
#undef HUB
};
const int at_hub_count = sizeof at_hubs / sizeof *at_hubs;

/* What transformers' PretrainedConfig has for all kinds. Those that only searching reads are in
 * store/generation.c. */
const at_hub_key at_hub_common_keys[] = {
    {.key = "model_type", .read = true},
    {.key = "architectures", .read = true},
    {.key = "pruned_heads", .values = "{}", .missing = "{}"},
    {.key = "tie_encoder_decoder", .values = "false", .missing = "false"},
    {.key = "is_decoder", .values = "false", .missing = "false"},
    {.key = "add_cross_attention", .values = "false", .missing = "false"},
    {.key = "quantization_config", .values = "null", .missing = "null"},
    {0}};

/* ---- kinds ---------------------------------------------------------------------------------- */

static const char *architecture_of(const json_t *config)
{
    const json_t *list = json_object_get(config, "architectures");
    const json_t *first = json_array_get(list, 0);
    bool none = !list || json_is_null(list) || (json_is_array(list) && !first);
    return none ? NULL : json_is_string(first) ? json_string_value(first) : "(not a list of names)";
}

const at_hub *at_hub_find(const char *folder, const json_t *config, attend_status *status,
                          attend_error *err)
{
    const char *type = json_string_value(json_object_get(config, "model_type"));
    const char *architecture = architecture_of(config);
    at_str known = {0};
    *status = ATTEND_OK;
    for (int i = 0; type && i < at_hub_count; i++) {
        const at_hub *h = at_hubs[i];
        if (strcmp(h->type, type) != 0)
            continue;
        if (!architecture || !h->architectures
            || at_choice_find(h->architectures, architecture) >= 0)
            return at_str_free(&known), h;
        at_str_print(&known, "%s%s", known.length ? "|" : "", h->architectures);
    }
    if (known.length)
        *status = at_error(err, ATTEND_FORMAT,
                           "%s/config.json: architectures '%.80s' is not supported; it must be "
                           "one of %s",
                           at_show(folder).text, architecture, at_str_text(&known));
    at_str_free(&known);
    return NULL;
}

static const at_hub_key *find_key(const at_hub_key *keys, const char *key)
{
    for (; keys && keys->key; keys++)
        if (strcmp(keys->key, key) == 0 || (keys->also && strcmp(keys->also, key) == 0))
            return keys;
    return NULL;
}

const at_hub_key *at_hub_key_find(const at_hub *hub, const char *key)
{
    const at_hub_key *own = find_key(hub->keys, key);
    return own ? own : find_key(at_hub_common_keys, key);
}

const char *at_hub_unused_key(const at_hub_folder *f, size_t index)
{
    const char *key;
    json_t *value;
    json_object_foreach(f->config, key, value)
    {
        if (!at_hub_key_find(f->hub, key) && !at_generation_has_key(key) && !index--)
            return key;
    }
    return NULL;
}

/* ---- settings ------------------------------------------------------------------------------- */

/* where values go, and what is wrong with them */
typedef struct {
    at_option_set settings;
    at_arena *strings;
    at_str wrong;
    bool failed; /* memory ran out */
} reading;

/* a value as options are written; objects and arrays as JSON */
static void value_text(at_str *out, const json_t *value)
{
    char number[64];
    if (json_is_string(value))
        at_str_add_bytes(out, json_string_value(value), json_string_length(value));
    else if (json_is_number(value))
        at_str_add(out, at_number_print(number, json_number_value(value)));
    else
        at_json_tree(&(at_json_out){.out = out}, NULL, value);
}

/* What the setting is for a value of "their=our|same": in `ours`; false where it is not listed. */
static bool translate(const char *values, const char *value, at_str *ours)
{
    size_t size = strlen(value);
    for (const char *v = values; *v; v += strcspn(v, "|"), v += *v == '|') {
        size_t whole = strcspn(v, "|"), n = strcspn(v, "=|");
        if (n != size || memcmp(v, value, n) != 0)
            continue;
        at_str_add_bytes(ours, n < whole ? v + n + 1 : v, n < whole ? whole - n - 1 : n);
        return true;
    }
    return false;
}

static void refuse(reading *r, const at_hub_key *k, const char *value)
{
    at_str_print(&r->wrong, "%s%s is '%.60s', it must be ", r->wrong.length ? "; " : "", k->key,
                 value);
    for (const char *v = k->values; *v; v += strcspn(v, "|"), v += *v == '|') {
        at_str_add(&r->wrong, v == k->values ? "" : strchr(v, '|') ? ", " : " or ");
        at_str_add_bytes(&r->wrong, v, strcspn(v, "=|"));
    }
}

static void assign(reading *r, const char *key, const char *setting, const char *text)
{
    void *fields;
    attend_error err;
    const at_option *o = at_option_find(&r->settings, 1, setting, &fields);
    char *copy = at_arena_alloc_small(r->strings, strlen(text) + 1);
    r->failed |= !copy;
    if (!copy)
        return;
    if (!o)
        at_error(&err, ATTEND_FORMAT, "%s: unknown setting '%s'", key, setting);
    if (!o || at_option_assign(o, strcpy(copy, text), fields, key, &err) < 0)
        at_str_print(&r->wrong, "%s%s", r->wrong.length ? "; " : "", err.message);
}

static void read_key(reading *r, const at_hub_key *k, const json_t *config)
{
    const json_t *value = k->also ? json_object_get(config, k->also) : NULL;
    at_str text = {0}, ours = {0};
    if (!value || json_is_null(value))
        value = json_object_get(config, k->key);
    if (json_is_string(value) && !json_string_length(value) && (k->values || k->setting))
        at_str_print(&r->wrong, "%s%s is empty", r->wrong.length ? "; " : "", k->key);
    else if (value && !json_is_null(value))
        value_text(&text, value);
    else if (k->missing)
        at_str_add(&text, k->missing);
    else
        at_str_print(&r->wrong, "%s%s is missing", r->wrong.length ? "; " : "", k->key);
    if (text.length) {
        bool listed = !k->values || translate(k->values, at_str_text(&text), &ours);
        if (!listed)
            refuse(r, k, at_str_text(&text));
        else if (k->setting)
            assign(r, k->key, k->setting, at_str_text(k->values ? &ours : &text));
    }
    r->failed |= text.failed || ours.failed;
    at_str_free(&text);
    at_str_free(&ours);
}

static void read_keys(reading *r, const at_hub_key *keys, const at_hub *hub, const json_t *config)
{
    for (; keys && keys->key; keys++)
        if (!keys->read && (keys->setting || keys->values)
            && at_hub_key_find(hub, keys->key) == keys)
            read_key(r, keys, config);
}

/* "name=value name=value" */
static void read_fixed(reading *r, const char *settings)
{
    for (const char *s = settings; s && *s; s += strspn(s, " ")) {
        char name[48] = "", value[64] = "";
        size_t n = strcspn(s, "="), length = strcspn(s + n, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, s);
        snprintf(value, sizeof value, "%.*s", (int)length - 1, s + n + 1);
        assign(r, name, name, value);
        s += n + length;
    }
}

attend_status at_hub_settings(const at_hub *hub, const char *file, const json_t *config,
                              void *settings, at_arena *strings, attend_error *err)
{
    reading r = {.settings = {hub->model->options, settings}, .strings = strings};
    attend_status status = at_options_defaults(hub->model->options, settings, err);
    if (status < 0)
        return status;
    read_fixed(&r, hub->settings);
    read_keys(&r, hub->keys, hub, config);
    read_keys(&r, at_hub_common_keys, hub, config);
    if (r.failed || r.wrong.failed)
        status = at_error_memory(err);
    else if (r.wrong.length)
        status = at_error(err, ATTEND_FORMAT, "%s: %s; a model with these values is not supported",
                          at_show(file).text, at_str_text(&r.wrong));
    at_str_free(&r.wrong);
    return status;
}

/* ---- a folder ------------------------------------------------------------------------------- */

static void close_folder(void *thing)
{
    at_hub_folder *f = thing;
    json_decref(f->config);
    json_decref(f->generation);
    at_weight_files_free(&f->files);
    at_arena_free(&f->memory);
    at_free(f);
}

/* The folder as a thing of the model's parameters, with its files open. */
static attend_status open_folder(const char *path, const at_hub *hub, json_t *config, at_model *m,
                                 attend_error *err)
{
    at_hub_folder *f = at_alloc_zero(1, sizeof *f);
    if (!f) {
        json_decref(config);
        return at_error_memory(err);
    }
    f->hub = hub;
    f->config = config;
    if (at_params_own(m->params, f, close_folder, err) < 0) {
        close_folder(f);
        return ATTEND_MEMORY;
    }
    m->hub = f;
    char *copy = at_arena_alloc_small(&f->memory, strlen(path) + 1);
    char *generation = at_file_join(path, "generation_config.json");
    attend_status status = copy && generation ? ATTEND_OK : at_error_memory(err);
    if (status >= 0) {
        f->path = strcpy(copy, path);
        status = at_weight_files_open(path, m->params, &f->files, err);
    }
    if (status >= 0 && at_file_exists(generation))
        status = at_json_load(generation, &f->generation, err);
    at_free(generation);
    return status;
}

bool at_hub_has(const at_hub_folder *f, const char *name)
{
    char full[256];
    const char *prefix = f->hub->prefix ? f->hub->prefix : "";
    snprintf(full, sizeof full, "%s%s", prefix, name);
    return at_weight_files_find(&f->files, name, NULL)
           || at_weight_files_find(&f->files, full, NULL);
}

bool at_hub_classless(const at_hub_folder *f)
{
    json_t *config = NULL;
    char *path = at_file_join(f->path, "tokenizer_config.json");
    if (path && at_file_exists(path))
        at_json_load(path, &config, NULL);
    bool is = !json_is_string(json_object_get(config, "tokenizer_class"));
    json_decref(config);
    at_free(path);
    return is;
}

attend_status at_hub_tokenizer(const at_hub_folder *f, at_model *m, attend_error *err)
{
    bool there = false;
    for (const char *const *name = at_tokenizer_files; *name && !there; name++) {
        char *path = at_file_join(f->path, *name);
        there = path && strcmp(*name, "tokenizer_config.json") != 0 && at_file_exists(path);
        at_free(path);
    }
    if (!there)
        return ATTEND_OK;
    attend_status status = at_tokenizer_open(f->path, &m->source, err);
    m->target = m->source;
    return status;
}

/* A vocabulary may have more tokens than the tokenizer, and not fewer. Embeddings are often rounded
 * up to a multiple of 128; a tokenizer that lacks more was cut. */
static attend_status check_size(const at_hub_folder *f, const at_tokenizer *t, int size,
                                attend_error *err)
{
    enum { ROUNDED = 128 };
    if (t && size && at_tokenizer_size(t) <= size - ROUNDED)
        at_log(ATTEND_LOG_WARNING,
               "%s: the tokenizer has %d tokens of a vocabulary of %d; is its file complete?",
               at_show(f->path).text, at_tokenizer_size(t), size);
    if (!t || !size || at_tokenizer_size(t) <= size)
        return ATTEND_OK;
    return at_error(err, ATTEND_FORMAT,
                    "%s: the tokenizer has %d tokens and config.json a vocabulary of %d; restore "
                    "the files",
                    at_show(f->path).text, at_tokenizer_size(t), size);
}

/* ids that the folder's tokens have, before a tokenizer is open */
static int vocabulary_of(const at_model *m)
{
    static const char *const rows[] = {"embedding-rows", "token-rows"};
    at_option_set set = {m->kind->options, m->settings};
    for (int i = 0; i < 2 && !m->target_size; i++) {
        void *fields;
        const at_option *o = at_option_find(&set, 1, rows[i], &fields);
        int tokens = o ? *(const int *)((const char *)fields + o->offset) : 0;
        if (tokens > 0)
            return tokens;
    }
    return at_model_target_size(m);
}

static attend_status open_parts(at_model *m, attend_error *err)
{
    const at_hub_folder *f = m->hub;
    const at_hub *hub = f->hub;
    char *file = at_file_join(f->path, "config.json");
    attend_status status = file
                               ? at_hub_settings(hub, file, f->config, m->settings, &m->memory, err)
                               : at_error_memory(err);
    at_free(file);
    if (status >= 0 && hub->read)
        status = hub->read(f, m, err);
    if (status >= 0 && m->kind->decodes)
        status = at_generation_read(m, f->path, f->config, f->generation, vocabulary_of(m), err);
    if (status >= 0)
        status = (hub->tokenizers ? hub->tokenizers : at_hub_tokenizer)(f, m, err);
    if (status >= 0)
        status = check_size(f, m->source, m->source_size, err);
    return status < 0 ? status : check_size(f, m->target, m->target_size, err);
}

attend_status at_hub_open(const char *folder, const at_hub *hub, json_t *config, at_model **out,
                          attend_error *err)
{
    at_model *m = at_model_new(hub->model, 0);
    *out = NULL;
    if (!m) {
        json_decref(config);
        return at_error_memory(err);
    }
    attend_status status = open_folder(folder, hub, config, m, err);
    if (status >= 0)
        status = open_parts(m, err);
    if (status >= 0)
        *out = m;
    else
        at_model_free(m);
    return status;
}
