#include "base/seen.h"

#include <string.h>

#include "base/memory.h"

enum { FIRST = 1 << 12 };
static const size_t usual_limit = (size_t)512 << 20;

/* the place of a key, or the free one where it would be; value 0 is free */
static size_t find(const at_seen *s, uint64_t key)
{
    size_t at = (size_t)key & (s->places - 1);
    while (s->value[at] && s->key[at] != key)
        at = (at + 1) & (s->places - 1);
    return at;
}

static bool grow(at_seen *s)
{
    size_t places = s->places ? 2 * s->places : FIRST, limit = s->limit ? s->limit : usual_limit;
    at_seen larger = {.places = places, .limit = s->limit};
    if (places > limit / 16)
        return false;
    larger.key = at_alloc(places * sizeof *larger.key);
    larger.value = at_alloc_zero(places, sizeof *larger.value);
    if (!larger.key || !larger.value) {
        at_seen_free(&larger);
        return false;
    }
    for (size_t i = 0; i < s->places; i++)
        if (s->value[i]) {
            size_t at = find(&larger, s->key[i]);
            larger.key[at] = s->key[i];
            larger.value[at] = s->value[i];
        }
    larger.count = s->count;
    at_seen_free(s);
    *s = larger;
    return true;
}

uint64_t at_seen_or_add(at_seen *s, uint64_t key, uint64_t value)
{
    if (!s->full && s->count >= s->places / 2)
        s->full = !grow(s);
    if (!s->places)
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

size_t at_seen_most(const at_seen *s)
{
    size_t limit = s->limit ? s->limit : usual_limit, places = FIRST;
    while (2 * places <= limit / 16)
        places *= 2;
    return places <= limit / 16 ? places / 2 : 0;
}

void at_seen_free(at_seen *s)
{
    at_free(s->key);
    at_free(s->value);
    *s = (at_seen){0};
}
