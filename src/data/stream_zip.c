/* zip archives by libarchive, which is loaded when the first archive is met. The archive is opened
 * twice: once to see the names of its files, once to read the one that is wanted. */
#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/library.h"
#include "base/memory.h"
#include "base/str.h"
#include "data/stream_kind.h"

#define FUNCTIONS(X)                   \
    X(archive_read_new)                \
    X(archive_read_free)               \
    X(archive_read_support_format_zip) \
    X(archive_read_set_callback_data)  \
    X(archive_read_set_read_callback)  \
    X(archive_read_set_seek_callback)  \
    X(archive_read_open1)              \
    X(archive_read_next_header)        \
    X(archive_read_data)               \
    X(archive_error_string)            \
    X(archive_entry_pathname) X(archive_entry_pathname_utf8) X(archive_entry_filetype)

#define X(name) __typeof__(name) *name;
static struct {
    FUNCTIONS(X)
} lib;
#undef X
#define X(name) #name,
static const char *const names[] = {FUNCTIONS(X) NULL};
#undef X
static at_library library = {"libarchive.so.13", "libarchive13", names, &lib, false};

enum { MAX_FILES = 100000 };

typedef struct {
    at_raw *raw;
    struct archive *archive;
    attend_error error; /* of the last read, where that failed */
    unsigned char part[1 << 14];
} zip;

/* ---- what libarchive calls -------------------------------------------------------------- */

static la_ssize_t give(struct archive *a, void *data, const void **buffer)
{
    (void)a;
    zip *z = data;
    *buffer = z->part;
    ptrdiff_t got = at_raw_read(z->raw, z->part, sizeof z->part, &z->error);
    return got < 0 ? ARCHIVE_FATAL : got;
}

static la_int64_t seek(struct archive *a, void *data, la_int64_t offset, int whence)
{
    (void)a;
    zip *z = data;
    int64_t position = at_raw_seek(z->raw, offset, whence);
    return position < 0 ? ARCHIVE_FATAL : position;
}

/* ---- opening, walking ------------------------------------------------------------------- */

static attend_status failure(const zip *z, attend_error *err)
{
    if (z->error.status < 0)
        return at_error(err, z->error.status, "%s", z->error.message);
    const char *why = z->archive ? lib.archive_error_string(z->archive) : NULL;
    return at_error(err, ATTEND_FORMAT, "%s: the archive cannot be read (%s); get the file again",
                    z->raw->name, why ? at_show(why).text : "libarchive");
}

static attend_status start(zip *z, attend_error *err)
{
    z->error.status = ATTEND_OK;
    at_raw_seek(z->raw, 0, SEEK_SET);
    z->archive = lib.archive_read_new();
    if (!z->archive)
        return at_error_memory(err);
    if (lib.archive_read_support_format_zip(z->archive) < ARCHIVE_WARN
        || lib.archive_read_set_callback_data(z->archive, z) < ARCHIVE_WARN
        || lib.archive_read_set_read_callback(z->archive, give) < ARCHIVE_WARN
        || lib.archive_read_set_seek_callback(z->archive, seek) < ARCHIVE_WARN
        || lib.archive_read_open1(z->archive) < ARCHIVE_WARN)
        return failure(z, err);
    return ATTEND_OK;
}

static void stop(zip *z)
{
    if (z->archive)
        lib.archive_read_free(z->archive);
    z->archive = NULL;
}

/* The name of the next file, borrowed until the one after; NULL at the end or on failure. */
static const char *next_file(zip *z, attend_status *status, attend_error *err)
{
    struct archive_entry *entry;
    *status = ATTEND_OK;
    for (;;) {
        int code = lib.archive_read_next_header(z->archive, &entry);
        if (code == ARCHIVE_EOF)
            return NULL;
        if (code < ARCHIVE_WARN) {
            *status = failure(z, err);
            return NULL;
        }
        const char *name = lib.archive_entry_pathname_utf8(entry);
        name = name ? name : lib.archive_entry_pathname(entry);
        bool folder = lib.archive_entry_filetype(entry) == AE_IFDIR;
        if (name && *name && !folder && name[strlen(name) - 1] != '/')
            return name;
    }
}

