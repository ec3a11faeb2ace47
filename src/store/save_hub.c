/* Saving a model that came from a hub folder: its files again, with all weights in one file. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/memory.h"
#include "store/hub.h"

/* ---- weights -------------------------------------------------------------------------------- */

/* The metadata is that of the first file. */
static attend_status write_weights(const at_weight_files *files, const char *path,
                                   attend_error *err)
{
    const at_safetensors *first = files->file[0]->file;
    int n = at_weight_files_tensors(files), notes = at_safetensors_metadata_count(first);
    at_to_store *tensor = at_alloc_zero((size_t)n + 1, sizeof *tensor);
    at_metadata *note = at_alloc_zero((size_t)notes + 1, sizeof *note);
    attend_status status = tensor && note ? ATTEND_OK : at_error_memory(err);
    for (int i = 0; i < n && status >= 0; i++)
        tensor[i] = at_store_again(at_weight_files_at(files, i, NULL));
    for (int i = 0; i < notes && status >= 0; i++)
        note[i] = at_safetensors_metadata_at(first, i);
    if (status >= 0)
        status = at_safetensors_save(path, tensor, n, note, notes, err);
    at_free(tensor);
    at_free(note);
    return status;
}

static attend_status save_weights(const at_weight_files *files, const char *folder,
                                  attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (int i = 0; i < files->count && status >= 0; i++)
        status = at_safetensors_verify_all(files->file[i]->file, err);
    char *path = at_file_join(folder, "model.safetensors");
    if (status >= 0)
        status = path ? write_weights(files, path, err) : at_error_memory(err);
    for (int i = 0; i < files->count && status >= 0; i++)
        status = at_safetensors_check_unchanged(files->file[i]->file, err);
    at_free(path);
    return status;
}

/* ---- other files ---------------------------------------------------------------------------- */

/* Weights: those of the model, which are written apart, or those of other programs. */
static bool is_weights(const char *name)
{
    static const char *const own[] = {".safetensors", ".safetensors.index.json", NULL};
    static const char *const others[] = {".bin",  ".bin.index.json",
                                         ".h5",   ".h5.index.json",
                                         ".ckpt", ".msgpack",
                                         ".onnx", ".ot",
                                         ".pt",   ".pth",
                                         NULL};
    for (const char *const *end = own; *end && !strchr(name, '/'); end++)
        if (at_file_ends(name, *end))
            return true;
    for (const char *const *end = others; *end; end++)
        if (at_file_ends(name, *end))
            return true;
    return false;
}

typedef struct {
    const char *from, *to;
} copying;

static attend_status copy_other(void *user, const char *name, attend_error *err)
{
    const copying *c = user;
    if (is_weights(name))
        return ATTEND_OK;
    char *from = at_file_join(c->from, name), *to = at_file_join(c->to, name);
    attend_status status = from && to ? ATTEND_OK : at_error_memory(err);
    if (status >= 0 && strchr(name, '/')) {
        char *slash = strrchr(to, '/');
        *slash = '\0';
        status = at_folder_make(to, err);
        *slash = '/';
    }
    if (status >= 0)
        status = at_file_copy(from, to, err);
    at_free(from);
    at_free(to);
    return status;
}

/* ---- the folder ----------------------------------------------------------------------------- */

/* Both are absolute and without links. */
static bool is_within(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && (path[n] == '/' || !path[n]);
}

static attend_status check_apart(const char *folder, const char *out, attend_error *err)
{
    char full[PATH_MAX];
    if (!realpath(folder, full))
        return at_file_fail(err, folder, "cannot open");
    if (is_within(out, full) || is_within(full, out))
        return at_error(err, ATTEND_OPTION,
                        "%s: one of this folder and the model's, %s, is in the other; choose "
                        "another one",
                        at_show(out).text, at_show(full).text);
    return ATTEND_OK;
}

attend_status at_hub_new_folder(at_new_folder *n, const char *from, const char *out, bool overwrite,
                                attend_error *err)
{
    attend_status status = at_new_folder_open(n, out, overwrite ? "config.json" : NULL, err);
    return status < 0 ? status : check_apart(from, n->path, err);
}

attend_status at_hub_save(const at_model *m, const char *out, bool overwrite, attend_error *err)
{
    const at_hub_folder *f = m->hub;
    at_new_folder n;
    attend_status status = at_hub_new_folder(&n, f->path, out, overwrite, err);
    copying to = {f->path, n.temporary};
    if (status >= 0 && (status = at_folder_walk(f->path, copy_other, &to, err)) >= 0
        && (status = save_weights(&f->files, n.temporary, err)) >= 0)
        return at_new_folder_commit(&n, err);
    at_new_folder_abort(&n);
    return status;
}
