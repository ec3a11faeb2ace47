/* gzip, RFC 1952, by zlib. A file may hold several packed parts, one after another, as `cat a.gz
 * b.gz` and parallel packers make them; zeros may follow, as tapes leave them. */
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "data/stream_kind.h"

typedef struct {
    at_raw *raw;
    z_stream z;
    bool inside, ended; /* a part; the file */
    unsigned char in[1 << 14];
} gzip;

static void *allocate(void *opaque, unsigned count, unsigned size)
{
    (void)opaque;
    return at_alloc_zero(count, size);
}

static void release(void *opaque, void *memory)
{
    (void)opaque;
    at_free(memory);
}

static attend_status more_input(gzip *g, attend_error *err)
{
    ptrdiff_t got = at_raw_read(g->raw, g->in, sizeof g->in, err);
    if (got < 0)
        return (attend_status)got;
    g->z.next_in = g->in;
    g->z.avail_in = (unsigned)got;
    g->ended = got == 0;
    return ATTEND_OK;
}

/* After a part: zeros, another part, or the end. */
static attend_status next_part(gzip *g, attend_error *err)
{
    for (;;) {
        while (g->z.avail_in && *g->z.next_in == 0) {
            g->z.next_in++;
            g->z.avail_in--;
        }
        if (g->z.avail_in || g->ended)
            break;
        attend_status status = more_input(g, err);
        if (status < 0)
            return status;
    }
    if (!g->z.avail_in)
        return ATTEND_OK;
    if (*g->z.next_in != 0x1F)
        return at_error(err, ATTEND_FORMAT,
                        "%s: other bytes follow the packed data; get the file again", g->raw->name);
    inflateReset(&g->z);
    g->inside = true;
    return ATTEND_OK;
}

static attend_status failure(const gzip *g, int code, attend_error *err)
{
    if (code == Z_MEM_ERROR)
        return at_error_memory(err);
    return at_error(err, ATTEND_FORMAT, "%s: the packed data are damaged (%s); get the file again",
                    g->raw->name, g->z.msg ? g->z.msg : "zlib");
}

/* One call of inflate, with input before it where that is needed. */
static attend_status step(gzip *g, attend_error *err)
{
    attend_status status = ATTEND_OK;
    if (!g->inside)
        return next_part(g, err);
    if (!g->z.avail_in && !g->ended)
        status = more_input(g, err);
    if (status < 0)
        return status;
    if (g->ended)
        return at_error(err, ATTEND_FORMAT, "%s: the packed data end early; get the file again",
                        g->raw->name);
    int code = inflate(&g->z, Z_NO_FLUSH);
    if (code == Z_STREAM_END)
        g->inside = false;
    else if (code != Z_OK && code != Z_BUF_ERROR)
        return failure(g, code, err);
    return ATTEND_OK;
}

static ptrdiff_t gzip_read(void *state, void *buffer, size_t size, attend_error *err)
{
    gzip *g = state;
    unsigned room = size < 1 << 30 ? (unsigned)size : 1 << 30;
    g->z.next_out = buffer;
    g->z.avail_out = room;
    while (g->z.avail_out == room && room && (g->inside || !g->ended)) {
        attend_status status = step(g, err);
        if (status < 0)
            return status;
    }
    return (ptrdiff_t)(room - g->z.avail_out);
}

static void gzip_close(void *state)
{
    gzip *g = state;
    inflateEnd(&g->z);
    at_free(g);
}

attend_status at_unpack_gzip(at_raw *raw, at_unpacker *out, attend_error *err)
{
    enum { GZIP_ALONE = 15 + 16 };
    gzip *g = at_alloc_zero(1, sizeof *g);
    if (!g)
        return at_error_memory(err);
    *g = (gzip){.raw = raw, .inside = true, .z = {.zalloc = allocate, .zfree = release}};
    if (inflateInit2(&g->z, GZIP_ALONE) != Z_OK) {
        at_free(g);
        return at_error_memory(err);
    }
    *out = (at_unpacker){g, gzip_read, gzip_close};
    return ATTEND_OK;
}
