#include "store/classifier_folder.h"

#include <stdio.h>

#include "base/file.h"
#include "store/model_folder.h"

static const char type[] = "attend-classifier";

/* {"id2label": {"0": "negative", "1": "positive"}} */
static json_t *labels_json(const at_vocab *labels)
{
    json_t *names = json_object();
    for (int32_t i = 0; names && i < at_vocab_size(labels); i++) {
        char key[16];
        size_t size;
        const char *text = at_vocab_text(labels, i, &size);
        snprintf(key, sizeof key, "%d", (int)i);
        json_object_set_new(names, key, json_stringn(text, size));
    }
    return json_pack("{so}", "id2label", names);
}

attend_status at_classifier_folder_save(const char *folder, const at_classifier_folder *f,
                                        attend_error *err)
{
    attend_status status = at_folder_make(folder, err);
    if (status >= 0)
        status = at_model_tokenizer_save(folder, "tokenizer", f->tokenizer, err);
    if (status < 0)
        return status;
    at_json_start();
    json_t *labels = labels_json(f->labels);
    if (json_object_size(json_object_get(labels, "id2label")) != (size_t)at_vocab_size(f->labels)) {
        json_decref(labels);
        return at_error_memory(err);
    }
    at_option_set set = {at_classifier_options, (void *)&f->settings};
    return at_model_config_save(folder, type, set, labels, err);
}

static attend_status read_labels(at_classifier_folder *f, const char *folder, const json_t *json,
                                 attend_error *err)
{
    const json_t *names = json_object_get(json, "id2label");
    size_t n = json_object_size(names);
    if (!(f->labels = at_vocab_new()))
        return at_error_memory(err);
    for (size_t i = 0; i < n; i++) {
        char key[24];
        snprintf(key, sizeof key, "%zu", i);
        const json_t *name = json_object_get(names, key);
        int32_t id = json_is_string(name) ? at_vocab_add(f->labels, json_string_value(name),
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

attend_status at_classifier_folder_open(const char *folder, at_classifier_folder *f,
                                        attend_error *err)
{
    *f = (at_classifier_folder){.params = NULL};
    at_option_set set = {at_classifier_options, &f->settings};
    json_t *json = NULL;
    attend_status status = at_model_config_load(folder, type, set, &f->strings, &json, err);
    if (status >= 0)
        status = read_labels(f, folder, json, err);
    json_decref(json);
    if (status >= 0)
        status = at_model_tokenizer_open(folder, "tokenizer", &f->tokenizer, err);
    if (status >= 0)
        status = at_classifier_model(&f->settings, at_tokenizer_size(f->tokenizer),
                                     at_vocab_size(f->labels), &f->model, err);
    status = at_model_config_error(folder, status, err);
    if (status >= 0 && !(f->params = at_params_new(0)))
        status = at_error_memory(err);
    return status;
}

/* a text of one word */
static void try_out(at_tape *t, const void *model)
{
    static const int word[1] = {0}, length[1] = {1};
    at_classify(t, model, (at_ids){SHAPE(1, 1), word}, length, false);
}

attend_status at_classifier_folder_weights(at_classifier_folder *f, const char *folder,
                                           attend_error *err)
{
    return at_model_weights(folder, NULL, f->params, try_out, &f->model, err);
}

void at_classifier_folder_free(at_classifier_folder *f)
{
    at_tokenizer_free(f->tokenizer);
    if (f->labels)
        at_vocab_free(f->labels);
    if (f->params)
        at_params_free(f->params);
    at_arena_free(&f->strings);
}
