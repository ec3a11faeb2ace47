#include "measure/pairs.h"

#include <string.h>

#include "base/memory.h"

struct at_pair {
    uint64_t key;
    uint32_t number, round;
};

void at_pairs_free(at_pairs *p)
{
    at_free(p->slot);
    *p = (at_pairs){0};
}

void at_pairs_start(at_pairs *p)
{
    if (++p->round == 0) { /* after 2^32 rounds the oldest could be taken for this one */
        if (p->slot)
            memset(p->slot, 0, p->capacity * sizeof *p->slot);
        p->round = 1;
    }
    p->count = 0;
    p->failed = false;
}

/* the slot that holds key, or the empty one where it would be */
static struct at_pair *slot_of(const at_pairs *p, uint64_t key)
{
    uint64_t hash = key * 0x9E3779B97F4A7C15u;
    size_t i = (size_t)(hash ^ hash >> 32) & (p->capacity - 1);
    while (p->slot[i].round == p->round && p->slot[i].key != key)
        i = (i + 1) & (p->capacity - 1);
    return &p->slot[i];
}

static bool grow(at_pairs *p)
{
    at_pairs larger = *p;
    larger.capacity = p->capacity ? 2 * p->capacity : 256;
    larger.slot = p->count < UINT32_MAX / 2 ? at_alloc_zero(larger.capacity, sizeof *p->slot)
                                            : NULL;
    p->failed |= !larger.slot;
    if (!larger.slot)
        return false;
    for (size_t i = 0; i < p->capacity; i++)
        if (p->slot[i].round == p->round)
            *slot_of(&larger, p->slot[i].key) = p->slot[i];
    at_free(p->slot);
    *p = larger;
    return true;
}

static uint64_t key_of(uint32_t beginning, uint32_t symbol)
{
    return (uint64_t)beginning << 32 | symbol;
}

uint32_t at_pairs_find(const at_pairs *p, uint32_t beginning, uint32_t symbol)
{
    if (p->failed || p->capacity == 0)
        return 0;
    const struct at_pair *slot = slot_of(p, key_of(beginning, symbol));
    return slot->round == p->round ? slot->number : 0;
}

uint32_t at_pairs_add(at_pairs *p, uint32_t beginning, uint32_t symbol)
{
    if (p->failed || (2 * (size_t)p->count >= p->capacity && !grow(p)))
        return 0;
    uint64_t key = key_of(beginning, symbol);
    struct at_pair *slot = slot_of(p, key);
    if (slot->round != p->round)
        *slot = (struct at_pair){.key = key, .number = ++p->count, .round = p->round};
    return slot->number;
}

static uint32_t find_word(const at_pairs *p, const uint32_t *at, size_t length)
{
    uint32_t number = at_pairs_find(p, 0, at[0]);
    for (size_t i = 1; i < length && number; i++)
        number = at_pairs_find(p, number, at[i]);
    return number;
}

static uint32_t add_word(at_pairs *p, const uint32_t *at, size_t length)
{
    uint32_t number = 0;
    for (size_t i = 0; i < length; i++)
        number = at_pairs_add(p, number, at[i]);
    return number;
}

void at_pairs_words(at_pairs *p, const at_chars *text, bool add, at_chars *words)
{
    size_t from = 0, start, length;
    at_chars_clear(words);
    while (at_chars_word(text, &from, &start, &length))
        at_chars_add(words, add ? add_word(p, text->at + start, length)
                                : find_word(p, text->at + start, length));
    words->failed |= text->failed || p->failed;
}
