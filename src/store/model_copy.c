#include "store/model_copy.h"

#include "base/checksum_list.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/memory.h"
#include "text/tokenizer.h"

/* the files of these names that are there, unless they are damaged */
static attend_status copy_named(const char *from, const char *to, const char *const *names,
                                attend_error *err)
{
    attend_status status = at_checksum_list_verify(from, NULL, NULL, err);
    if (status >= 0 && (status = at_folder_make(to, err)) >= 0)
        status = at_checksum_list_clear(to, err);
    for (const char *const *name = names; status >= 0 && *name; name++) {
        char *file = at_file_join(from, *name), *copy = at_file_join(to, *name);
        if (!file || !copy)
            status = at_error_memory(err);
        else if (at_file_exists(file))
            status = at_file_copy(file, copy, err);
        at_free(file);
        at_free(copy);
    }
    return status < 0 ? status : at_checksum_list_save(to, names, err);
}

static attend_status copy_tokenizer(const char *folder, const char *out, const char *name,
                                    attend_error *err)
{
    char *from = at_file_join(folder, name), *to = at_file_join(out, name);
    attend_status status = from && to ? ATTEND_OK : at_error_memory(err);
    if (status >= 0 && at_file_exists(from))
        status = copy_named(from, to, at_tokenizer_files, err);
    at_free(from);
    at_free(to);
    return status;
}

attend_status at_model_copy(const char *folder, const char *out, attend_error *err)
{
    static const char *const settings[] = {"config.json", NULL};
    static const char *const tokenizer[] = {"tokenizer", "source", "target"};
    attend_status status = copy_named(folder, out, settings, err);
    for (size_t i = 0; i < sizeof tokenizer / sizeof *tokenizer && status >= 0; i++)
        status = copy_tokenizer(folder, out, tokenizer[i], err);
    return status;
}
