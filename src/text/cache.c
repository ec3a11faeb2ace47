#include "text/cache.h"

#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"

enum { PLACES = 1 << 16, TRIES = 4, LONGEST = 64, MOST = 64 };

typedef struct {
    int32_t id;
    uint8_t begin, end; /* in the word */
} part;

typedef struct {
    uint64_t hash;
    uint32_t size, count;
    char word[LONGEST];
    part part[];
} entry;

struct at_cache {
    _Atomic(entry *) place[PLACES];
};

at_cache *at_cache_new(void) { return at_alloc_zero(1, sizeof(at_cache)); }

void at_cache_free(at_cache *c)
{
    for (size_t i = 0; c && i < PLACES; i++)
        at_free(atomic_load_explicit(&c->place[i], memory_order_relaxed));
    at_free(c);
}

static const entry *find(const at_cache *c, const char *word, size_t size, uint64_t hash)
{
    for (size_t i = 0; i < TRIES; i++) {
        const entry *e = atomic_load_explicit(&c->place[(hash + i) % PLACES], memory_order_acquire);
        if (!e)
            return NULL;
        if (e->hash == hash && e->size == size && memcmp(e->word, word, size) == 0)
            return e;
    }
    return NULL;
}

bool at_cache_pieces(const at_cache *c, const char *word, size_t size, size_t at, at_pieces *out)
{
    const entry *e = size <= LONGEST ? find(c, word, size, at_hash(word, size)) : NULL;
    if (!e)
        return false;
    for (uint32_t i = 0; i < e->count; i++)
        at_pieces_add(out, e->part[i].id, at + e->part[i].begin, at + e->part[i].end);
    return true;
}

static entry *make(const char *word, size_t size, size_t at, const at_pieces *out, size_t first)
{
    size_t count = out->count - first;
    entry *e = at_alloc(sizeof *e + count * sizeof *e->part);
    if (!e)
        return NULL;
    e->hash = at_hash(word, size);
    e->size = (uint32_t)size;
    e->count = (uint32_t)count;
    memcpy(e->word, word, size);
    for (size_t i = 0; i < count; i++) {
        const at_piece *p = &out->item[first + i];
        e->part[i] = (part){p->id, (uint8_t)(p->begin - at), (uint8_t)(p->end - at)};
    }
    return e;
}

void at_cache_keep(at_cache *c, const char *word, size_t size, size_t at, const at_pieces *out,
                   size_t first)
{
    if (size > LONGEST || out->failed || out->count - first > MOST)
        return;
    uint64_t hash = at_hash(word, size);
    for (size_t i = 0; i < TRIES; i++) {
        _Atomic(entry *) *place = &c->place[(hash + i) % PLACES];
        entry *none = NULL;
        if (atomic_load_explicit(place, memory_order_relaxed))
            continue;
        entry *e = make(word, size, at, out, first); /* without memory: not remembered */
        if (e
            && !atomic_compare_exchange_strong_explicit(place, &none, e, memory_order_release,
                                                        memory_order_relaxed))
            at_free(e);
        return;
    }
}
