#include "data/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/str.h"
#include "data/stream_kind.h"
#include "data/temporary.h"

struct at_stream {
    at_raw raw;
    at_unpacker unpacker; /* read is NULL where nothing is packed */
    char *name;
    char *ahead; /* bytes read already, where somebody looked at them */
    size_t ahead_size, ahead_at;
};

enum { AHEAD = 1 << 16 };

/* ---- raw -------------------------------------------------------------------------------- */

static ptrdiff_t memory_read(at_raw *r, void *buffer, size_t size)
{
    size_t left = r->size - r->at, part = size < left ? size : left;
    memcpy(buffer, r->memory + r->at, part);
    r->at += part;
    return (ptrdiff_t)part;
}

ptrdiff_t at_raw_read(at_raw *r, void *buffer, size_t size, attend_error *err)
{
    size_t waiting = r->head_size - r->head_at;
    if (waiting) {
        size_t part = size < waiting ? size : waiting;
        memcpy(buffer, r->head + r->head_at, part);
        r->head_at += part;
        return (ptrdiff_t)part;
    }
    if (r->file < 0)
        return memory_read(r, buffer, size);
    ptrdiff_t got = at_file_get(r->file, buffer, size);
    return got < 0 ? at_file_fail(err, r->name, "cannot read") : got;
}

bool at_raw_can_seek(const at_raw *r) { return r->file < 0 || lseek(r->file, 0, SEEK_CUR) >= 0; }

int64_t at_raw_seek(at_raw *r, int64_t offset, int whence)
{
    if (whence == SEEK_CUR)
        offset -= (int64_t)(r->head_size - r->head_at);
    r->head_at = r->head_size = 0;
    if (r->file >= 0)
        return lseek(r->file, offset, whence);
    offset += whence == SEEK_END ? (int64_t)r->size : whence == SEEK_CUR ? (int64_t)r->at : 0;
    if (offset < 0 || offset > (int64_t)r->size)
        return -1;
    r->at = (size_t)offset;
    return offset;
}

/* the first bytes, which stay to be read */
static attend_status fill_head(at_raw *r, attend_error *err)
{
    while (r->head_size < sizeof r->head) {
        ptrdiff_t got;
        size_t room = sizeof r->head - r->head_size;
        if (r->file < 0)
            got = memory_read(r, r->head + r->head_size, room);
        else
            got = at_file_get(r->file, r->head + r->head_size, room);
        if (got < 0)
            return at_file_fail(err, r->name, "cannot read");
        if (got == 0)
            break;
        r->head_size += (size_t)got;
    }
    return ATTEND_OK;
}

/* A pipe's content moves to a file without a name: archives are read from both ends. */
static attend_status make_seekable(at_raw *r, attend_error *err)
{
    int file;
    char part[1 << 14];
    ptrdiff_t got = 0;
    if (at_raw_can_seek(r))
        return ATTEND_OK;
    attend_status status = at_temporary_open(&file, err);
    if (status < 0)
        return status;
    while (status >= 0 && (got = at_raw_read(r, part, sizeof part, err)) > 0)
        status = at_temporary_write(file, part, (size_t)got, err);
    if (r->owned)
        close(r->file);
    r->file = file;
    r->owned = true;
    lseek(file, 0, SEEK_SET);
    return status < 0 ? status : got < 0 ? (attend_status)got : ATTEND_OK;
}

/* ---- what it is ------------------------------------------------------------------------- */

static bool starts(const at_raw *r, const char *mark, size_t size)
{
    return r->head_size >= size && memcmp(r->head, mark, size) == 0;
}
#define STARTS(r, mark) starts(r, mark, sizeof mark - 1)

/* what is not text and not unpacked here, with the remedy */
static attend_status refuse(const at_raw *r, attend_error *err)
{
    const char *what = NULL;
    if (STARTS(r, "\xFD"
                  "7zXZ"))
        what = "is packed by xz; unpack it with unxz";
    else if (STARTS(r, "BZh"))
        what = "is packed by bzip2; unpack it with bunzip2";
    else if (STARTS(r, "\x28\xB5\x2F\xFD"))
        what = "is packed by zstd; unpack it with unzstd";
    else if (STARTS(r, "7z\xBC\xAF\x27\x1C"))
        what = "is a 7z archive; unpack it first";
    else if (STARTS(r, "PAR1"))
        what = "is a Parquet table; save it as JSONL or CSV first";
    else if (STARTS(r, "\xFF\xFE") || STARTS(r, "\xFE\xFF"))
        what = "is UTF-16; convert it with iconv -f UTF-16 -t UTF-8";
    if (!what)
        return ATTEND_OK;
    return at_error(err, ATTEND_FORMAT, "%s: %s", r->name, what);
}

