/* Writing a model that was trained here as a folder of the hub. The tables that folders are read
 * with are used backwards; then the folder is opened, and must have the settings of the model. */
#include <stdio.h>
#include <string.h>

#include "base/checksum_list.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "store/hub.h"
#include "store/model_config.h"
#include "store/model_folder.h"
#include "store/tensor_names.h"

/* ---- the kind ------------------------------------------------------------------------------- */

/* The settings "name=value name=value" that the model has so; -1: it has another value for one. */
static int agreeing(const char *settings, const at_model *m)
{
    int n = 0;
    for (const char *s = settings; s && *s; s += strspn(s, " ")) {
        char name[48];
        void *fields;
        at_str value = {0};
        size_t before = strcspn(s, "="), whole = strcspn(s, " ");
        snprintf(name, sizeof name, "%.*s", (int)before, s);
        at_option_set set = {m->kind->options, m->settings};
        const at_option *o = at_option_find(&set, 1, name, &fields);
        if (o)
            at_option_print(&value, o, fields);
        bool same = value.length == whole - before - 1
                    && memcmp(at_str_text(&value), s + before + 1, value.length) == 0;
        at_str_free(&value);
        if (!same)
            return -1;
        n++;
        s += whole;
    }
    return n;
}

/* Of the kinds that have such models, the one whose own settings the model has, else the first. */
static const at_hub *hub_of(const at_model *m)
{
    const at_hub *best = NULL;
    int most = -1;
    for (int i = 0; i < at_hub_count; i++) {
        int n = at_hubs[i]->model == m->kind ? agreeing(at_hubs[i]->settings, m) : -2;
        if (n > most || (n == -1 && !best)) {
            best = at_hubs[i];
            most = n > most ? n : most;
        }
    }
    return best;
}

/* ---- config.json ---------------------------------------------------------------------------- */

/* Of "their=our|same" the first value that stands for ours, in `theirs`; false where there is none.
 */
static bool translate_back(const char *values, const char *ours, at_str *theirs)
{
    size_t size = strlen(ours);
    for (const char *v = values; *v; v += strcspn(v, "|"), v += *v == '|') {
        size_t whole = strcspn(v, "|"), n = strcspn(v, "=|");
        const char *own = n < whole ? v + n + 1 : v;
        size_t length = n < whole ? whole - n - 1 : n;
        if (length != size || memcmp(own, ours, size) != 0)
            continue;
        at_str_add_bytes(theirs, v, n);
        return true;
    }
    return false;
}

static json_t *word_json(const char *word)
{
    bool is = strcmp(word, "true") == 0;
    return is || strcmp(word, "false") == 0 ? json_boolean(is) : json_string(word);
}

/* what the key's setting is in the file; NULL: the key is left out */
static json_t *key_value(const at_hub_key *k, const at_option *o, const void *fields)
{
    at_str ours = {0}, theirs = {0};
    json_t *value = NULL;
    at_option_print(&ours, o, fields);
    const char *text = at_str_text(&ours);
    if (k->values && o->type == ATTEND_OPTION_FLAG)
        text = strcmp(text, "yes") == 0 ? "true" : "false";
    bool stands_for_others = k->missing && strcmp(k->missing, text) == 0
                             && (*text == '-' || strcmp(text, "0") == 0);
    if (k->values && translate_back(k->values, text, &theirs))
        value = word_json(at_str_text(&theirs));
    else if (!k->values && !stands_for_others)
        value = at_config_value(o, fields);
    at_str_free(&ours);
    at_str_free(&theirs);
    return value;
}

static bool write_keys(at_hub_written *w, const at_hub *hub)
{
    at_option_set set = {w->model->kind->options, w->settings};
    for (const at_hub_key *k = hub->keys; k && k->key; k++) {
        void *fields;
        const at_option *o = k->setting ? at_option_find(&set, 1, k->setting, &fields) : NULL;
        json_t *value = o ? key_value(k, o, fields) : NULL;
        if (value && json_object_set_new(w->config, k->key, value) < 0)
            return false;
    }
    return true;
}

static bool write_config(at_hub_written *w, const at_hub *hub)
{
    at_json_start();
    w->config = json_pack("{s:s, s:[s]}", "model_type", hub->type, "architectures",
                          hub->architecture(w->model));
    w->generation = json_object();
    return w->config && w->generation && write_keys(w, hub) && (!hub->write || hub->write(w));
}

/* ---- for the kinds -------------------------------------------------------------------------- */

attend_status at_hub_plain_attention(at_hub_written *w, const at_how *how, int heads,
                                     const char **text, attend_error *err)
{
    enum { SIZE = 256 };
    at_how plain = *how;
    char *copy = at_arena_alloc_small(&w->memory, SIZE);
    if (!copy)
        return at_error_memory(err);
    plain.heads = how->heads == heads ? 0 : how->heads;
    at_how_print(&plain, copy, SIZE);
    *text = copy;
    return ATTEND_OK;
}

