#include "base/checksum_list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/str.h"

enum { LIST_LIMIT = 1 << 16, FILE_LIMIT = 1 << 30, DIGITS = ATTEND_CHECKSUM_DIGITS };

static const char comment[] = "# Checksums of files that attend wrote; after an edit: attend "
                              "inspect --update-checksums FOLDER\n",
                  last[] = "  (this list)\n";

/* ---- writing -------------------------------------------------------------------------------- */

static void add_sum(at_str *list, uint64_t sum)
{
    char digits[DIGITS];
    at_checksum_print(sum, digits);
    at_str_add_bytes(list, digits, sizeof digits);
}

static attend_status sum_file(const char *path, uint64_t *sum, attend_error *err)
{
    at_map map;
    attend_status status = at_map_open(&map, path, err);
    *sum = 0;
    if (status < 0)
        return status;
    if (map.size > FILE_LIMIT)
        status = at_error(err, ATTEND_FORMAT,
                          "%s: has %zu bytes, far more than a file of this kind",
                          at_show(path).text, map.size);
    else
        *sum = at_checksum_of(map.data, map.size);
    at_map_close(&map);
    return status;
}

static attend_status add_file(at_str *list, const char *folder, const char *name, attend_error *err)
{
    char *path = at_file_join(folder, name);
    uint64_t sum;
    attend_status status = path ? ATTEND_OK : at_error_memory(err);
    if (status >= 0 && at_file_exists(path)) {
        status = sum_file(path, &sum, err);
        if (status >= 0) {
            add_sum(list, sum);
            at_str_print(list, "  %s\n", name);
        }
    }
    at_free(path);
    return status;
}

/* Ends the list, writes it and releases it. */
static attend_status write_list(const char *folder, at_str *list, attend_error *err)
{
    char *path = at_file_join(folder, ATTEND_CHECKSUM_LIST);
    add_sum(list, at_checksum_of(at_str_text(list), list->length));
    at_str_add(list, last);
    attend_status status = at_file_write(path, list, err);
    at_free(path);
    at_str_free(list);
    return status;
}

attend_status at_checksum_list_save(const char *folder, const char *const *names, attend_error *err)
{
    at_str list = {0};
    attend_status status = ATTEND_OK;
    at_str_add(&list, comment);
    for (; *names && status >= 0; names++)
        status = add_file(&list, folder, *names, err);
    if (status >= 0)
        return write_list(folder, &list, err);
    at_str_free(&list);
    return status;
}

attend_status at_checksum_list_clear(const char *folder, attend_error *err)
{
    char *path = at_file_join(folder, ATTEND_CHECKSUM_LIST);
    attend_status status = path ? ATTEND_OK : at_error_memory(err);
    if (path && at_file_exists(path))
        status = at_checksum_list_save(folder, (const char *const[]){NULL}, err);
    at_free(path);
    return status;
}

void at_checksum_list_remove(const char *folder)
{
    char *path = at_file_join(folder, ATTEND_CHECKSUM_LIST);
    if (path)
        unlink(path);
    at_free(path);
}

/* ---- reading -------------------------------------------------------------------------------- */

typedef struct {
    const char *folder;
    char *path; /* of the list */
    char *text; /* NULL: there is no list */
    char *next; /* the line to read */
    char *end;  /* the last line */
} reader;

static bool is_whole(reader *r, size_t size)
{
    size_t tail = DIGITS + sizeof last - 1;
    uint64_t sum;
    if (size < tail || memchr(r->text, '\0', size))
        return false;
    r->end = r->text + size - tail;
    return (r->end == r->text || r->end[-1] == '\n') && strcmp(r->end + DIGITS, last) == 0
           && at_checksum_read(r->end, &sum) && sum == at_checksum_of(r->text, size - tail);
}

