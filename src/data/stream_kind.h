/* What stream.c, stream_gzip.c and stream_zip.c know of each other. */
#ifndef ATTEND_DATA_STREAM_KIND_H
#define ATTEND_DATA_STREAM_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include "data/stream.h"

/* bytes as they are stored: of an open file, or in memory */
typedef struct {
    char *name;
    int file; /* -1: memory */
    bool owned;
    const unsigned char *memory;
    size_t size, at;        /* of memory */
    unsigned char head[16]; /* read already, to see what it is */
    size_t head_size, head_at;
} at_raw;

/* as at_stream_read */
ptrdiff_t at_raw_read(at_raw *r, void *buffer, size_t size, attend_error *err);

/* Whether one can go back to the start, and to any place; then doing so. */
bool at_raw_can_seek(const at_raw *r);
int64_t at_raw_seek(at_raw *r, int64_t offset, int whence); /* the new place, or -1 */

/* what unpacks: a state that reads from raw; raw belongs to the caller */
typedef struct {
    void *state;
    ptrdiff_t (*read)(void *state, void *buffer, size_t size, attend_error *err);
    void (*close)(void *state);
} at_unpacker;

attend_status at_unpack_gzip(at_raw *raw, at_unpacker *out, attend_error *err);

/* member: the name of a file in the archive, or NULL; *name receives the one that was chosen,
 * for the caller to at_free */
attend_status at_unpack_zip(at_raw *raw, const char *member, char **name, at_unpacker *out,
                            attend_error *err);

#endif
