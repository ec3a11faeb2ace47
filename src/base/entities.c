#include "base/entities.h"

#include <string.h>

typedef struct {
    char prefix; /* O, B, I, E or S */
    const char *type;
    size_t size;
} part;

static part read_tag(at_word_tag t)
{
    if (t.size == 0 || (t.size == 1 && t.text[0] == 'O'))
        return (part){'O', "", 0};
    if (t.size > 2 && t.text[1] == '-' && strchr("BIES", t.text[0]))
        return (part){t.text[0], t.text + 2, t.size - 2};
    return (part){'I', t.text, t.size};
}

static bool same_type(part a, part b)
{
    return a.size == b.size && memcmp(a.type, b.type, a.size) == 0;
}

/* Does an entity begin at this word, after the one before it? */
static bool begins(part before, part here)
{
    if (here.prefix == 'O')
        return false;
    return here.prefix == 'B' || here.prefix == 'S' || before.prefix == 'O' || before.prefix == 'E'
           || before.prefix == 'S' || !same_type(before, here);
}

bool at_entity_next(const at_word_tag *tag, size_t words, size_t from, at_entity *out)
{
    part before = from ? read_tag(tag[from - 1]) : (part){'O', "", 0};
    for (size_t i = from; i < words; i++) {
        part here = read_tag(tag[i]);
        bool first = begins(before, here);
        before = here;
        if (!first)
            continue;
        size_t end = i + 1;
        for (; end < words; end++) {
            part next = read_tag(tag[end]);
            if (next.prefix == 'O' || begins(before, next))
                break;
            before = next;
        }
        *out = (at_entity){here.type, here.size, i, end};
        return true;
    }
    return false;
}
