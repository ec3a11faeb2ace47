/* Files: mapped or read whole, and written so that a reader finds the old content or the new
 * one, never a part of it, whatever fails. */
#ifndef ATTEND_BASE_FILE_H
#define ATTEND_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

/* ---- reading --------------------------------------------------------------------------- */

/* the bytes of a regular file, read-only; data is never NULL while open */
typedef struct {
    const unsigned char *data;
    size_t size;
    int file;         /* stays open, unless the file is empty */
    int64_t modified; /* in nanoseconds, when it was opened */
} at_map;

/* The file may be replaced or removed while mapped, but must not be cut short in place. */
attend_status at_map_open(at_map *m, const char *path, attend_error *err);
void at_map_close(at_map *m); /* also after a failed open, and twice */

/* Has the file its size and its time of modification still? Another file in its place does not
 * matter: the mapping is of the old one. */
bool at_map_unchanged(const at_map *m);

/* These bytes of a mapped file are hardly needed any more: their pages may leave the memory. They
 * can still be read. */
void at_map_retire(const void *data, size_t size);

/* Reads all of a regular file of at most limit bytes: the files of models and runs. A pipe or a
 * device is refused, without waiting for it. text ends with a NUL that size does not count; release
 * it with at_free. size may be NULL. */
attend_status at_file_read(const char *path, size_t limit, char **text, size_t *size,
                           attend_error *err);

/* The same for data, which may come from a pipe or a device, such as standard input. */
attend_status at_input_read(const char *path, size_t limit, char **text, size_t *size,
                            attend_error *err);

/* For those who read by hand: opens a file or pipe, anything but a folder; up to size bytes, 0 at
 * the end, -1 with the cause in errno. */
attend_status at_file_open(const char *path, int *file, attend_error *err);
ptrdiff_t at_file_get(int file, void *buffer, size_t size);

/* "path: what: cause; remedy", with the cause in errno: what is "cannot read" */
attend_status at_file_fail(attend_error *err, const char *path, const char *what);

/* ---- writing --------------------------------------------------------------------------- */

/* A file on its way. What is written goes to a temporary file in the same folder; commit brings
 * it to the disk and then gives it its name in one step. The first failure is kept, removes the
 * temporary, and is reported by commit; the old file is untouched then.
 *
 *     at_writer *w;
 *     if (at_writer_open(&w, path, err) < 0)
 *         return err->status;
 *     at_writer_write(w, data, size);
 *     return at_writer_commit(w, err);
 */
typedef struct at_writer at_writer;

/* A symbolic link at path is replaced, not followed. */
attend_status at_writer_open(at_writer **out, const char *path, attend_error *err);

/* The status so far; need not be looked at before commit. */
attend_status at_writer_write(at_writer *w, const void *data, size_t size);

/* Ends the writer, on failure too. */
attend_status at_writer_commit(at_writer *w, attend_error *err);
void at_writer_abort(at_writer *w); /* ends it and leaves no trace; w may be NULL */

/* Writes a whole file through a writer. A path that is NULL and a text that has failed are memory
 * that ran out. */
attend_status at_file_write(const char *path, const at_str *text, attend_error *err);

/* Removes the temporary files of all writers: for a signal that ends the process. */
void at_writers_discard(void);

/* ---- names ----------------------------------------------------------------------------- */

bool at_file_exists(const char *path);
bool at_file_ends(const char *path, const char *end); /* is this the end of its name? */

/* folder/name, or name itself when it starts with a slash; at_free it; NULL without memory */
char *at_file_join(const char *folder, const char *name);

/* Makes a folder and those above it; one that exists is well. */
attend_status at_folder_make(const char *path, attend_error *err);

/* Removes temporary files of writers whose processes were killed. */
void at_folder_sweep(const char *path);

/* A path or another name from outside, fit for a message: nothing that a terminal would obey,
 * and of a long one only the end. */
typedef struct {
    char text[128];
} at_shown;

at_shown at_show(const char *name);

/* ---- for tests ---- */

/* The n-th system call of this file from now on fails with the given errno, and all after it,
 * as on a full disk; -1: never. Cleaning up works always. */
void at_file_fail_after(long n, int error);

/* A single call writes no more than this from now on, as a network or a full pipe may do. */
void at_file_set_max_write(size_t bytes);

#endif