static attend_status open_list(reader *r, const char *folder, attend_error *err)
{
    size_t size;
    *r = (reader){.folder = folder, .path = at_file_join(folder, ATTEND_CHECKSUM_LIST)};
    if (!r->path)
        return at_error_memory(err);
    struct stat about;
    if (lstat(r->path, &about) < 0 && errno == ENOENT) /* a link to nowhere is there */
        return ATTEND_OK;
    attend_status status = at_file_read(r->path, LIST_LIMIT, &r->text, &size, err);
    if (status < 0)
        return status;
    r->next = r->text;
    return is_whole(r, size) ? ATTEND_OK
                             : at_error(err, ATTEND_FORMAT,
                                        "%s: the list of checksums is damaged; get the folder "
                                        "again, or remove the list to use the files unverified",
                                        at_show(r->path).text);
}

static void close_list(reader *r)
{
    at_free(r->path);
    at_free(r->text);
}

/* The next file of the list, in the folder itself; false at the end. The line is cut at its
 * newline. */
static bool next_file(reader *r, uint64_t *sum, const char **name)
{
    while (r->next && r->next < r->end) {
        char *line = r->next, *newline = memchr(line, '\n', (size_t)(r->end - line));
        r->next = newline ? newline + 1 : r->end;
        if (!newline || newline - line <= DIGITS + 2 || !at_checksum_read(line, sum)
            || memcmp(line + DIGITS, "  ", 2) != 0 || memchr(line, '/', (size_t)(newline - line)))
            continue;
        *newline = '\0';
        *name = line + DIGITS + 2;
        return true;
    }
    return false;
}

/* ---- verifying ------------------------------------------------------------------------------ */

static attend_status verify_file(const reader *r, const char *path, uint64_t expected,
                                 attend_error *err)
{
    uint64_t sum;
    if (!at_file_exists(path))
        return at_error(err, ATTEND_FORMAT,
                        "%s: is missing, but listed in " ATTEND_CHECKSUM_LIST
                        "; get the folder again",
                        at_show(path).text);
    attend_status status = sum_file(path, &sum, err);
    if (status < 0 || sum == expected)
        return status;
    return at_error(err, ATTEND_FORMAT,
                    "%s: does not match its checksum; it is damaged, get it again, or edited: "
                    "attend inspect --update-checksums %s accepts it",
                    at_show(path).text, at_show(r->folder).text);
}

/* Keeps the first fault in err. */
static attend_status keep(attend_status first, const attend_error *fault, attend_error *err)
{
    if (first >= 0 && fault->status < 0 && err)
        *err = *fault;
    return first < 0 ? first : fault->status;
}

attend_status at_checksum_list_verify(const char *folder, at_checksum_report *report, void *user,
                                      attend_error *err)
{
    reader r;
    uint64_t sum;
    const char *name;
    attend_error fault = {.status = ATTEND_OK};
    attend_status first = open_list(&r, folder, &fault);
    if (first < 0 && report)
        report(user, r.path ? r.path : folder, &fault);
    keep(ATTEND_OK, &fault, err);
    bool more = first >= 0;
    while (more && next_file(&r, &sum, &name)) {
        char *path = at_file_join(folder, name);
        fault.status = path ? verify_file(&r, path, sum, &fault) : at_error_memory(&fault);
        if (report)
            report(user, path ? path : name, fault.status < 0 ? &fault : NULL);
        first = keep(first, &fault, err);
        more = report || first >= 0;
        at_free(path);
    }
    close_list(&r);
    return first;
}

/* ---- updating ------------------------------------------------------------------------------- */

/* A file that is gone was not edited. */
static attend_status add_listed(at_str *list, const char *folder, const char *name,
                                attend_error *err)
{
    char *path = at_file_join(folder, name);
    attend_status status = !path ? at_error_memory(err)
                           : at_file_exists(path)
                               ? add_file(list, folder, name, err)
                               : at_error(err, ATTEND_FORMAT, "%s: is missing; restore it",
                                          at_show(path).text);
    at_free(path);
    return status;
}

attend_status at_checksum_list_update(const char *folder, attend_error *err)
{
    reader r;
    uint64_t sum;
    const char *name;
    at_str list = {0};
    attend_status status = open_list(&r, folder, err);
    bool found = r.text != NULL;
    at_str_add(&list, comment);
    while (status >= 0 && next_file(&r, &sum, &name))
        status = add_listed(&list, folder, name, err);
    close_list(&r);
    if (status >= 0 && found)
        return write_list(folder, &list, err);
    at_str_free(&list);
    return status;
}
