/* A corpus of many files: those of a folder. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "data/corpus.h"

static int is_visible(const struct dirent *e) { return e->d_name[0] != '.'; }

static bool is_a(const char *path, mode_t kind)
{
    struct stat s;
    return stat(path, &s) == 0 && (s.st_mode & S_IFMT) == kind;
}

/* folder/name; release it with at_free; NULL without memory */
static char *join(const char *folder, const char *name)
{
    at_str path = {0};
    at_str_print(&path, "%s/%s", folder, name);
    char *text = path.failed ? NULL : at_str_take(&path);
    at_str_free(&path);
    return text;
}

/* the regular files among the entries, which are released; how many, -1 without memory; file may be
 * NULL: then there is none */
static int take_files(const char *folder, struct dirent **entry, int n, char **file)
{
    int count = 0;
    bool failed = !file;
    for (int i = 0; i < n; i++) {
        char *path = failed ? NULL : join(folder, entry[i]->d_name);
        failed |= !path;
        if (path && is_a(path, S_IFREG))
            file[count++] = path;
        else
            at_free(path);
        free(entry[i]);
    }
    free(entry);
    for (int i = 0; failed && i < count; i++)
        at_free(file[i]);
    return failed ? -1 : count;
}

attend_status at_corpus_load_path(const char *path, const at_corpus_options *options,
                                  at_corpus **out, attend_error *err)
{
    struct dirent **entry;
    if (!is_a(path, S_IFDIR))
        return at_corpus_load(&path, 1, options, out, err);
    *out = NULL;
    int n = scandir(path, &entry, is_visible, alphasort);
    if (n < 0)
        return at_file_fail(err, path, "cannot read the folder");
    char **file = at_alloc((size_t)(n + 1) * sizeof *file);
    int count = take_files(path, entry, n, file);
    attend_status status = count < 0 ? at_error_memory(err) : ATTEND_OK;
    if (count == 0)
        status = at_error(err, ATTEND_FILE, "%s: there is no file in it; name a folder of files",
                          at_show(path).text);
    if (status >= 0)
        status = at_corpus_load((const char *const *)file, count, options, out, err);
    for (int i = 0; i < count; i++)
        at_free(file[i]);
    at_free(file);
    return status;
}