bool at_hub_write_ids(const at_hub_written *w, json_t *to)
{
    static const struct {
        const char *key;
        at_special which;
    } ids[] = {{"bos_token_id", ATTEND_SPECIAL_BOS},
               {"eos_token_id", ATTEND_SPECIAL_EOS},
               {"pad_token_id", ATTEND_SPECIAL_PAD}};
    const at_tokenizer *t = w->model->target ? w->model->target : w->model->source;
    for (size_t i = 0; t && i < sizeof ids / sizeof *ids; i++) {
        int32_t id = t->special[ids[i].which];
        if (id >= 0 && json_object_set_new(to, ids[i].key, json_integer(id)) < 0)
            return false;
    }
    return true;
}

bool at_hub_write_labels(const at_hub_written *w)
{
    static const char *const problem[] = {"single_label_classification",
                                          "multi_label_classification", "regression"};
    const at_model *m = w->model;
    if (!m->labels)
        return true;
    json_t *names = at_config_labels(m->labels), *ids = json_object();
    bool made = names && ids;
    for (int32_t i = 0; made && i < at_vocab_size(m->labels); i++)
        made = json_object_set_new(ids, at_vocab_text(m->labels, i, NULL), json_integer(i)) >= 0;
    made = json_object_set_new(w->config, "id2label", names) >= 0 && made;
    made = json_object_set_new(w->config, "label2id", ids) >= 0 && made;
    if (made && at_model_can(m) & ATTEND_CAN_CLASSIFY)
        made = json_object_set_new(w->config, "problem_type",
                                   json_string(problem[at_model_label_use(m)]))
               >= 0;
    return made;
}

/* ---- tensors -------------------------------------------------------------------------------- */

static bool begins_like(const char *name, const char *starts)
{
    for (const char *s = starts; s && *s; s += strcspn(s, "|"), s += *s == '|') {
        size_t n = strcspn(s, "|");
        if (strncmp(name, s, n) == 0)
            return true;
    }
    return false;
}

/* The name that a parameter has in the folder, and how it is stored. */
static unsigned stored_name(const at_hub *hub, const at_model *m, const char *ours,
                            char out[ATTEND_TENSOR_NAME_MAX])
{
    char bare[ATTEND_TENSOR_NAME_MAX];
    unsigned use = 0;
    snprintf(bare, sizeof bare, "%s", ours);
    for (const at_hub_tensor *t = hub->tensors; t && t->theirs; t++) {
        bool classes = at_model_can(m) & ATTEND_CAN_CLASSIFY;
        if (!t->ours || t->use & ATTEND_HUB_READ || (t->use & ATTEND_HUB_CLASSES && !classes))
            continue;
        if (!at_tensor_rename(ours, t->ours, t->theirs, bare))
            continue;
        use = t->use;
        break;
    }
    bool prefixed = hub->prefix && begins_like(bare, hub->body);
    snprintf(out, ATTEND_TENSOR_NAME_MAX, "%.31s%.223s", prefixed ? hub->prefix : "", bare);
    return use;
}

static attend_status write_weights(at_hub_written *w, const at_hub *hub, const char *folder,
                                   attend_error *err)
{
    char name[ATTEND_TENSOR_NAME_MAX];
    char *path = at_file_join(folder, "model.safetensors");
    at_store_list l = {.item = NULL};
    at_store_params(&l, "", w->model->params);
    for (int i = 0; i < l.count; i++) {
        at_to_store t = l.item[i];
        unsigned use = stored_name(hub, w->model, t.name, name);
        if (use & ATTEND_HUB_ROW) {
            t.dim[1] = t.dim[0];
            t.dim[0] = 1;
            t.rank = 2;
        }
        at_store_add(&w->tensors, "", name, t);
    }
    w->tensors.failed |= l.failed || !path;
    at_store_list_free(&l);
    attend_status status = at_store_list_save(&w->tensors, path, "format", "pt", err);
    at_free(path);
    return status;
}

/* ---- is it the same model? ------------------------------------------------------------------ */

static bool ends_like(const char *name, const char *end)
{
    size_t n = strlen(name), size = strlen(end);
    return n >= size && strcmp(name + n - size, end) == 0;
}

/* "relu, gelu or silu": what the setting may be */
static void add_choices(at_str *list, const at_hub *hub, const char *setting, const char *only)
{
    const at_hub_key *k = hub->keys;
    while (k->key && !(k->setting && strcmp(k->setting, setting) == 0))
        k++;
    if (!k->key || !k->values) {
        at_str_print(list, "'%.60s'", only);
        return;
    }
    for (const char *v = k->values; *v; v += strcspn(v, "|"), v += *v == '|') {
        size_t theirs = strcspn(v, "=|"), own = v[theirs] == '=' ? theirs + 1 : 0;
        at_str_add(list, v == k->values ? "" : strchr(v, '|') ? ", " : " or ");
        at_str_add_bytes(list, v + own, strcspn(v + own, "|"));
    }
}

