/* Memory that is given out piece by piece and taken back all at once, or back to a mark.
 *
 * An arena is a chain of chunks that grows when it must. Resetting it keeps the memory; when
 * there was more than one chunk, they become one, so that the next round of the same size asks
 * the system for nothing. */
#ifndef ATTEND_BASE_ARENA_H
#define ATTEND_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct at_chunk at_chunk;

typedef struct {
    at_chunk *first, *current;
    size_t first_size; /* of the first chunk, when it comes */
} at_arena;

typedef struct {
    at_chunk *chunk;
    size_t used;
} at_arena_mark;

void at_arena_init(at_arena *a, size_t first_size);
void at_arena_free(at_arena *a);

/* 64-byte aligned, uninitialised; NULL when the system has no more */
void *at_arena_alloc(at_arena *a, size_t bytes);

/* aligned to 16 bytes only: for small records */
void *at_arena_alloc_small(at_arena *a, size_t bytes);

/* A copy of `size` bytes of text, ended by a zero byte; NULL without memory. */
char *at_arena_text(at_arena *a, const char *text, size_t size);
char *at_arena_strdup(at_arena *a, const char *text); /* of a whole string */

void at_arena_reset(at_arena *a);
at_arena_mark at_arena_mark_here(const at_arena *a);
void at_arena_release(at_arena *a, at_arena_mark mark);

/* memory from at_arena_alloc that outlives a release; `moved` is its new address */
typedef struct {
    void *memory;
    size_t bytes;
    void *moved;
} at_arena_piece;

/* Releases everything since the mark but these pieces, which move down to the mark; pieces from
 * before the mark, and NULL, stay. The memory after them becomes one chunk, so that the same
 * work fits into it the next time. False without memory: all that was made since the mark is
 * lost. */
bool at_arena_keep(at_arena *a, at_arena_mark mark, int n, at_arena_piece *pieces);

/* bytes held from the system; bytes given out, with what lies between them */
size_t at_arena_size(const at_arena *a);
size_t at_arena_used(const at_arena *a);

#endif
