#include "base/folder.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

enum { DEPTH_MAX = 16 }; /* folders in folders */

attend_status at_file_copy(const char *from, const char *to, attend_error *err)
{
    at_map map;
    at_writer *w;
    attend_status status = at_map_open(&map, from, err);
    if (status >= 0 && (status = at_writer_open(&w, to, err)) >= 0) {
        at_writer_write(w, map.data, map.size);
        status = at_writer_commit(w, err);
    }
    at_map_close(&map);
    return status;
}

/* ---- walking -------------------------------------------------------------------------------- */

typedef struct {
    at_folder_function *function;
    void *user;
    attend_error *err;
} walk;

static attend_status walk_in(const walk *w, const char *folder, const char *prefix, int depth);

/* prefix: of names, of the folder that the entry is in */
static attend_status walk_entry(const walk *w, const char *folder, const char *prefix,
                                const char *entry, int depth)
{
    struct stat info;
    char *path = at_file_join(folder, entry), *name = at_file_join(prefix, entry);
    attend_status status = path && name ? ATTEND_OK : at_error_memory(w->err);
    if (status >= 0 && lstat(path, &info) < 0)
        status = at_file_fail(w->err, path, "cannot read");
    if (status >= 0 && S_ISDIR(info.st_mode))
        status = walk_in(w, path, name, depth + 1);
    else if (status >= 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode))
        status = w->function(w->user, name, w->err);
    at_free(path);
    at_free(name);
    return status;
}

static attend_status walk_in(const walk *w, const char *folder, const char *prefix, int depth)
{
    if (depth > DEPTH_MAX)
        return at_error(w->err, ATTEND_FILE,
                        "%s: more than %d folders are in each other; remove some",
                        at_show(folder).text, (int)DEPTH_MAX);
    DIR *d = opendir(folder);
    if (!d)
        return at_file_fail(w->err, folder, "cannot read");
    attend_status status = ATTEND_OK;
    for (struct dirent *e; status >= 0 && (e = readdir(d));)
        if (*e->d_name != '.')
            status = walk_entry(w, folder, prefix, e->d_name, depth);
    closedir(d);
    return status;
}

attend_status at_folder_walk(const char *folder, at_folder_function *function, void *user,
                             attend_error *err)
{
    return walk_in(&(walk){function, user, err}, folder, "", 0);
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)info, (void)type, (void)at;
    (void)!remove(path);
    return 0;
}

void at_folder_remove(const char *path)
{
    nftw(path, remove_entry, DEPTH_MAX, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* ---- new folders ---------------------------------------------------------------------------- */

/* A path that is missing: folders above it are made. */
static attend_status resolve_missing(char *path, char **out, attend_error *err)
{
    char above[PATH_MAX];
    for (size_t n = strlen(path); n > 1 && path[n - 1] == '/';)
        path[--n] = '\0';
    char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path, *folder = slash == path ? "/" : slash ? path : ".";
    if (slash)
        *slash = '\0';
    attend_status status = at_folder_make(folder, err);
    if (status >= 0 && !realpath(folder, above))
        status = at_file_fail(err, folder, "cannot open");
    if (status >= 0 && !(*out = at_file_join(above, name)))
        status = at_error_memory(err);
    return status;
}

/* The path without links; *there: is something at it? */
static attend_status resolve(const char *path, char **out, bool *there, attend_error *err)
{
    char found[PATH_MAX];
    *there = realpath(path, found);
    if (!*there && errno != ENOENT)
        return at_file_fail(err, path, "cannot open");
    char *copy = at_strdup(*there ? found : path);
    if (!copy)
        return at_error_memory(err);
    if (*there)
        return *out = copy, ATTEND_OK;
    attend_status status = resolve_missing(copy, out, err);
    at_free(copy);
    return status;
}

/* Is it empty, or may be replaced? */
static attend_status check_there(at_new_folder *n, const char *mark, attend_error *err)
{
    DIR *d = opendir(n->path);
    if (!d)
        return at_file_fail(err, n->path, "cannot open");
    for (struct dirent *e; (e = readdir(d));)
        n->replaces |= strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    if (!n->replaces)
        return ATTEND_OK;
    if (!mark)
        return at_error(err, ATTEND_OPTION,
                        "%s: the folder is not empty; choose another one, or --overwrite replaces "
                        "it",
                        at_show(n->path).text);
    char *file = at_file_join(n->path, mark);
    attend_status status = file ? ATTEND_OK : at_error_memory(err);
    if (file && !at_file_exists(file))
        status = at_error(err, ATTEND_OPTION,
                          "%s: the folder has other files and no %s, and is not replaced; choose "
                          "another one",
                          at_show(n->path).text, mark);
    at_free(file);
    return status;
}

/* A new name beside it; NULL without memory. */
static char *name_beside(const char *path)
{
    static atomic_uint counter;
    char name[64], *copy = at_strdup(path);
    if (!copy)
        return NULL;
    strrchr(copy, '/')[1] = '\0';
    snprintf(name, sizeof name, ".attend-%ld-%u.new", (long)getpid(),
             atomic_fetch_add(&counter, 1));
    char *beside = at_file_join(copy, name);
    at_free(copy);
    return beside;
}

/* Not mkdtemp: only the owner could read its folders. */
static attend_status make_temporary(at_new_folder *n, attend_error *err)
{
    for (int tries = 0; tries < 100; tries++) {
        char *path = name_beside(n->path);
        if (!path)
            return at_error_memory(err);
        if (mkdir(path, 0777) == 0)
            return n->temporary = path, ATTEND_OK;
        int error = errno;
        at_free(path);
        errno = error;
        if (error != EEXIST) /* EEXIST: left behind by a process that was killed */
            break;
    }
    return at_file_fail(err, n->path, "cannot make a folder beside it");
}

attend_status at_new_folder_open(at_new_folder *n, const char *path, const char *mark,
                                 attend_error *err)
{
    bool there;
    *n = (at_new_folder){.path = NULL};
    attend_status status = resolve(path, &n->path, &there, err);
    if (status >= 0 && there)
        status = check_there(n, mark, err);
    return status < 0 ? status : make_temporary(n, err);
}

/* The old folder gets another name first, and its own back where the new one cannot have it. */
static attend_status give_name(at_new_folder *n, attend_error *err)
{
    at_str old = {0};
    attend_status status = ATTEND_OK;
    at_str_print(&old, "%s-old", n->temporary);
    if (old.failed)
        status = at_error_memory(err);
    else if (n->replaces && rename(n->path, at_str_text(&old)) < 0)
        status = at_file_fail(err, n->path, "cannot replace it");
    else if (rename(n->temporary, n->path) < 0) {
        status = at_file_fail(err, n->path, "cannot replace it");
        if (n->replaces)
            (void)!rename(at_str_text(&old), n->path);
    } else if (n->replaces)
        at_folder_remove(at_str_text(&old));
    at_str_free(&old);
    return status;
}

attend_status at_new_folder_commit(at_new_folder *n, attend_error *err)
{
    attend_status status = give_name(n, err);
    if (status >= 0) {
        at_free(n->temporary);
        n->temporary = NULL;
    }
    at_new_folder_abort(n);
    return status;
}

void at_new_folder_abort(at_new_folder *n)
{
    if (n->temporary)
        at_folder_remove(n->temporary);
    at_free(n->temporary);
    at_free(n->path);
    *n = (at_new_folder){.path = NULL};
}
