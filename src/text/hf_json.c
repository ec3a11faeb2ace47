#include "text/hf_json.h"

#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"

/* ---- the vocabulary --------------------------------------------------------------------- */

static attend_status bad_id(const char *file, const char *token, const char *why, attend_error *err)
{
    return at_error(err, ATTEND_FORMAT, "%s: the id of \"%.40s\" %s; the vocabulary is damaged",
                    at_show(file).text, at_show(token).text, why);
}

/* texts by id; places is their number, and some may stay NULL */
static attend_status collect(const json_t *object, const char *file, at_text *text, size_t capacity,
                             attend_error *err)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        json_int_t id = json_integer_value(value);
        if (!json_is_integer(value) || id < 0)
            return bad_id(file, key, "is no number from 0 on", err);
        if ((size_t)id >= capacity)
            return bad_id(file, key, "is far beyond the number of pieces", err);
        if (text[id].text)
            return bad_id(file, key, "is another piece's too", err);
        text[id] = at_text_of(key);
    }
    return ATTEND_OK;
}

static attend_status append_all(at_vocab *v, const at_text *text, size_t capacity,
                                attend_error *err)
{
    while (capacity && !text[capacity - 1].text)
        capacity--;
    for (size_t i = 0; i < capacity; i++)
        if (at_vocab_append(v, text[i].text ? text[i].text : "", text[i].size) < 0)
            return at_error_memory(err);
    return ATTEND_OK;
}

attend_status at_hf_read_vocab(at_vocab *v, const json_t *object, const char *file,
                               attend_error *err)
{
    if (!json_is_object(object) || json_object_size(object) == 0)
        return at_error(err, ATTEND_FORMAT,
                        "%s: has no vocabulary of the form {\"piece\": id, ...}; it is not a "
                        "tokenizer's file, or a part of one",
                        at_show(file).text);
    size_t capacity = json_object_size(object) + json_object_size(object) / 2 + 1000;
    at_text *text = at_alloc_zero(capacity, sizeof *text);
    if (!text)
        return at_error_memory(err);
    attend_status status = collect(object, file, text, capacity, err);
    if (status >= 0)
        status = append_all(v, text, capacity, err);
    at_free(text);
    return status;
}

attend_status at_hf_check_whole(const at_vocab *v, const char *file, attend_error *err)
{
    for (int32_t id = 0; id < at_vocab_size(v); id++) {
        size_t size;
        at_vocab_text(v, id, &size);
        if (!size)
            return at_error(err, ATTEND_FORMAT,
                            "%s: no piece has the id %d; the vocabulary is damaged, get the file "
                            "again",
                            at_show(file).text, (int)id);
    }
    return ATTEND_OK;
}

json_t *at_hf_write_vocab(const at_vocab *v)
{
    json_t *object = json_object();
    bool well = object != NULL;
    for (int32_t id = 0; well && id < at_vocab_size(v); id++) {
        size_t size;
        const char *text = at_vocab_text(v, id, &size);
        if (size && at_vocab_find(v, text, size) == id)
            well = json_object_set_new(object, text, json_integer(id)) == 0;
    }
    if (!well) {
        json_decref(object);
        return NULL;
    }
    return object;
}

/* ---- added pieces ----------------------------------------------------------------------- */

static attend_status read_one(at_tokenizer *t, const json_t *value, const char *file,
                              attend_error *err)
{
    at_fields f = at_fields_of(value, file, err);
    at_fields_need(&f, "id");
    at_fields_need(&f, "content");
    int32_t id = (int32_t)at_field_int(&f, "id", 0, 0, INT32_MAX / 2);
    const char *text = at_field_string(&f, "content", "");
    bool special = at_field_bool(&f, "special", false);
    if (f.status < 0)
        return f.status;
    if (!*text)
        return at_error(err, ATTEND_FORMAT, "%s: an added token is empty; remove it",
                        at_show(file).text);
    int32_t known = at_vocab_find(t->vocab, text, strlen(text));
    if (known < 0 && id == at_vocab_size(t->vocab))
        known = at_vocab_append(t->vocab, text, strlen(text));
    else if (known != id)
        return bad_id(file, text, "in added_tokens does not go with the vocabulary", err);
    if (known < 0
        || !at_added_tokens_put(&t->added, at_vocab_text(t->vocab, id, NULL), strlen(text), id,
                                special))
        return at_error_memory(err);
    return ATTEND_OK;
}

attend_status at_hf_read_added(at_tokenizer *t, const json_t *root, const char *file,
                               attend_error *err)
{
    at_fields top = at_fields_of(root, file, err);
    const json_t *list = at_field_array(&top, "added_tokens");
    attend_status status = top.status;
    for (size_t i = 0; status >= 0 && i < json_array_size(list); i++)
        status = read_one(t, json_array_get(list, i), file, err);
    return status;
}

json_t *at_hf_write_added(const at_tokenizer *t)
{
    json_t *list = json_array();
    bool well = list != NULL;
    for (size_t i = 0; well && i < t->added.count; i++) {
        const at_added_token *p = &t->added.item[i];
        json_t *one = json_pack("{s:i, s:s%, s:b, s:b, s:b, s:b, s:b}", "id", (int)p->id, "content",
                                p->text, p->size, "single_word", 0, "lstrip", 0, "rstrip", 0,
                                "normalized", 0, "special", (int)p->special);
        well = one && json_array_append_new(list, one) == 0;
    }
    if (!well) {
        json_decref(list);
        return NULL;
    }
    return list;
}
