#include "base/arena.h"

#include <stdint.h>

#include "base/memory.h"

struct at_chunk {
    at_chunk *next;
    size_t size, used;
    _Alignas(64) unsigned char data[];
};

enum { ALIGNMENT = 64, SMALL_ALIGNMENT = 16 };

void at_arena_init(at_arena *a, size_t first_size) { *a = (at_arena){.first_size = first_size}; }

static void free_chunks(at_chunk *chunk)
{
    while (chunk) {
        at_chunk *next = chunk->next;
        at_free(chunk);
        chunk = next;
    }
}

void at_arena_free(at_arena *a)
{
    free_chunks(a->first);
    a->first = a->current = NULL;
}

/* Whole multiples of the alignment: pieces that filled several chunks then fill one chunk of the
 * same size together, and never more. */
static at_chunk *chunk_new(size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    at_chunk *chunk = at_alloc(sizeof *chunk + size);
    if (chunk)
        *chunk = (at_chunk){.size = size};
    return chunk;
}

static void *take(at_chunk *chunk, size_t bytes, size_t alignment)
{
    size_t start = (chunk->used + alignment - 1) / alignment * alignment;
    if (start > chunk->size || bytes > chunk->size - start)
        return NULL;
    chunk->used = start + bytes;
    return chunk->data + start;
}

/* a chunk with room for bytes becomes the current one: the next in the chain if it fits, else
 * a new one, at least as large as all before it, so that the chain stays short */
static at_chunk *grow(at_arena *a, size_t bytes)
{
    at_chunk *next = a->current ? a->current->next : a->first;
    if (!next || next->size < bytes) {
        size_t size = at_arena_size(a);
        size = size < a->first_size ? a->first_size : size;
        at_chunk *fresh = chunk_new(size < bytes ? bytes : size);
        if (!fresh && size > bytes)
            fresh = chunk_new(bytes);
        if (!fresh)
            return NULL;
        fresh->next = next;
        if (a->current)
            a->current->next = fresh;
        else
            a->first = fresh;
        next = fresh;
    }
    next->used = 0;
    return a->current = next;
}

static void *alloc(at_arena *a, size_t bytes, size_t alignment)
{
    void *memory = a->current ? take(a->current, bytes, alignment) : NULL;
    if (memory)
        return memory;
    if (bytes > SIZE_MAX / 2 || !grow(a, bytes + ALIGNMENT))
        return NULL;
    return take(a->current, bytes, alignment);
}

void *at_arena_alloc(at_arena *a, size_t bytes) { return alloc(a, bytes, ALIGNMENT); }
void *at_arena_alloc_small(at_arena *a, size_t bytes) { return alloc(a, bytes, SMALL_ALIGNMENT); }

void at_arena_reset(at_arena *a)
{
    if (a->first && a->first->next) {
        size_t total = at_arena_size(a);
        free_chunks(a->first);
        a->first = chunk_new(total); /* without it the next step starts small again */
    }
    a->current = a->first;
    if (a->first)
        a->first->used = 0;
}

at_arena_mark at_arena_mark_here(const at_arena *a)
{
    return (at_arena_mark){.chunk = a->current, .used = a->current ? a->current->used : 0};
}

void at_arena_release(at_arena *a, at_arena_mark mark)
{
    a->current = mark.chunk ? mark.chunk : a->first;
    if (a->current)
        a->current->used = mark.chunk ? mark.used : 0;
}

size_t at_arena_size(const at_arena *a)
{
    size_t size = 0;
    for (const at_chunk *chunk = a->first; chunk; chunk = chunk->next)
        size += chunk->size;
    return size;
}

size_t at_arena_used(const at_arena *a)
{
    size_t used = 0;
    for (const at_chunk *chunk = a->first; chunk && a->current; chunk = chunk->next) {
        used += chunk->used;
        if (chunk == a->current)
            break;
    }
    return used;
}
