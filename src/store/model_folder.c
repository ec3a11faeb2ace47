/* Folders of models: parts beside settings and weights, by the kind's list of them. */
#include "store/model_folder.h"

#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/threads.h"
#include "store/features.h"
#include "store/hub.h"
#include "store/model_config.h"
#include "store/pooling_file.h"
#include "store/weights.h"

static bool has(const at_model *m, unsigned part) { return m->kind->parts & part; }

/* ---- labels --------------------------------------------------------------------------------- */

static attend_status read_labels(at_model *m, const char *folder, const json_t *json,
                                 attend_error *err)
{
    const json_t *names = json_object_get(json, "id2label");
    size_t n = json_object_size(names);
    if (!(m->labels = at_vocab_new()))
        return at_error_memory(err);
    for (size_t i = 0; i < n; i++) {
        char key[24];
        snprintf(key, sizeof key, "%zu", i);
        const json_t *name = json_object_get(names, key);
        int32_t id = json_is_string(name) ? at_vocab_add(m->labels, json_string_value(name),
                                                         json_string_length(name))
                                          : (int32_t)n;
        if (id < 0)
            return at_error_memory(err);
        if (id != (int32_t)i)
            return at_error(
                err, ATTEND_FORMAT,
                "%s/config.json: id2label: class %zu has no name of its own; correct it",
                at_show(folder).text, i);
    }
    return n > 0 ? ATTEND_OK
                 : at_error(err, ATTEND_FORMAT,
                            "%s/config.json: no id2label: a classifier has classes",
                            at_show(folder).text);
}

/* ---- vectors -------------------------------------------------------------------------------- */

at_source_name at_source_kind(int width)
{
    at_source_name name = {"text"};
    if (width)
        snprintf(name.text, sizeof name.text, "feature vectors of %d number%s", width,
                 width == 1 ? "" : "s");
    return name;
}

/* mean and spread under their names; false without memory */
static bool add_scaling(json_t *more, const at_model *m, const char *mean, const char *spread)
{
    return json_object_set_new(more, mean, at_config_numbers_json(m->mean, m->width)) >= 0
           && json_object_set_new(more, spread, at_config_numbers_json(m->spread, m->width)) >= 0;
}

static attend_status read_vectors(at_model *m, const char *folder, const json_t *json,
                                  attend_error *err)
{
    const json_t *width = json_object_get(json, "source_features");
    if (!width)
        return ATTEND_OK;
    json_int_t n = json_integer_value(width);
    if (n < 1 || n > ATTEND_FEATURES_WIDEST)
        return at_error(err, ATTEND_FORMAT, "%s/config.json: source_features must be 1 to %d",
                        at_show(folder).text, ATTEND_FEATURES_WIDEST);
    m->width = (int)n;
    if (!json_object_get(json, "feature_mean"))
        return ATTEND_OK;
    attend_status status = at_model_scaling(m, err);
    if (status < 0)
        return status;
    if (at_config_numbers(json, "feature_mean", (int)n, -INFINITY, m->mean) != n
        || at_config_numbers(json, "feature_spread", (int)n, 0, m->spread) != n)
        return at_error(err, ATTEND_FORMAT,
                        "%s/config.json: feature_mean and feature_spread must be lists of %d "
                        "numbers, as source_features says",
                        at_show(folder).text, (int)n);
    return ATTEND_OK;
}

static attend_status read_items(at_model *m, const char *folder, const json_t *json,
                                attend_error *err)
{
    size_t n = json_array_size(json_object_get(json, "item_mean"));
    m->width = n <= ATTEND_ITEM_WIDTH_MAX ? (int)n : 0;
    attend_status status = m->width ? at_model_scaling(m, err) : ATTEND_OK;
    if (status < 0)
        return status;
    if (!m->width || at_config_numbers(json, "item_mean", m->width, -INFINITY, m->mean) != m->width
        || at_config_numbers(json, "item_spread", m->width, 0, m->spread) != m->width)
        return at_error(err, ATTEND_FORMAT,
                        "%s/config.json: item_mean and item_spread must be lists of as many "
                        "numbers as an item has, 1 to %d",
                        at_show(folder).text, ATTEND_ITEM_WIDTH_MAX);
    return ATTEND_OK;
}

/* ---- tokenizers ----------------------------------------------------------------------------- */

