/* Which kind of tokenizer a folder or a file holds, and the two JSON files that kinds share.
 *
 * tokenizer.json has the shape of Hugging Face's: {"model": {"type": TYPE, ...}, ...}, and TYPE
 * names the kind: theirs ("WordPiece", "BPE"), or ours ("words", "chars", "bytes"). */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum_list.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "text/tokenizer.h"

const char *const at_tokenizer_files[] = {"tokenizer.json",
                                          "tokenizer_config.json",
                                          "vocab.txt",
                                          "vocab.json",
                                          "merges.txt",
                                          "encoder.json",
                                          "vocab.bpe",
                                          "spiece.model",
                                          "sentencepiece.model",
                                          "tokenizer.model",
                                          "source.spm",
                                          "target.spm",
                                          "target_vocab.json",
                                          "special_tokens_map.json",
                                          NULL};

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* ---- tokenizer.json --------------------------------------------------------------------- */

static const at_tokenizer_kind *kind_of_model(const char *type)
{
    for (int i = 0; i < at_tokenizer_kind_count; i++) {
        const char *model = at_tokenizer_kinds[i]->model;
        if (model && strcmp(model, type) == 0)
            return at_tokenizer_kinds[i];
    }
    return NULL;
}

attend_status at_tokenizer_read(const json_t *root, const char *path, at_tokenizer **out,
                                attend_error *err)
{
    *out = NULL;
    at_fields top = at_fields_of(root, path, err);
    at_fields model = at_fields_in(&top, "model");
    at_fields_need(&model, "type");
    const char *type = at_field_string(&model, "type", "");
    if (top.status < 0)
        return top.status;
    const at_tokenizer_kind *kind = kind_of_model(type);
    if (kind && kind->read)
        return kind->read(root, path, out, err);
    at_str known = {0};
    for (int i = 0; i < at_tokenizer_kind_count; i++)
        if (at_tokenizer_kinds[i]->model)
            at_str_print(&known, "%s%s", known.length ? ", " : "", at_tokenizer_kinds[i]->model);
    attend_status status = at_error(err, ATTEND_FORMAT,
                                    "%s: a model of the type \"%.40s\" cannot be read; types that "
                                    "can: %s",
                                    at_show(path).text, at_show(type).text, at_str_text(&known));
    at_str_free(&known);
    return status;
}

static attend_status open_json(const char *path, at_tokenizer **out, attend_error *err)
{
    json_t *root;
    attend_status status = at_json_load(path, &root, err);
    if (status >= 0)
        status = at_tokenizer_read(root, path, out, err);
    json_decref(root);
    return status;
}

/* ---- opening ---------------------------------------------------------------------------- */

/* The file's kind by its name, or NULL. */
static const at_tokenizer_kind *kind_of_file(const char *path)
{
    for (int i = 0; i < at_tokenizer_kind_count; i++) {
        const at_tokenizer_kind *kind = at_tokenizer_kinds[i];
        for (const char *const *name = kind->found; kind->load && name && *name; name++)
            if (strcmp(base_name(path), *name) == 0)
                return kind;
    }
    for (int i = 0; i < at_tokenizer_kind_count; i++) {
        const at_tokenizer_kind *kind = at_tokenizer_kinds[i];
        for (const char *const *end = kind->ends; kind->load && end && *end; end++)
            if (ends_with(path, *end))
                return kind;
    }
    return NULL;
}

static attend_status open_file(const char *path, at_tokenizer **out, attend_error *err)
{
    const at_tokenizer_kind *kind = kind_of_file(path);
    if (kind)
        return kind->load(path, out, err);
    if (ends_with(path, ".json"))
        return open_json(path, out, err);
    if (!at_file_exists(path))
        return at_error(err, ATTEND_FILE, "%s: there is no such file or folder; check the path",
                        at_show(path).text);
    return at_error(err, ATTEND_FILE,
                    "%s: is not named like a tokenizer's file; give a folder, tokenizer.json, "
                    "vocab.txt, vocab.json or a .model file",
                    at_show(path).text);
}

/* The first file of the folder that a kind is known by, to be freed; NULL without memory, and where
 * there is none: *kind is NULL then too. */
static char *find_in_folder(const char *folder, const at_tokenizer_kind **kind)
{
    for (int i = 0; i < at_tokenizer_kind_count; i++) {
        *kind = at_tokenizer_kinds[i];
        for (const char *const *name = (*kind)->found; name && *name; name++) {
            char *path = at_file_join(folder, *name);
            if (!path || at_file_exists(path))
                return path;
            at_free(path);
        }
    }
    *kind = NULL;
    return NULL;
}

static attend_status nothing_there(const char *folder, attend_error *err)
{
    at_str names = {0};
    for (int i = 0; i < at_tokenizer_kind_count; i++) {
        const char *const *name = at_tokenizer_kinds[i]->found;
        for (; name && *name; name++)
            at_str_print(&names, "%s, ", *name);
    }
    attend_status status = at_error(err, ATTEND_FILE,
                                    "%s: has no tokenizer; looked for %stokenizer.json",
                                    at_show(folder).text, at_str_text(&names));
    at_str_free(&names);
    return status;
}

/* Hugging Face's folders often hold tokenizer.json and older files side by side; these say the
 * same, but our kinds are in tokenizer.json alone. */
static attend_status open_folder(const char *folder, at_tokenizer **out, attend_error *err)
{
    const at_tokenizer_kind *kind;
    char *json = at_file_join(folder, "tokenizer.json"), *path = find_in_folder(folder, &kind);
    attend_status status;
    if (!json || (kind && !path))
        status = at_error_memory(err);
    else if (path && kind->load)
        status = kind->load(path, out, err);
    else if (at_file_exists(json))
        status = open_json(json, out, err);
    else
        status = nothing_there(folder, err);
    at_free(json);
    at_free(path);
    return status;
}

