#include "text/added.h"

#include <string.h>

#include "base/memory.h"

static at_added_piece *find(const at_added *a, int32_t id)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->item[i].id == id)
            return &a->item[i];
    return NULL;
}

bool at_added_put(at_added *a, const char *text, size_t size, int32_t id, bool special)
{
    at_added_piece *known = find(a, id);
    if (known) {
        known->special = special;
        return true;
    }
    if (a->count == a->room) {
        size_t room = a->room ? 2 * a->room : 8;
        at_added_piece *item = at_realloc(a->item, a->room * sizeof *item, room * sizeof *item);
        if (!item)
            return false;
        a->item = item;
        a->room = room;
    }
    a->item[a->count++] = (at_added_piece){text, size, id, special};
    a->first[(unsigned char)*text] = true;
    return true;
}

void at_added_free(at_added *a)
{
    at_free(a->item);
    *a = (at_added){0};
}

/* the longest one that text starts with, or NULL */
static const at_added_piece *longest(const at_added *a, const char *text, size_t size)
{
    const at_added_piece *best = NULL;
    for (size_t i = 0; i < a->count; i++) {
        const at_added_piece *p = &a->item[i];
        if (p->size <= size && (!best || p->size > best->size)
            && memcmp(p->text, text, p->size) == 0)
            best = p;
    }
    return best;
}

size_t at_added_next(const at_added *a, const char *text, size_t size, size_t from, size_t *length,
                     int32_t *id)
{
    for (size_t i = from; i < size; i++) {
        if (!a->first[(unsigned char)text[i]])
            continue;
        const at_added_piece *p = longest(a, text + i, size - i);
        if (p) {
            *length = p->size;
            *id = p->id;
            return i;
        }
    }
    return size;
}

bool at_added_is_special(const at_added *a, int32_t id)
{
    const at_added_piece *p = find(a, id);
    return p && p->special;
}
