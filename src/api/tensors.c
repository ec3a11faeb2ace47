/* attend_tensors: safetensors files seen from outside. */
#include <string.h>
#include <sys/stat.h>

#include "attend.h"
#include "base/file.h"
#include "base/memory.h"
#include "store/weight_files.h"

_Static_assert(sizeof(size_t) == sizeof(int64_t), "shapes are handed out as they are stored");

struct attend_tensors {
    at_params *params; /* which owns the files */
    at_weight_files files;
};

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

attend_status attend_tensors_open(const char *path, attend_tensors **out, attend_error *err)
{
    attend_tensors *t = at_alloc_zero(1, sizeof *t);
    *out = NULL;
    if (!t || !(t->params = at_params_new(0))) {
        at_free(t);
        return at_error_memory(err);
    }
    attend_status status = is_folder(path)
                               ? at_weight_files_open(path, t->params, &t->files, err)
                               : at_weight_files_open_one(path, t->params, &t->files, err);
    if (status < 0)
        attend_tensors_free(t);
    else
        *out = t;
    return status;
}

size_t attend_tensors_count(const attend_tensors *t)
{
    return (size_t)at_weight_files_tensors(&t->files);
}

int attend_tensors_info(const attend_tensors *t, size_t index, attend_tensor_info *info)
{
    if (index >= attend_tensors_count(t))
        return 0;
    const at_stored *stored = at_weight_files_at(&t->files, (int)index, NULL);
    *info = (attend_tensor_info){.name = stored->name,
                                 .dtype = at_dtype_name(stored->dtype),
                                 .rank = stored->rank,
                                 .shape = (const size_t *)stored->dim,
                                 .count = stored->len,
                                 .bytes = stored->bytes};
    return 1;
}

int attend_tensors_note(const attend_tensors *t, size_t index, const char **name, const char **text)
{
    const at_safetensors *first = t->files.file[0]->file;
    if (index >= (size_t)at_safetensors_metadata_count(first))
        return 0;
    at_metadata note = at_safetensors_metadata_at(first, (int)index);
    *name = note.key;
    *text = note.value;
    return 1;
}

void attend_tensors_free(attend_tensors *t)
{
    if (!t)
        return;
    at_weight_files_free(&t->files);
    at_params_free(t->params);
    at_free(t);
}
