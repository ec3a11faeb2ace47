#include "base/arena.h"

#include <stdint.h>
#include <string.h>

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

char *at_arena_text(at_arena *a, const char *text, size_t size)
{
    char *copy = at_arena_alloc_small(a, size + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

void *at_arena_alloc(at_arena *a, size_t bytes) { return alloc(a, bytes, ALIGNMENT); }
void *at_arena_alloc_small(at_arena *a, size_t bytes) { return alloc(a, bytes, SMALL_ALIGNMENT); }

char *at_arena_strdup(at_arena *a, const char *text)
{
    return at_arena_text(a, text, strlen(text));
}

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

/* bytes given out since the mark */
static size_t used_since(const at_arena *a, at_arena_mark mark)
{
    size_t used = 0;
    const at_chunk *chunk = mark.chunk ? mark.chunk : a->first;
    for (; chunk; chunk = chunk->next) {
        used += chunk->used - (chunk == mark.chunk ? mark.used : 0);
        if (chunk == a->current)
            break;
    }
    return used;
}

/* The chunks after the current one become one of at least `bytes`; without memory they stay. */
static void join_rest(at_arena *a, size_t bytes)
{
    at_chunk *rest = a->current ? a->current->next : NULL;
    if (!rest || !rest->next)
        return;
    at_chunk *one = chunk_new(bytes);
    if (!one)
        return;
    free_chunks(rest);
    a->current->next = one;
}

/* Position of memory in the order of allocation: its chunk's number, and the bytes before it. */
typedef struct {
    int chunk;
    size_t offset;
} position;

static position position_of(const at_arena *a, const void *memory)
{
    uintptr_t p = (uintptr_t)memory;
    int i = 0;
    for (const at_chunk *c = a->first; c; c = c->next, i++)
        if (p >= (uintptr_t)c->data && p < (uintptr_t)(c->data + c->size))
            return (position){i, (size_t)(p - (uintptr_t)c->data)};
    return (position){-1, 0}; /* not of this arena */
}

static position position_of_mark(const at_arena *a, at_arena_mark mark)
{
    int i = 0;
    for (const at_chunk *c = a->first; c && c != mark.chunk; c = c->next)
        i++;
    return mark.chunk ? (position){i, mark.used} : (position){0, 0};
}

static bool is_before(position p, position q)
{
    return p.chunk != q.chunk ? p.chunk < q.chunk : p.offset < q.offset;
}

/* the earliest piece that has not moved, or NULL */
static at_arena_piece *next_to_move(const at_arena *a, int n, at_arena_piece *pieces)
{
    at_arena_piece *best = NULL;
    for (int i = 0; i < n; i++)
        if (pieces[i].memory && !pieces[i].moved
            && (!best || is_before(position_of(a, pieces[i].memory), position_of(a, best->memory))))
            best = &pieces[i];
    return best;
}

/* A piece moves down or into fresh memory, and pieces keep their order: so none is written over
 * before it has moved. */
bool at_arena_keep(at_arena *a, at_arena_mark mark, int n, at_arena_piece *pieces)
{
    size_t used = used_since(a, mark);
    position begin = position_of_mark(a, mark);
    for (int i = 0; i < n; i++)
        pieces[i].moved = is_before(position_of(a, pieces[i].memory), begin) ? pieces[i].memory
                                                                             : NULL;
    at_arena_release(a, mark);
    for (at_arena_piece *p; (p = next_to_move(a, n, pieces)) != NULL;) {
        void *from = p->memory, *to = at_arena_alloc(a, p->bytes);
        if (!to)
            return false;
        memmove(to, from, p->bytes);
        for (int i = 0; i < n; i++)
            if (pieces[i].memory == from)
                pieces[i].moved = to;
    }
    join_rest(a, used);
    return true;
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
