#include "base/key_table.h"

#include <string.h>

#include "base/memory.h"

enum { FIRST = 1 << 12 };
static const size_t usual_limit = (size_t)512 << 20;

/* the place of a key, or the free one where it would be; value 0 is free */
static size_t find(const at_key_table *s, uint64_t key)
{
    size_t at = (size_t)key & (s->slots - 1);
    while (s->value[at] && s->key[at] != key)
        at = (at + 1) & (s->slots - 1);
    return at;
}

static bool grow(at_key_table *s)
{
    size_t slots = s->slots ? 2 * s->slots : FIRST, limit = s->limit ? s->limit : usual_limit;
    at_key_table larger = {.slots = slots, .limit = s->limit};
    if (slots > limit / 16)
        return false;
    larger.key = at_alloc(slots * sizeof *larger.key);
    larger.value = at_alloc_zero(slots, sizeof *larger.value);
    if (!larger.key || !larger.value) {
        at_key_table_free(&larger);
        return false;
    }
    for (size_t i = 0; i < s->slots; i++)
        if (s->value[i]) {
            size_t at = find(&larger, s->key[i]);
            larger.key[at] = s->key[i];
            larger.value[at] = s->value[i];
        }
    larger.count = s->count;
    at_key_table_free(s);
    *s = larger;
    return true;
}

uint64_t at_key_table_find_or_add(at_key_table *s, uint64_t key, uint64_t value)
{
    if (!s->full && s->count >= s->slots / 2)
        s->full = !grow(s);
    if (!s->slots)
        return 0;
    size_t at = find(s, key);
    if (s->value[at])
        return s->value[at];
    if (!s->full) {
        s->key[at] = key;
        s->value[at] = value;
        s->count++;
    }
    return 0;
}

size_t at_key_table_capacity(const at_key_table *s)
{
    size_t limit = s->limit ? s->limit : usual_limit, slots = FIRST;
    while (2 * slots <= limit / 16)
        slots *= 2;
    return slots <= limit / 16 ? slots / 2 : 0;
}

void at_key_table_free(at_key_table *s)
{
    at_free(s->key);
    at_free(s->value);
    *s = (at_key_table){0};
}