/* against the list of checksums in the folder, or beside the file */
static attend_status verify(const char *path, attend_error *err)
{
    size_t size = (size_t)(base_name(path) - path);
    if (is_folder(path) || !size)
        return at_checksum_list_verify(is_folder(path) ? path : ".", NULL, NULL, err);
    char *folder = at_alloc(size + 1);
    if (!folder)
        return at_error_memory(err);
    memcpy(folder, path, size);
    folder[size] = '\0';
    attend_status status = at_checksum_list_verify(folder, NULL, NULL, err);
    at_free(folder);
    return status;
}

attend_status at_tokenizer_open(const char *path, at_tokenizer **out, attend_error *err)
{
    *out = NULL;
    attend_status status = verify(path, err);
    if (status < 0)
        return status;
    return is_folder(path) ? open_folder(path, out, err) : open_file(path, out, err);
}

/* ---- saving ----------------------------------------------------------------------------- */

static attend_status save_json(const char *folder, const char *name, json_t *root,
                               attend_error *err)
{
    char *path = at_file_join(folder, name);
    attend_status status = path ? at_json_save(path, root, err) : at_error_memory(err);
    at_free(path);
    json_decref(root);
    return status;
}

static void remove_file(const char *folder, const char *name)
{
    char *path = at_file_join(folder, name);
    if (path)
        unlink(path);
    at_free(path);
}

/* Files by which the folder would still be taken for what it held before; kind NULL: all. */
static void remove_others(const at_tokenizer_kind *kind, const char *folder)
{
    for (int i = 0; i < at_tokenizer_kind_count; i++) {
        const at_tokenizer_kind *other = at_tokenizer_kinds[i];
        for (const char *const *name = other->found; other != kind && name && *name; name++)
            if (!kind || !strstr(kind->files, *name))
                remove_file(folder, *name);
    }
    if (!kind || !kind->write)
        remove_file(folder, "tokenizer.json");
}

attend_status at_tokenizer_save(const at_tokenizer *t, const char *folder, attend_error *err)
{
    attend_status status = at_folder_make(folder, err);
    if (status >= 0)
        status = at_checksum_list_clear(folder, err);
    if (status >= 0)
        remove_file(folder, "tokenizer_config.json"); /* not every kind writes one */
    if (status >= 0 && t->kind->save)
        status = t->kind->save(t, folder, err);
    at_json_start();
    if (status >= 0 && t->kind->write)
        status = save_json(folder, "tokenizer.json", t->kind->write(t), err);
    if (status < 0)
        return status;
    remove_others(t->kind, folder);
    return at_checksum_list_save(folder, at_tokenizer_files, err);
}

void at_tokenizer_forget(const char *folder)
{
    remove_file(folder, "tokenizer_config.json");
    remove_others(NULL, folder);
    at_checksum_list_remove(folder);
    rmdir(folder);
}

/* ---- tokenizer_config.json -------------------------------------------------------------- */

/* The JSON object in the file of that name in the folder of path; NULL where there is none. */
static attend_status load_beside(const char *path, const char *name, json_t **out,
                                 attend_error *err)
{
    size_t folder = (size_t)(base_name(path) - path), size = strlen(name) + 1;
    char *beside = at_alloc(folder + size);
    attend_status status = ATTEND_OK;
    *out = NULL;
    if (!beside)
        return at_error_memory(err);
    memcpy(beside, path, folder);
    memcpy(beside + folder, name, size);
    if (at_file_exists(beside))
        status = at_json_load(beside, out, err);
    if (status >= 0 && *out && !json_is_object(*out)) {
        status = at_error(err, ATTEND_FORMAT, "%s: is no JSON object; remove or replace it",
                          at_show(beside).text);
        json_decref(*out);
        *out = NULL;
    }
    at_free(beside);
    return status;
}

/* The special tokens of special_tokens_map.json come before those of tokenizer_config.json. */
static attend_status add_map(json_t **config, const json_t *map, attend_error *err)
{
    at_json_start();
    if (!*config && !(*config = json_object()))
        return at_error_memory(err);
    for (int i = 0; i < ATTEND_SPECIALS; i++) {
        json_t *value = json_object_get(map, at_special_names[i]);
        if (value && json_object_set(*config, at_special_names[i], value) < 0)
            return at_error_memory(err);
    }
    return ATTEND_OK;
}

attend_status at_tokenizer_config_beside(const char *path, json_t **config, attend_error *err)
{
    json_t *map = NULL;
    attend_status status = load_beside(path, "tokenizer_config.json", config, err);
    if (status >= 0)
        status = load_beside(path, "special_tokens_map.json", &map, err);
    if (status >= 0 && map)
        status = add_map(config, map, err);
    json_decref(map);
    if (status >= 0)
        return status;
    json_decref(*config);
    *config = NULL;
    return status;
}

attend_status at_tokenizer_config_save(const at_tokenizer *t, const char *folder,
                                       const char *class_name, json_t *more, attend_error *err)
{
    at_json_start();
    json_t *root = json_object();
    bool well = root && json_object_set_new(root, "tokenizer_class", json_string(class_name)) == 0;
    if (more)
        well = well && json_object_update(root, more) == 0;
    json_decref(more);
    for (int i = 0; i < ATTEND_SPECIALS; i++) {
        size_t size;
        if (t->special[i] < 0)
            continue;
        const char *text = at_vocab_text(t->vocab, t->special[i], &size);
        well = well
               && json_object_set_new(root, at_special_names[i], json_stringn(text, size)) == 0;
    }
    if (well)
        return save_json(folder, "tokenizer_config.json", root, err);
    json_decref(root);
    return at_error_memory(err);
}