/* ---- which file ------------------------------------------------------------------------- */

/* Can it be the corpus? Not what systems add, nor what explains: _about.txt, README.md, LICENSE */
static bool meant(const char *name)
{
    static const char *const others[] = {"readme", "license", "licence", "about", "copying"};
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    if (strncmp(name, "__MACOSX/", 9) == 0 || *base == '.' || *base == '_')
        return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncasecmp(base, others[i], strlen(others[i])) == 0)
            return false;
    return true;
}

/* "fra.txt" is enough for "fra-eng/fra.txt" */
static bool matches(const char *name, const char *wanted)
{
    size_t all = strlen(name), part = strlen(wanted);
    return strcmp(name, wanted) == 0
           || (all > part && name[all - part - 1] == '/' && strcmp(name + all - part, wanted) == 0);
}

typedef struct {
    at_str first; /* the file to be read */
    at_str list;  /* names, for a message */
    int fit;      /* how many could be meant */
    int files;
} survey;

static void consider(survey *s, const char *name, const char *member)
{
    s->files++;
    if (meant(name) && s->list.length < 200)
        at_str_print(&s->list, "%s%s", s->list.length ? ", " : "", at_show(name).text);
    if (!(member ? matches(name, member) : meant(name)))
        return;
    if (s->fit++ == 0)
        at_str_add(&s->first, name);
}

static attend_status verdict(const zip *z, const survey *s, const char *member, attend_error *err)
{
    const char *list = at_str_text(&s->list), *file = z->raw->name;
    if (s->first.failed || s->list.failed)
        return at_error_memory(err);
    if (s->fit == 1)
        return ATTEND_OK;
    if (member && s->fit == 0)
        return at_error(err, ATTEND_FORMAT, "%s: holds no \"%s\", but %.200s", file,
                        at_show(member).text, *list ? list : "no text");
    if (s->fit == 0)
        return at_error(err, ATTEND_FORMAT,
                        "%s: of its %d files none looks like a corpus; name one: %s:FILE", file,
                        s->files, file);
    return at_error(err, ATTEND_FORMAT, "%s: which of its files? Write %s:FILE with one of %.200s",
                    file, file, list);
}

static attend_status look(zip *z, survey *s, const char *member, attend_error *err)
{
    const char *name;
    attend_status status = start(z, err);
    while (status >= 0 && (name = next_file(z, &status, err))) {
        consider(s, name, member);
        if (s->files > MAX_FILES)
            status = at_error(err, ATTEND_FORMAT, "%s: more than %d files; unpack it first",
                              z->raw->name, MAX_FILES);
    }
    stop(z);
    return status < 0 ? status : verdict(z, s, member, err);
}

static attend_status go_to(zip *z, const char *wanted, attend_error *err)
{
    const char *name;
    attend_status status = start(z, err);
    while (status >= 0 && (name = next_file(z, &status, err)))
        if (strcmp(name, wanted) == 0)
            return ATTEND_OK;
    return status < 0 ? status : failure(z, err);
}

/* ---- the unpacker ----------------------------------------------------------------------- */

static ptrdiff_t zip_read(void *state, void *buffer, size_t size, attend_error *err)
{
    zip *z = state;
    la_ssize_t got = lib.archive_read_data(z->archive, buffer, size);
    return got < 0 ? failure(z, err) : got;
}

static void zip_close(void *state)
{
    stop(state);
    at_free(state);
}

attend_status at_unpack_zip(at_raw *raw, const char *member, char **name, at_unpacker *out,
                            attend_error *err)
{
    survey s = {0};
    *name = NULL;
    attend_status status = at_library_load(&library, err);
    if (status < 0)
        return status;
    zip *z = at_alloc_zero(1, sizeof *z);
    if (!z)
        return at_error_memory(err);
    z->raw = raw;
    status = look(z, &s, member, err);
    if (status >= 0)
        status = go_to(z, at_str_text(&s.first), err);
    if (status >= 0 && !(*name = at_str_take(&s.first)))
        status = at_error_memory(err);
    at_str_free(&s.first);
    at_str_free(&s.list);
    if (status < 0)
        zip_close(z);
    else
        *out = (at_unpacker){z, zip_read, zip_close};
    return status;
}
