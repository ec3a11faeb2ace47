#include "data/record_store.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "data/temporary.h"

enum { FIRST = 1 << 14, BUFFER = 1 << 20 };

struct at_record_store {
    size_t memory;
    unsigned char *block; /* the records, or those not yet in the file */
    size_t used, capacity;
    uint64_t written; /* bytes in the file */
    int file;         /* -1: none */
    uint64_t *offset;
    size_t count, offsets;
    const unsigned char *base; /* of all records, when closed */
    size_t mapped;
};

at_record_store *at_record_store_new(size_t memory)
{
    at_record_store *s = at_alloc_zero(1, sizeof *s);
    if (s) {
        s->memory = memory ? memory : (size_t)64 << 20;
        s->file = -1;
    }
    return s;
}

static bool grow(void **block, size_t *capacity, size_t used, size_t size, size_t first)
{
    size_t more = *capacity ? *capacity + *capacity / 2 : first;
    void *grown = at_realloc(*block, used * size, more * size);
    if (!grown)
        return false;
    *block = grown;
    *capacity = more;
    return true;
}

static attend_status flush(at_record_store *s, attend_error *err)
{
    attend_status status = s->file < 0 ? at_temporary_open(&s->file, err) : ATTEND_OK;
    if (status >= 0)
        status = at_temporary_write(s->file, s->block, s->used, err);
    s->written += s->used;
    s->used = 0;
    return status;
}

/* Room for size more bytes: in memory, or by moving what is there to the file. */
static attend_status reserve(at_record_store *s, size_t size, attend_error *err)
{
    size_t limit = s->file < 0 ? s->memory : BUFFER;
    if (s->used && s->used + size > limit) {
        attend_status status = flush(s, err);
        if (status < 0)
            return status;
    }
    while (s->capacity - s->used < size)
        if (!grow((void **)&s->block, &s->capacity, s->used, 1, FIRST))
            return at_error_memory(err);
    return ATTEND_OK;
}

attend_status at_record_store_add(at_record_store *s, const void *record, size_t size,
                                  attend_error *err)
{
    size_t padded = (size + 7) / 8 * 8;
    attend_status status = reserve(s, padded, err);
    if (status < 0)
        return status;
    if (s->count == s->offsets
        && !grow((void **)&s->offset, &s->offsets, s->count, sizeof *s->offset, FIRST / 8))
        return at_error_memory(err);
    s->offset[s->count++] = s->written + s->used;
    memcpy(s->block + s->used, record, size);
    memset(s->block + s->used + size, 0, padded - size);
    s->used += padded;
    return ATTEND_OK;
}

attend_status at_record_store_close(at_record_store *s, attend_error *err)
{
    if (s->file < 0) {
        s->base = s->block ? s->block : (const unsigned char *)"";
        return ATTEND_OK;
    }
    attend_status status = flush(s, err);
    if (status < 0)
        return status;
    void *map = mmap(NULL, s->written, PROT_READ, MAP_PRIVATE, s->file, 0);
    if (map == MAP_FAILED)
        return at_file_fail(err, "temporary file", "cannot map into memory");
    s->base = map;
    s->mapped = s->written;
    at_free(s->block);
    s->block = NULL;
    s->used = s->capacity = 0;
    return ATTEND_OK;
}

size_t at_record_store_count(const at_record_store *s) { return s->count; }
bool at_record_store_on_disk(const at_record_store *s) { return s->file >= 0; }

const void *at_record_store_at(const at_record_store *s, size_t index)
{
    assert(s->base && index < s->count);
    return s->base + s->offset[index];
}

void at_record_store_free(at_record_store *s)
{
    if (!s)
        return;
    if (s->mapped)
        munmap((void *)s->base, s->mapped);
    if (s->file >= 0)
        close(s->file);
    at_free(s->block);
    at_free(s->offset);
    at_free(s);
}
