/* attend_tensors: a safetensors file seen from outside. */
#include <string.h>
#include <sys/stat.h>

#include "attend.h"
#include "base/file.h"
#include "base/memory.h"
#include "store/safetensors.h"

_Static_assert(sizeof(size_t) == sizeof(int64_t), "shapes are handed out as they are stored");

/* path itself, or the weights in the folder that it is; to be freed */
static char *weights_path(const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return at_file_join(path, "model.safetensors");
    return at_strdup(path);
}

attend_status attend_tensors_open(const char *path, attend_tensors **out, attend_error *err)
{
    char *file = weights_path(path);
    attend_status status = file ? at_safetensors_open(file, out, err) : at_error_memory(err);
    at_free(file);
    if (status < 0)
        *out = NULL;
    return status;
}

size_t attend_tensors_count(const attend_tensors *t) { return (size_t)at_safetensors_count(t); }

int attend_tensors_info(const attend_tensors *t, size_t index, attend_tensor_info *info)
{
    if (index >= attend_tensors_count(t))
        return 0;
    const at_stored *stored = at_safetensors_at(t, (int)index);
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
    if (index >= (size_t)at_safetensors_metadata_count(t))
        return 0;
    at_metadata note = at_safetensors_metadata_at(t, (int)index);
    *name = note.key;
    *text = note.value;
    return 1;
}

void attend_tensors_free(attend_tensors *t) { at_safetensors_close(t); }
