#include "store/model_copy.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"

static const size_t largest = (size_t)1 << 30; /* bytes of a file */

static attend_status copy_file(const char *from, const char *to, attend_error *err)
{
    char *text;
    size_t size;
    at_writer *w;
    attend_status status = at_file_read(from, largest, &text, &size, err);
    if (status < 0)
        return status;
    status = at_writer_open(&w, to, err);
    if (status >= 0) {
        at_writer_write(w, text, size);
        status = at_writer_commit(w, err);
    }
    at_free(text);
    return status;
}

static attend_status copy_folder(const char *from, const char *to, int depth, attend_error *err);

static attend_status copy_one(const char *folder, const char *out, const char *name, int depth,
                              attend_error *err)
{
    struct stat about;
    char *from = at_file_join(folder, name), *to = at_file_join(out, name);
    attend_status status = from && to ? ATTEND_OK : at_error_memory(err);
    if (status >= 0 && stat(from, &about) != 0)
        status = at_file_fail(err, from, "cannot read");
    else if (status >= 0 && S_ISDIR(about.st_mode) && depth > 0 && strcmp(name, "training") != 0)
        status = copy_folder(from, to, depth - 1, err);
    else if (status >= 0 && S_ISREG(about.st_mode) && !at_file_ends(name, ".safetensors"))
        status = copy_file(from, to, err);
    at_free(from);
    at_free(to);
    return status;
}

static attend_status copy_folder(const char *from, const char *to, int depth, attend_error *err)
{
    attend_status status = at_folder_make(to, err);
    DIR *d = status < 0 ? NULL : opendir(from);
    if (status >= 0 && !d)
        return at_file_fail(err, from, "cannot open");
    for (const struct dirent *e; status >= 0 && (e = readdir(d));)
        if (e->d_name[0] != '.')
            status = copy_one(from, to, e->d_name, depth, err);
    if (d)
        closedir(d);
    return status;
}

attend_status at_model_copy(const char *folder, const char *out, attend_error *err)
{
    return copy_folder(folder, out, 1, err);
}