static attend_status save_tokenizer(const char *folder, const char *name, const at_tokenizer *t,
                                    attend_error *err)
{
    char *path = at_file_join(folder, name);
    attend_status status = path ? at_tokenizer_save(t, path, err) : at_error_memory(err);
    at_free(path);
    return status;
}

/* a tokenizer of the model that was here before, which this one would be taken to have */
static void forget_tokenizer(const char *folder, const char *name)
{
    char *path = at_file_join(folder, name);
    if (path)
        at_tokenizer_forget(path);
    at_free(path);
}

static void forget_others(const char *folder, const at_model *m)
{
    bool one = m->source == m->target;
    if (one || !m->source)
        forget_tokenizer(folder, "source");
    forget_tokenizer(folder, one ? "target" : "tokenizer");
}

static attend_status save_tokenizers(const char *folder, const at_model *m, attend_error *err)
{
    bool one = m->source == m->target;
    attend_status status = ATTEND_OK;
    if (m->source)
        status = save_tokenizer(folder, one ? "tokenizer" : "source", m->source, err);
    if (status >= 0 && !one)
        status = save_tokenizer(folder, "target", m->target, err);
    return status;
}

typedef struct {
    const char *folder, *name[2];
    at_tokenizer *found[2];
    attend_status status[2];
    attend_error err[2];
} opening;

static void open_side(void *arg, int side)
{
    opening *o = arg;
    char *path = at_file_join(o->folder, o->name[side]);
    o->status[side] = path ? at_tokenizer_open(path, &o->found[side], &o->err[side])
                           : at_error_memory(&o->err[side]);
    at_free(path);
}

static attend_status open_tokenizers(const char *folder, at_model *m, attend_error *err)
{
    char *path = at_file_join(folder, "tokenizer");
    bool one = has(m, ATTEND_PART_TOKENIZER) || (path && at_file_exists(path) && !m->width);
    at_free(path);
    opening o = {.folder = folder, .name = {one ? "tokenizer" : "source", "target"}};
    if (m->width)
        open_side(&o, 1);
    else
        at_parallel_each(one ? 1 : 2, 1e9, open_side, &o);
    m->source = o.found[0];
    m->target = one ? o.found[0] : o.found[1];
    for (int side = 0; side < 2; side++)
        if (o.status[side] < 0)
            return at_error(err, o.status[side], "%s", o.err[side].message);
    return ATTEND_OK;
}

/* ---- saving --------------------------------------------------------------------------------- */

/* what the kind adds to the settings; NULL without memory */
static json_t *parts_json(const at_model *m)
{
    json_t *more = json_object();
    bool made = more;
    if (made && has(m, ATTEND_PART_LABELS) && m->labels)
        made = json_object_set_new(more, "id2label", at_config_labels(m->labels)) >= 0;
    if (made && has(m, ATTEND_PART_ITEMS))
        made = add_scaling(more, m, "item_mean", "item_spread");
    if (made && has(m, ATTEND_PART_VECTORS) && m->width)
        made = json_object_set_new(more, "source_features", json_integer(m->width)) >= 0;
    if (made && has(m, ATTEND_PART_VECTORS) && m->mean)
        made = add_scaling(more, m, "feature_mean", "feature_spread");
    if (made)
        return more;
    json_decref(more);
    return NULL;
}

attend_status at_model_save(const at_model *m, const char *folder, attend_error *err)
{
    if (has(m, ATTEND_PART_FILE))
        return at_pooling_file_save(m, folder, err);
    attend_status status = at_folder_make(folder, err);
    if (status >= 0)
        status = save_tokenizers(folder, m, err);
    if (status < 0)
        return status;
    at_json_start();
    json_t *more = parts_json(m);
    if (!more)
        return at_error_memory(err);
    status = at_model_config_save(folder, m->kind, m->settings, more, err);
    if (status >= 0 && has(m, ATTEND_PART_SIDES))
        forget_others(folder, m);
    return status;
}

/* ---- opening -------------------------------------------------------------------------------- */

static attend_status read_parts(at_model *m, const char *folder, json_t *json, attend_error *err)
{
    attend_status status = at_model_config_settings(folder, m->kind, json, m->settings, &m->memory,
                                                    err);
    bool labels = !m->kind->able || json_object_get(json, "id2label");
    if (status >= 0 && has(m, ATTEND_PART_LABELS) && labels)
        status = read_labels(m, folder, json, err);
    if (status >= 0 && has(m, ATTEND_PART_VECTORS))
        status = read_vectors(m, folder, json, err);
    if (status >= 0 && has(m, ATTEND_PART_ITEMS))
        status = read_items(m, folder, json, err);
    if (status >= 0 && has(m, ATTEND_PART_TOKENIZER | ATTEND_PART_SIDES))
        status = open_tokenizers(folder, m, err);
    return status;
}

