#include "store/weight_files.h"

#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"

enum { FILES_MAX = 4096 };

static const char index_name[] = "model.safetensors.index.json";

/* ---- opening -------------------------------------------------------------------------------- */

static attend_status open_one(at_weight_files *f, const char *path, at_params *params,
                              attend_error *err)
{
    if (f->count == f->room) {
        int room = f->room ? 2 * f->room : 4;
        at_lent_file **more = at_arena_alloc(&f->memory, (size_t)room * sizeof *more);
        if (!more)
            return at_error_memory(err);
        if (f->count)
            memcpy(more, f->file, (size_t)f->count * sizeof *more);
        f->file = more;
        f->room = room;
    }
    attend_status status = at_weights_lend(path, params, &f->file[f->count], err);
    f->count += status >= 0;
    return status;
}

/* the number of the file of that name, which is opened where it is new, or a negative status */
static int file_of(at_weight_files *f, const char *folder, const char *name, const char **names,
                   at_params *params, attend_error *err)
{
    for (int i = 0; i < f->count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    if (strchr(name, '/') || f->count == FILES_MAX)
        return at_error(err, ATTEND_FORMAT,
                        "%s/%s: '%.80s' is not a file of the folder; restore the index",
                        at_show(folder).text, index_name, name);
    char *path = at_file_join(folder, name);
    attend_status status = path ? open_one(f, path, params, err) : at_error_memory(err);
    at_free(path);
    if (status < 0)
        return status;
    names[f->count - 1] = name;
    return f->count - 1;
}

static attend_status open_indexed(at_weight_files *f, const char *folder, const json_t *index,
                                  at_params *params, attend_error *err)
{
    const json_t *map = json_object_get(index, "weight_map");
    const char **names = at_arena_alloc(&f->memory, FILES_MAX * sizeof *names);
    attend_status status = names ? ATTEND_OK : at_error_memory(err);
    size_t n = 0;
    for (void *i = json_object_iter((json_t *)map); i && status >= 0;
         i = json_object_iter_next((json_t *)map, i)) {
        const char *tensor = json_object_iter_key(i);
        const char *name = json_string_value(json_object_iter_value(i));
        int file = name ? file_of(f, folder, name, names, params, err)
                        : at_error(err, ATTEND_FORMAT,
                                   "%s/%s: tensor '%.80s' has no file; restore the index",
                                   at_show(folder).text, index_name, tensor);
        status = file < 0 ? (attend_status)file : ATTEND_OK;
        if (status >= 0 && !at_safetensors_find(f->file[file]->file, tensor))
            status = at_error(err, ATTEND_FORMAT, "%s/%s: tensor '%.80s' is missing in %.80s",
                              at_show(folder).text, index_name, tensor, name);
        n++;
    }
    if (status >= 0 && (!n || n != (size_t)at_weight_files_tensors(f)))
        status = at_error(err, ATTEND_FORMAT,
                          "%s/%s: weight_map has %zu tensors, and its files %d; restore them",
                          at_show(folder).text, index_name, n, at_weight_files_tensors(f));
    return status;
}

/* What is there in place of the weights. */
static attend_status missing(const char *folder, attend_error *err)
{
    char *bin = at_file_join(folder, "pytorch_model.bin");
    bool has = bin && at_file_exists(bin);
    at_free(bin);
    return at_error(err, ATTEND_FILE,
                    has ? "%s: pytorch_model.bin is a Python pickle, which could run any program "
                          "and is not read; save the model as model.safetensors (save_pretrained "
                          "of transformers with safe_serialization=True)"
                        : "%s: there is no model.safetensors in it; copy the weights into the "
                          "folder",
                    at_show(folder).text);
}

attend_status at_weight_files_open(const char *folder, at_params *params, at_weight_files *out,
                                   attend_error *err)
{
    *out = (at_weight_files){.count = 0};
    char *one = at_file_join(folder, "model.safetensors"), *many = at_file_join(folder, index_name);
    json_t *index = NULL;
    attend_status status;
    if (!one || !many)
        status = at_error_memory(err);
    else if (at_file_exists(one))
        status = open_one(out, one, params, err);
    else if (!at_file_exists(many))
        status = missing(folder, err);
    else if ((status = at_json_load(many, &index, err)) >= 0)
        status = open_indexed(out, folder, index, params, err);
    json_decref(index);
    at_free(one);
    at_free(many);
    if (status < 0)
        at_weight_files_free(out);
    return status;
}

attend_status at_weight_files_open_one(const char *path, at_params *params, at_weight_files *out,
                                       attend_error *err)
{
    *out = (at_weight_files){.count = 0};
    attend_status status = open_one(out, path, params, err);
    if (status < 0)
        at_weight_files_free(out);
    return status;
}

void at_weight_files_free(at_weight_files *f)
{
    at_arena_free(&f->memory);
    *f = (at_weight_files){.count = 0};
}

/* ---- tensors -------------------------------------------------------------------------------- */

int at_weight_files_tensors(const at_weight_files *f)
{
    int n = 0;
    for (int i = 0; i < f->count; i++)
        n += at_safetensors_count(f->file[i]->file);
    return n;
}

const at_stored *at_weight_files_at(const at_weight_files *f, int index, const at_lent_file **from)
{
    int i = 0;
    while (index >= at_safetensors_count(f->file[i]->file))
        index -= at_safetensors_count(f->file[i++]->file);
    if (from)
        *from = f->file[i];
    return at_safetensors_at(f->file[i]->file, index);
}

const at_stored *at_weight_files_find(const at_weight_files *f, const char *name,
                                      const at_lent_file **from)
{
    for (int i = 0; i < f->count; i++) {
        const at_stored *t = at_safetensors_find(f->file[i]->file, name);
        if (t && from)
            *from = f->file[i];
        if (t)
            return t;
    }
    return NULL;
}
