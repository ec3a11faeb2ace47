#include "text/added_tokens.h"

#include <string.h>

#include "base/memory.h"

static at_added_token *find(const at_added_tokens *a, int32_t id)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->item[i].id == id)
            return &a->item[i];
    return NULL;
}

bool at_added_tokens_put(at_added_tokens *a, const char *text, size_t size, int32_t id,
                         bool special)
{
    at_added_token *known = find(a, id);
    if (known) {
        known->special = special;
        return true;
    }
    if (a->count == a->capacity) {
        size_t capacity = a->capacity ? 2 * a->capacity : 8;
        at_added_token *item = at_realloc(a->item, a->capacity * sizeof *item,
                                          capacity * sizeof *item);
        if (!item)
            return false;
        a->item = item;
        a->capacity = capacity;
    }
    a->item[a->count++] = (at_added_token){text, size, id, special};
    a->first[(unsigned char)*text] = true;
    return true;
}

void at_added_tokens_free(at_added_tokens *a)
{
    at_free(a->item);
    *a = (at_added_tokens){0};
}

/* the longest one that text starts with, or NULL */
static const at_added_token *longest_match(const at_added_tokens *a, const char *text, size_t size)
{
    const at_added_token *best = NULL;
    for (size_t i = 0; i < a->count; i++) {
        const at_added_token *p = &a->item[i];
        if (p->size <= size && (!best || p->size > best->size)
            && memcmp(p->text, text, p->size) == 0)
            best = p;
    }
    return best;
}

size_t at_added_tokens_next(const at_added_tokens *a, const char *text, size_t size, size_t from,
                            size_t *length, int32_t *id)
{
    for (size_t i = from; i < size; i++) {
        if (!a->first[(unsigned char)text[i]])
            continue;
        const at_added_token *p = longest_match(a, text + i, size - i);
        if (p) {
            *length = p->size;
            *id = p->id;
            return i;
        }
    }
    return size;
}

bool at_added_tokens_is_special(const at_added_tokens *a, int32_t id)
{
    const at_added_token *p = find(a, id);
    return p && p->special;
}