/* Settings that an opened folder has otherwise, in a list. */
static void compare(const at_hub_written *w, const at_hub *hub, const at_model *again, at_str *list)
{
    for (const at_option *o = w->model->kind->options; o->name; o++) {
        at_str ours = {0}, theirs = {0};
        at_option_print(&ours, o, w->settings);
        at_option_print(&theirs, o, again->settings);
        bool same = strcmp(at_str_text(&ours), at_str_text(&theirs)) == 0;
        bool is_free = strcmp(o->name, "preset") == 0 || ends_like(o->name, "dropout")
                       || (hub->free && at_choice_find(hub->free, o->name) >= 0);
        if (!same && !is_free) {
            at_str_print(list, "%s%s is '%.60s', it must be ", list->length ? "; " : "", o->name,
                         at_str_text(&ours));
            add_choices(list, hub, o->name, at_str_text(&theirs));
        }
        list->failed |= ours.failed || theirs.failed;
        at_str_free(&ours);
        at_str_free(&theirs);
    }
}

/* The folder is opened as any other. */
static attend_status check_written(const at_hub_written *w, const at_hub *hub, const char *path,
                                   const char *folder, attend_error *err)
{
    at_model *again;
    at_str list = {0};
    attend_status status = at_model_open_unweighted(folder, &again, err);
    if (status < 0)
        return status;
    compare(w, hub, again, &list);
    if (list.failed)
        status = at_error_memory(err);
    else if (list.length)
        status = at_error(err, ATTEND_OPTION,
                          "%s: a %s folder cannot express these settings: %s; train a model with "
                          "the settings that it can express",
                          at_show(path).text, hub->type, at_str_text(&list));
    else
        status = at_model_load_weights(again, folder, NULL, err);
    at_str_free(&list);
    at_model_free(again);
    return status;
}

/* ---- the folder ----------------------------------------------------------------------------- */

static attend_status save_json(const char *folder, const char *name, const json_t *value,
                               attend_error *err)
{
    char *path = at_file_join(folder, name);
    attend_status status = path ? at_json_save(path, value, err) : at_error_memory(err);
    at_free(path);
    return status;
}

static attend_status write_tokenizers(const at_model *m, const at_hub *hub, const char *folder,
                                      attend_error *err)
{
    static const char ours[] = "words|chars|bytes";
    if (hub->write_tokenizers)
        return hub->write_tokenizers(m, folder, err);
    if (m->source && at_choice_find(ours, m->source->kind->name) >= 0)
        at_log(ATTEND_LOG_WARNING,
               "transformers has no tokenizer of the kind %s: it reads the model, and takes ids",
               m->source->kind->name);
    return m->source ? at_tokenizer_save(m->source, folder, err) : ATTEND_OK;
}

static attend_status write_files(at_hub_written *w, const at_hub *hub, const char *folder,
                                 attend_error *err)
{
    attend_status status = write_tokenizers(w->model, hub, folder, err);
    at_checksum_list_remove(folder);
    if (status >= 0 && hub->settle)
        status = hub->settle(w, err);
    if (status >= 0 && !write_config(w, hub))
        status = at_error_memory(err);
    if (status >= 0)
        status = save_json(folder, "config.json", w->config, err);
    if (status >= 0 && json_object_size(w->generation))
        status = save_json(folder, "generation_config.json", w->generation, err);
    return status < 0 ? status : write_weights(w, hub, folder, err);
}

/* hub->settle changes a copy of the settings. */
static attend_status write_folder(const at_model *m, const at_hub *hub, const char *path,
                                  const char *folder, attend_error *err)
{
    at_hub_written w = {.model = m};
    w.settings = at_arena_alloc(&w.memory, m->kind->settings_size);
    attend_status status = w.settings ? ATTEND_OK : at_error_memory(err);
    if (w.settings) {
        memcpy(w.settings, m->settings, m->kind->settings_size);
        status = write_files(&w, hub, folder, err);
    }
    if (status >= 0)
        status = check_written(&w, hub, path, folder, err);
    json_decref(w.config);
    json_decref(w.generation);
    at_store_list_free(&w.tensors);
    at_arena_free(&w.memory);
    return status;
}

static attend_status check_kind(const at_model *m, const at_hub *hub, const char *path,
                                const char *type, attend_error *err)
{
    if (!hub)
        return at_error(err, ATTEND_OPTION,
                        "%s: the hub has no models of the kind %s; Transformer, GPT-2, BERT and "
                        "XLNet models can be exported",
                        at_show(path).text, m->kind->name);
    if (type && strcmp(type, hub->type) != 0)
        return at_error(err, ATTEND_OPTION,
                        "%s: --to %s: a %s model is of the kind %s of the hub; leave --to out",
                        at_show(path).text, type, m->kind->name, hub->type);
    return ATTEND_OK;
}

attend_status at_hub_write(const at_model *m, const char *path, const char *type, const char *out,
                           bool overwrite, attend_error *err)
{
    const at_hub *hub = hub_of(m);
    at_new_folder n;
    attend_status status = check_kind(m, hub, path, type, err);
    if (status < 0)
        return status;
    status = at_hub_new_folder(&n, path, out, overwrite, err);
    if (status >= 0)
        status = write_folder(m, hub, path, n.temporary, err);
    if (status >= 0)
        return at_new_folder_commit(&n, err);
    at_new_folder_abort(&n);
    return status;
}
