/* Shared libraries that are loaded when they are first needed: what draws figures and unpacks
 * archives brings dozens of others with it, and `attend --version` should not wait for them.
 *
 * The functions are named once, and typed by the library's own header:
 *
 *     #define FUNCTIONS(X) X(archive_read_new) X(archive_read_free)
 *     #define X(name) __typeof__(name) *name;
 *     static struct { FUNCTIONS(X) } lib;
 *     #undef X
 *     #define X(name) #name,
 *     static const char *const names[] = {FUNCTIONS(X) NULL};
 *     #undef X
 *     static at_library library = {"libarchive.so.13", "libarchive13", names, &lib};
 *
 *     if (at_library_load(&library, err) < 0) ...
 *     struct archive *a = lib.archive_read_new();
 */
#ifndef ATTEND_BASE_LIBRARY_H
#define ATTEND_BASE_LIBRARY_H

#include <stdbool.h>

#include "base/error.h"

typedef struct {
    const char *file;           /* its name with its version: "libarchive.so.13" */
    const char *package;        /* Debian's, for the message */
    const char *const *symbols; /* up to a NULL */
    void *functions;            /* a struct of as many function pointers, in the same order */
    bool loaded;
} at_library;

/* Fills the functions; does nothing where that is done. Stays loaded. Thread safe. */
attend_status at_library_load(at_library *l, attend_error *err);

#endif