static attend_status choose(at_stream *b, const char *member, attend_error *err)
{
    attend_status status = fill_head(&b->raw, err);
    bool zip = STARTS(&b->raw, "PK\3\4") || STARTS(&b->raw, "PK\5\6");
    if (status >= 0 && member && !zip)
        return at_error(err, ATTEND_FORMAT, "%s: is no zip archive, so it holds no \"%s\"",
                        b->raw.name, at_show(member).text);
    if (status >= 0 && STARTS(&b->raw, "\x1F\x8B"))
        return at_unpack_gzip(&b->raw, &b->unpacker, err);
    if (status >= 0 && zip) {
        char *chosen = NULL;
        status = make_seekable(&b->raw, err);
        if (status >= 0)
            status = at_unpack_zip(&b->raw, member, &chosen, &b->unpacker, err);
        at_str name = {0};
        at_str_print(&name, "%s:%s", b->raw.name, chosen ? at_show(chosen).text : "");
        at_free(chosen);
        b->name = at_str_take(&name);
        return status >= 0 && !b->name ? at_error_memory(err) : status;
    }
    return status < 0 ? status : refuse(&b->raw, err);
}

/* ---- opening ---------------------------------------------------------------------------- */

static at_stream *make(const char *name)
{
    at_stream *b = at_alloc_zero(1, sizeof *b);
    if (b) {
        b->raw.file = -1;
        b->raw.name = at_strdup(at_show(name).text);
    }
    if (b && !b->raw.name) {
        at_free(b);
        return NULL;
    }
    return b;
}

static attend_status finish(at_stream *b, attend_status status, at_stream **out)
{
    if (status < 0)
        at_stream_close(b);
    *out = status < 0 ? NULL : b;
    return status;
}

/* where "archive.zip:member" is cut, or NULL: a file of that very name comes first */
static const char *member_of(const char *path)
{
    if (at_file_exists(path))
        return NULL;
    for (const char *c = path; *c; c++)
        if (strncasecmp(c, ".zip:", 5) == 0 && c[5])
            return c + 4;
    return NULL;
}

attend_status at_stream_open(const char *path, at_stream **out, attend_error *err)
{
    bool standard = strcmp(path, "-") == 0;
    const char *colon = standard ? NULL : member_of(path);
    at_str file = {0};
    at_str_add_bytes(&file, path, colon ? (size_t)(colon - path) : strlen(path));
    at_stream *b = make(standard ? "standard input" : at_str_text(&file));
    attend_status status = ATTEND_OK;
    if (!b || file.failed)
        status = at_error_memory(err);
    else if (standard)
        b->raw.file = STDIN_FILENO;
    else
        status = at_file_open(at_str_text(&file), &b->raw.file, err);
    if (status >= 0) {
        b->raw.owned = !standard;
        posix_fadvise(b->raw.file, 0, 0, POSIX_FADV_SEQUENTIAL);
        status = choose(b, colon ? colon + 1 : NULL, err);
    }
    at_str_free(&file);
    return finish(b, status, out);
}

attend_status at_stream_memory(const char *name, const void *data, size_t size, at_stream **out,
                               attend_error *err)
{
    at_stream *b = make(name);
    if (!b)
        return finish(b, at_error_memory(err), out);
    b->raw.memory = data;
    b->raw.size = size;
    return finish(b, choose(b, NULL, err), out);
}

static ptrdiff_t read_more(at_stream *b, void *buffer, size_t size, attend_error *err)
{
    if (b->unpacker.read)
        return b->unpacker.read(b->unpacker.state, buffer, size, err);
    return at_raw_read(&b->raw, buffer, size, err);
}

ptrdiff_t at_stream_read(at_stream *b, void *buffer, size_t size, attend_error *err)
{
    size_t waiting = b->ahead_size - b->ahead_at;
    if (!waiting)
        return read_more(b, buffer, size, err);
    size_t part = size < waiting ? size : waiting;
    memcpy(buffer, b->ahead + b->ahead_at, part);
    b->ahead_at += part;
    return (ptrdiff_t)part;
}

attend_status at_stream_peek(at_stream *b, const char **data, size_t *size, attend_error *err)
{
    ptrdiff_t got = 1;
    if (!b->ahead && !(b->ahead = at_alloc(AHEAD)))
        return at_error_memory(err);
    while (got > 0 && b->ahead_size < AHEAD) {
        got = read_more(b, b->ahead + b->ahead_size, AHEAD - b->ahead_size, err);
        b->ahead_size += got > 0 ? (size_t)got : 0;
    }
    *data = b->ahead;
    *size = b->ahead_size;
    return got < 0 ? (attend_status)got : ATTEND_OK;
}

const char *at_stream_name(const at_stream *b) { return b->name ? b->name : b->raw.name; }

void at_stream_close(at_stream *b)
{
    if (!b)
        return;
    if (b->unpacker.close)
        b->unpacker.close(b->unpacker.state);
    if (b->raw.owned && b->raw.file >= 0)
        close(b->raw.file);
    at_free(b->raw.name);
    at_free(b->name);
    at_free(b->ahead);
    at_free(b);
}
