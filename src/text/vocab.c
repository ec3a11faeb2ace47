/* Open addressing with the upper half of the hash beside the number, so that a search touches the
 * text itself only where it is, all but certainly, the right one. */
#include "text/vocab.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"

typedef struct {
    const char *text;
    uint32_t size;
    uint64_t count;
} entry;

typedef struct {
    uint32_t tag;
    int32_t id; /* -1: free */
} slot;

struct at_vocab {
    at_arena memory; /* the texts */
    entry *item;
    size_t count, capacity;
    slot *table;
    size_t mask; /* places in table, less one: a power of two */
};

enum { FIRST = 256, MAX_LENGTH = 1 << 30 };

uint64_t at_hash(const char *text, size_t size)
{
    const uint64_t k = 0x9E3779B97F4A7C15u;
    uint64_t h = size * k, part;
    for (; size >= 8; size -= 8, text += 8) {
        memcpy(&part, text, 8);
        h = (h ^ part) * k;
        h ^= h >> 32;
    }
    part = 0;
    memcpy(&part, text, size);
    h = (h ^ part) * k;
    h ^= h >> 29;
    h *= 0xBF58476D1CE4E5B9u;
    return h ^ h >> 32;
}

static slot *table_new(size_t slots)
{
    slot *table = at_alloc(slots * sizeof *table);
    for (size_t i = 0; table && i < slots; i++)
        table[i] = (slot){.id = -1};
    return table;
}

at_vocab *at_vocab_new(void)
{
    at_vocab *v = at_alloc_zero(1, sizeof *v);
    if (!v)
        return NULL;
    at_arena_init(&v->memory, 1 << 12);
    v->table = table_new(FIRST);
    v->mask = FIRST - 1;
    if (!v->table) {
        at_free(v);
        return NULL;
    }
    return v;
}

void at_vocab_free(at_vocab *v)
{
    if (!v)
        return;
    at_arena_free(&v->memory);
    at_free(v->item);
    at_free(v->table);
    at_free(v);
}

int32_t at_vocab_size(const at_vocab *v) { return (int32_t)v->count; }

/* the place of a text, or the free one where it belongs */
static slot *slot_of(const at_vocab *v, const char *text, size_t size, uint64_t hash)
{
    uint32_t tag = (uint32_t)(hash >> 32);
    for (size_t i = hash & v->mask;; i = (i + 1) & v->mask) {
        slot *s = &v->table[i];
        if (s->id < 0)
            return s;
        const entry *e = &v->item[s->id];
        if (s->tag == tag && e->size == size && memcmp(e->text, text, size) == 0)
            return s;
    }
}

static bool grow_table(at_vocab *v)
{
    size_t slots = 2 * (v->mask + 1);
    slot *old = v->table, *table = table_new(slots);
    if (!table)
        return false;
    v->table = table;
    v->mask = slots - 1;
    for (size_t i = 0; i < v->count; i++) {
        const entry *e = &v->item[i];
        uint64_t hash = at_hash(e->text, e->size);
        *slot_of(v, e->text, e->size, hash) = (slot){(uint32_t)(hash >> 32), (int32_t)i};
    }
    at_free(old);
    return true;
}

static bool grow_items(at_vocab *v)
{
    size_t capacity = v->capacity ? 2 * v->capacity : FIRST;
    entry *item = at_realloc(v->item, v->capacity * sizeof *item, capacity * sizeof *item);
    if (!item)
        return false;
    v->item = item;
    v->capacity = capacity;
    return true;
}

/* a new entry, which the place then points to; -1 without memory */
static int32_t append(at_vocab *v, const char *text, size_t size, uint64_t hash)
{
    if (size > MAX_LENGTH || v->count >= INT32_MAX / 2)
        return -1;
    if (v->count == v->capacity && !grow_items(v))
        return -1;
    if (2 * (v->count + 1) > v->mask && !grow_table(v))
        return -1;
    const char *copy = at_arena_text(&v->memory, text, size);
    if (!copy)
        return -1;
    int32_t id = (int32_t)v->count;
    *slot_of(v, text, size, hash) = (slot){(uint32_t)(hash >> 32), id};
    v->item[v->count++] = (entry){.text = copy, .size = (uint32_t)size};
    return id;
}

int32_t at_vocab_add(at_vocab *v, const char *text, size_t size)
{
    uint64_t hash = at_hash(text, size);
    int32_t id = slot_of(v, text, size, hash)->id;
    return id >= 0 ? id : append(v, text, size, hash);
}

int32_t at_vocab_append(at_vocab *v, const char *text, size_t size)
{
    return append(v, text, size, at_hash(text, size));
}

int32_t at_vocab_find(const at_vocab *v, const char *text, size_t size)
{
    return slot_of(v, text, size, at_hash(text, size))->id;
}

const char *at_vocab_text(const at_vocab *v, int32_t id, size_t *size)
{
    if (size)
        *size = v->item[id].size;
    return v->item[id].text;
}

uint64_t at_vocab_count(const at_vocab *v, int32_t id) { return v->item[id].count; }
void at_vocab_seen(at_vocab *v, int32_t id, uint64_t times) { v->item[id].count += times; }

/* ---- order ------------------------------------------------------------------------------ */

static int by_bytes(const entry *a, const entry *b)
{
    uint32_t shorter = a->size < b->size ? a->size : b->size;
    int order = memcmp(a->text, b->text, shorter);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

static int compare(const void *a, const void *b, void *vocab)
{
    const at_vocab *v = vocab;
    int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    const entry *x = &v->item[i], *y = &v->item[j];
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    int order = by_bytes(x, y);
    return order ? order : (i > j) - (i < j);
}

void at_vocab_by_count(const at_vocab *v, int32_t *order)
{
    for (size_t i = 0; i < v->count; i++)
        order[i] = (int32_t)i;
    qsort_r(order, v->count, sizeof *order, compare, (void *)v);
}
