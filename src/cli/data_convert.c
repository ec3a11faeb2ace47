/* The library writes files, whole or not at all; for standard output one is made in a folder of its
 * own, copied, and removed. */
#include "cli/data_convert.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/stream.h"

static attend_status make_folder(at_str *folder, attend_error *err)
{
    const char *place = getenv("TMPDIR");
    at_str_print(folder, "%s/attend-XXXXXX", place && *place ? place : "/var/tmp");
    if (folder->failed)
        return at_error_memory(err);
    if (!mkdtemp(folder->text))
        return at_error(err, ATTEND_FILE, "%s: cannot make a folder: %s; set TMPDIR",
                        at_show(folder->text).text, strerror(errno));
    return ATTEND_OK;
}

static attend_status copy_out(const char *path, attend_error *err)
{
    enum { BLOCK = 1 << 16 };
    static char block[BLOCK];
    int file;
    ptrdiff_t got = 0;
    at_str out = {0};
    attend_status status = at_file_open(path, &file, err);
    if (status < 0)
        return status;
    while (status >= 0 && (got = at_file_get(file, block, BLOCK)) > 0) {
        at_str_add_bytes(&out, block, (size_t)got);
        status = at_cli_flush(&out, true, err);
    }
    if (got < 0)
        status = at_file_fail(err, path, "cannot read");
    close(file);
    at_str_free(&out);
    return status;
}

static attend_status convert_out(const char *const *paths, int count,
                                 const attend_data_options *options, attend_data_counts *counts,
                                 attend_error *err)
{
    at_str folder = {0};
    attend_status status = make_folder(&folder, err);
    char *path = status >= 0 ? at_file_join(folder.text, "out") : NULL;
    if (status >= 0)
        status = path ? attend_data_convert(paths, count, path, options, counts, err)
                      : at_error_memory(err);
    if (status >= 0)
        status = copy_out(path, err);
    if (path) {
        unlink(path);
        rmdir(folder.text);
    }
    at_free(path);
    at_str_free(&folder);
    return status;
}

attend_status at_data_convert(const char *const *paths, int count, const char *out,
                              const attend_data_options *options, attend_data_counts *counts,
                              attend_error *err)
{
    if (strcmp(out, "-") != 0)
        return attend_data_convert(paths, count, out, options, counts, err);
    bool two = options->to ? strcmp(options->to, "aligned") == 0 : options->target != NULL;
    if (two)
        return at_error(err, ATTEND_OPTION,
                        "--out: aligned files are two, and standard output is one; name a file, or "
                        "choose --to pairs");
    return convert_out(paths, count, options, counts, err);
}
