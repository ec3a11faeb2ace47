/* Folders: copied, removed, and made so that a reader finds all of their files or none. */
#ifndef ATTEND_BASE_FOLDER_H
#define ATTEND_BASE_FOLDER_H

#include <stdbool.h>

#include "base/error.h"

/* Copies a regular file of any size; `to` is written whole or not at all. */
attend_status at_file_copy(const char *from, const char *to, attend_error *err);

/* Takes a file by its name in the folder: "config.json", "1_Pooling/config.json". A negative status
 * ends the walk. */
typedef attend_status at_folder_function(void *user, const char *name, attend_error *err);

/* Every regular file of a folder and of the folders in it, in any order. Names that begin with a
 * dot are left out. Links to files are followed, links to folders are not. */
attend_status at_folder_walk(const char *folder, at_folder_function *function, void *user,
                             attend_error *err);

/* Removes a folder and everything in it; follows no links. */
void at_folder_remove(const char *path);

/* A folder on its way. Files are written to `temporary`, beside it; commit gives that folder its
 * name. Either commit or abort ends it, also where open has failed. */
typedef struct {
    char *path;      /* absolute, without links */
    char *temporary; /* NULL: not made */
    bool replaces;   /* there is a folder that is not empty */
} at_new_folder;

/* path must be missing or an empty folder. mark: a folder that has a file of this name is replaced;
 * NULL: none is. Folders above it are made. */
attend_status at_new_folder_open(at_new_folder *n, const char *path, const char *mark,
                                 attend_error *err);
attend_status at_new_folder_commit(at_new_folder *n, attend_error *err);
void at_new_folder_abort(at_new_folder *n);

#endif
