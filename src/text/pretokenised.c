#include "text/pretokenised.h"

#include <string.h>
#include <strings.h>

#include "text/unicode.h"

enum { FEWEST = 10, ONE_OF = 50, ABBREVIATED_OF = 5 };

static bool is_mark(char c) { return c == '.' || c == ','; }

/* an ellipsis by itself, "...", which says nothing: text of either kind has it */
static bool is_ellipsis(const char *word, size_t size)
{
    size_t dots = 0;
    while (dots < size && word[dots] == '.')
        dots++;
    return size > 1 && dots == size;
}

/* Is the word, or its end where it is longer, one that English is cut into: "'s" of "it's"? */
static bool ends_in_part(const char *word, size_t size, bool *whole)
{
    static const char *const parts[] = {"<unk>", "n't", "'s", "'re", "'ve", "'ll", "'d", "'m"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t length = strlen(parts[i]);
        *whole = size == length;
        if (size >= length && strncasecmp(word + size - length, parts[i], length) == 0)
            return true;
    }
    return false;
}

/* ends: it is the last one of its line */
static void count_word(at_pretokenised_marks *m, const char *word, size_t size, bool ends)
{
    bool whole, comma = word[size - 1] == ',';
    if (is_ellipsis(word, size))
        return;
    if (is_mark(word[size - 1])) {
        m->alone += size == 1;
        m->close += size > 1;
        m->attached += size > 1 && (comma || ends);
    } else if (ends_in_part(word, size, &whole)) {
        m->parts += whole;
        m->joined += !whole;
    }
}

void at_pretokenised_marks_count(at_pretokenised_marks *m, const char *text, size_t size)
{
    for (size_t at = 0, end; at < size; at = end) {
        int blank = at_space_at(text + at, size - at);
        end = at + (size_t)blank;
        if (blank)
            continue;
        while (end < size && !at_space_at(text + end, size - end))
            end++;
        size_t next = end;
        while (next < size && (text[next] == ' ' || text[next] == '\t' || text[next] == '\r'))
            next++;
        count_word(m, text + at, end - at, next == size || text[next] == '\n');
    }
}

bool at_is_pretokenised(const at_pretokenised_marks *m)
{
    bool few = m->close * ONE_OF <= m->alone;
    bool abbreviations = m->attached * ONE_OF <= m->alone && m->close * ABBREVIATED_OF <= m->alone;
    if (m->alone >= FEWEST && (few || abbreviations))
        return true;
    return m->parts >= FEWEST && (m->attached + m->joined) * ONE_OF <= m->parts;
}
