/* Places are in groups that fill a line of the processor's cache. A place has the word's hash
 * beside it, so that looking for a word reads the group and then the right entry, and no other. */
#include "text/word_cache.h"

#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"

enum { GROUPS = 1 << 14, GROUP = 4, MAX_LENGTH = 64, MAX_TOKENS = 64 };

typedef struct {
    int32_t id;
    uint8_t begin, end; /* in the word */
} part;

/* behind the parts stands the word itself */
typedef struct {
    uint32_t size, count;
    part part[];
} entry;

typedef struct {
    _Atomic uint64_t hash;  /* 0: free */
    _Atomic(entry *) entry; /* NULL: not yet there */
} slot;

struct at_word_cache {
    slot slot[GROUPS][GROUP];
};

at_word_cache *at_word_cache_new(void) { return at_alloc_zero(1, sizeof(at_word_cache)); }

void at_word_cache_free(at_word_cache *c)
{
    for (size_t i = 0; c && i < GROUPS; i++)
        for (size_t k = 0; k < GROUP; k++)
            at_free(atomic_load_explicit(&c->slot[i][k].entry, memory_order_relaxed));
    at_free(c);
}

static uint64_t hash_of(const char *word, size_t size)
{
    uint64_t hash = at_hash(word, size);
    return hash ? hash : 1;
}

static const char *word_of(const entry *e) { return (const char *)(e->part + e->count); }

static const entry *find(const at_word_cache *c, const char *word, size_t size)
{
    uint64_t hash = hash_of(word, size);
    const slot *group = c->slot[hash % GROUPS];
    for (size_t i = 0; i < GROUP; i++) {
        if (atomic_load_explicit(&group[i].hash, memory_order_relaxed) != hash)
            continue;
        const entry *e = atomic_load_explicit(&group[i].entry, memory_order_acquire);
        if (e && e->size == size && memcmp(word_of(e), word, size) == 0)
            return e;
    }
    return NULL;
}

bool at_word_cache_tokens(const at_word_cache *c, const char *word, size_t size, size_t at,
                          at_tokens *out)
{
    const entry *e = size <= MAX_LENGTH ? find(c, word, size) : NULL;
    if (!e)
        return false;
    for (uint32_t i = 0; i < e->count; i++)
        at_tokens_add(out, e->part[i].id, at + e->part[i].begin, at + e->part[i].end);
    return true;
}

static entry *make(const char *word, size_t size, size_t at, const at_tokens *out, size_t first)
{
    size_t count = out->count - first;
    entry *e = at_alloc(sizeof *e + count * sizeof *e->part + size);
    if (!e)
        return NULL;
    e->size = (uint32_t)size;
    e->count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        const at_token *p = &out->item[first + i];
        e->part[i] = (part){p->id, (uint8_t)(p->begin - at), (uint8_t)(p->end - at)};
    }
    memcpy(e->part + count, word, size);
    return e;
}

/* Whoever writes the hash into a free place brings the entry; two may bring the same word. */
void at_word_cache_keep(at_word_cache *c, const char *word, size_t size, size_t at,
                        const at_tokens *out, size_t first)
{
    if (size > MAX_LENGTH || out->failed || out->count - first > MAX_TOKENS)
        return;
    uint64_t hash = hash_of(word, size);
    slot *group = c->slot[hash % GROUPS];
    for (size_t i = 0; i < GROUP; i++) {
        uint64_t none = 0;
        if (!atomic_compare_exchange_strong_explicit(&group[i].hash, &none, hash,
                                                     memory_order_relaxed, memory_order_relaxed))
            continue;
        entry *e = make(word, size, at, out, first); /* without memory: the place stays empty */
        atomic_store_explicit(&group[i].entry, e, memory_order_release);
        return;
    }
}
