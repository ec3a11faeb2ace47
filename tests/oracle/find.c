/* Finding cases: folders that hold an expected.json, and the files tokenizers/NAME.jsonl and
 * bleu/NAME.jsonl.
 *
 * A family is the first folder below the set's root. Whether a folder is that root or already a
 * family is seen by its depth: the cases of a family lie directly in it. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "oracle.h"

enum { MAX_DEPTH = 8 };

static bool is_folder(const char *path)
{
    struct stat s;

    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static bool join(char out[PATH_MAX], const char *folder, const char *name)
{
    int n = snprintf(out, PATH_MAX, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name);

    return n >= 0 && n < PATH_MAX;
}

static bool is_case(const char *folder)
{
    char path[PATH_MAX];

    return join(path, folder, "expected.json") && access(path, F_OK) == 0;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool has_tables(const char *folder)
{
    const char *family = base_name(folder);

    return strcmp(family, "tokenizers") == 0 || strcmp(family, "bleu") == 0;
}

static attend_status add(at_finds *f, const char *path, attend_error *err)
{
    at_found *item = f->item;

    if (f->count == f->room) {
        int room = f->room ? 2 * f->room : 64;
        item = at_realloc(f->item, (size_t)f->room * sizeof *item, (size_t)room * sizeof *item);
        if (!item)
            return at_error_memory(err);
        f->item = item;
        f->room = room;
    }
    item[f->count] = (at_found){.path = at_strdup(path)};
    if (!item[f->count].path)
        return at_error_memory(err);
    f->count++;
    return ATTEND_OK;
}

static attend_status walk(at_finds *f, const char *folder, int depth, attend_error *err)
{
    attend_status status = ATTEND_OK;
    struct dirent *entry;
    char path[PATH_MAX];
    DIR *dir;

    if (is_case(folder))
        return add(f, folder, err);
    if (depth == MAX_DEPTH)
        return ATTEND_OK;
    dir = opendir(folder);
    if (!dir)
        return at_error(err, ATTEND_FILE, "%s: cannot read the folder: %s", folder,
                        strerror(errno));
    while (status >= 0 && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.' || !join(path, folder, entry->d_name))
            continue;
        if (is_folder(path))
            status = walk(f, path, depth + 1, err);
        else if (has_tables(folder) && ends_with(path, ".jsonl"))
            status = add(f, path, err);
    }
    closedir(dir);
    return status;
}

static void cut_last(char *path)
{
    char *slash = strrchr(path, '/');

    if (slash)
        *slash = '\0';
}

/* how many folders deep below base */
static int depth_below(const char *base, const char *path)
{
    int depth = 0;

    for (const char *p = path + strlen(base); *p; p++)
        depth += *p == '/';
    return depth;
}

/* base is the root when some case lies two folders deep; else it is a family, or a case */
static void find_root(at_finds *f, const char *base)
{
    int deepest = 0;

    strcpy(f->root, base);
    for (int i = 0; i < f->count; i++) {
        int depth = depth_below(base, f->item[i].path);
        if (depth > deepest)
            deepest = depth;
    }
    if (f->count == 0)
        return;
    for (int i = deepest; i < 2; i++)
        cut_last(f->root);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const at_found *)a)->name, ((const at_found *)b)->name);
}

attend_status at_find_cases(at_finds *f, const char *folder, attend_error *err)
{
    char base[PATH_MAX];
    attend_status status;

    if (!realpath(folder, base))
        return at_error(err, ATTEND_FILE, "%s: %s", folder, strerror(errno));
    if (!is_folder(base))
        return at_error(err, ATTEND_FILE, "%s: not a folder", folder);
    if (strcmp(base, "/") == 0)
        base[0] = '\0';
    status = walk(f, base[0] ? base : "/", 0, err);
    if (status < 0)
        return status;
    find_root(f, base);
    for (int i = 0; i < f->count; i++)
        f->item[i].name = f->item[i].path + strlen(f->root) + 1;
    if (f->count > 0)
        qsort(f->item, (size_t)f->count, sizeof *f->item, by_name);
    return ATTEND_OK;
}

void at_finds_free(at_finds *f)
{
    for (int i = 0; i < f->count; i++)
        at_free(f->item[i].path);
    at_free(f->item);
    *f = (at_finds){.count = 0};
}
