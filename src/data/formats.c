#include <string.h>
#include <strings.h>

#include "data/format.h"

#define FORMAT(name) &at_format_##name,
const at_format *const at_formats[] = {
#include "data/formats.def"
};
#undef FORMAT

const int at_format_count = sizeof at_formats / sizeof *at_formats;

const at_format *at_format_find(const char *name)
{
    for (int i = 0; i < at_format_count; i++)
        if (strcmp(at_formats[i]->name, name) == 0)
            return at_formats[i];
    return NULL;
}

/* ---- guessing --------------------------------------------------------------------------- */

/* whole: the head is all there is, so that its last line is no part of one */
static void cut_lines(at_sample *s, bool whole)
{
    const char *at = s->head, *end = s->head + s->head_size;
    if (s->head_size >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0)
        at += 3;
    while (at < end && s->lines < ATTEND_SAMPLE_LINES) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop && !whole && s->lines)
            break;
        const char *next = stop ? stop + 1 : end;
        at_text line = at_text_trim((at_text){at, (size_t)((stop ? stop : end) - at)});
        if (line.size)
            s->line[s->lines++] = (at_text){at, (size_t)((stop ? stop : end) - at)};
        at = next;
    }
    for (int i = 0; i < s->lines; i++)
        if (s->line[i].size && s->line[i].text[s->line[i].size - 1] == '\r')
            s->line[i].size--;
}

const at_format *at_format_guess(const char *name, const char *head, size_t size, bool whole,
                                 bool columns)
{
    at_sample s = {.name = name, .head = head, .head_size = size, .columns = columns};
    int max = 0;
    cut_lines(&s, whole);
    const at_format *best = columns && s.lines ? NULL : &at_format_text;
    for (int i = 0; i < at_format_count && s.lines; i++) {
        bool may = at_formats[i]->guess && (at_formats[i]->columns || !columns);
        int sure = may ? at_formats[i]->guess(&s) : 0;
        if (sure > max) {
            max = sure;
            best = at_formats[i];
        }
    }
    return best;
}

int at_sample_share(const at_sample *s, bool (*test)(at_text line))
{
    int count = 0;
    for (int i = 0; i < s->lines; i++)
        count += test(s->line[i]);
    return s->lines ? 100 * count / s->lines : 0;
}

bool at_line_has_tab(at_text line) { return memchr(line.text, '\t', line.size) != NULL; }

at_text at_text_trim(at_text t)
{
    while (t.size && strchr(" \t\r", t.text[0]) && t.text[0]) {
        t.text++;
        t.size--;
    }
    while (t.size && strchr(" \t\r", t.text[t.size - 1]) && t.text[t.size - 1])
        t.size--;
    return t;
}

bool at_text_cut(at_text *t, char c, at_text *before)
{
    const char *stop = t->size ? memchr(t->text, c, t->size) : NULL;
    size_t size = stop ? (size_t)(stop - t->text) : t->size;
    *before = (at_text){t->text, size};
    *t = (at_text){t->text + size + (stop != NULL), t->size - size - (stop != NULL)};
    return stop != NULL;
}

bool at_text_is(at_text t, const char *word)
{
    return t.size == strlen(word) && strncasecmp(t.text, word, t.size) == 0;
}

bool at_text_same(at_text a, at_text b)
{
    return a.size == b.size && (!a.size || memcmp(a.text, b.text, a.size) == 0);
}