/* a folder that attend wrote; takes the reference to json */
static attend_status open_own(const char *folder, json_t *json, at_model **out, attend_error *err)
{
    const at_model_kind *kind;
    attend_status status = at_model_config_kind(folder, json, &kind, err);
    at_model *m = status < 0 ? NULL : at_model_new(kind, 0);
    if (status >= 0)
        status = m ? read_parts(m, folder, json, err) : at_error_memory(err);
    json_decref(json);
    *out = m;
    return status;
}

attend_status at_model_open_unweighted(const char *folder, at_model **out, attend_error *err)
{
    json_t *json;
    at_model *m = NULL;
    *out = NULL;
    attend_status status = at_model_config_load(folder, &json, err);
    if (status < 0)
        return status;
    const at_hub *hub = at_hub_find(folder, json, &status, err);
    if (status < 0)
        json_decref(json);
    else if (hub)
        status = at_hub_open(folder, hub, json, &m, err);
    else
        status = open_own(folder, json, &m, err);
    if (status >= 0)
        status = at_model_config_error(folder, at_model_describe(m, err), err);
    if (status >= 0)
        *out = m;
    else
        at_model_free(m);
    return status;
}

attend_status at_model_open(const char *folder, at_model **out, attend_error *err)
{
    *out = NULL;
    if (at_pooling_file_is(folder))
        return at_pooling_file_open(folder, out, err);
    attend_status status = at_model_open_unweighted(folder, out, err);
    if (status < 0)
        return status;
    status = at_model_load_weights(*out, folder, NULL, err);
    if (status < 0) {
        at_model_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- weights -------------------------------------------------------------------------------- */

static attend_status load_weights(const char *path, at_params *params, attend_error *err)
{
    attend_status status = at_weights_borrow(path, params, err);
    at_params_seal(params);
    at_params_share(params);
    return status;
}

/* The weights that a network with another head has, too. */
static attend_status load_shared(const char *path, at_model *m, attend_error *err)
{
    at_lent_file *file;
    attend_error why;
    attend_status status = at_weights_lend(path, m->params, &file, err);
    at_params *network = status < 0 ? NULL : at_model_outline(m, &why);
    if (status >= 0 && !network)
        return at_error(err, why.status, "%s: %s", at_show(path).text, why.message);
    for (int i = 0; status >= 0 && i < at_safetensors_count(file->file); i++) {
        const at_stored *t = at_safetensors_at(file->file, i);
        const at_parameter *p = at_params_find(network, t->name);
        at_shape shape;
        if (p && (!at_stored_shape(t, &shape) || !at_shape_equal(shape, p->shape)))
            status = at_error(err, ATTEND_FORMAT,
                              "%s: %s is %s, the model has %s; leave out the settings that change "
                              "its size",
                              at_show(path).text, t->name, at_sizes_print(t->rank, t->dim).text,
                              at_shape_print(p->shape).text);
        else if (p)
            status = at_weights_borrow_tensor(file, t, t->name, p->shape, m->params, err);
    }
    at_params_free(network);
    at_params_share(m->params);
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

attend_status at_model_load_weights(at_model *m, const char *folder, const char *file,
                                    attend_error *err)
{
    if (m->hub && !file)
        return at_hub_load_weights(m, err);
    char *own = file ? NULL : at_file_join(folder, "model.safetensors");
    const char *path = file ? file : own;
    attend_status status = path ? ATTEND_OK : at_error_memory(err);
    if (own && !at_file_exists(own))
        status = no_weights(folder, err);
    if (status >= 0)
        status = m->adapts ? load_shared(path, m, err) : load_weights(path, m->params, err);
    at_tape *t = status < 0 || m->adapts ? NULL : at_tape_new(m->params, ATTEND_INFER);
    if (t) {
        at_tape_dry(t);
        m->kind->trial(t, m);
        status = check_weights(path, t, m->params, err);
        at_tape_free(t);
    } else if (status >= 0 && !m->adapts)
        status = at_error_memory(err);
    at_free(own);
    return status;
}
