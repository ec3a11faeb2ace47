#include "text/spiece_clean.h"

#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "text/unicode.h"

/* White space as Python counts it: four separators of files and records are among it. */
static bool is_blank(uint32_t code) { return at_is_space(code) || (code >= 0x1C && code <= 0x1F); }

static bool reserve(at_clean_text *c, size_t bytes)
{
    if (bytes <= c->capacity)
        return true;
    size_t capacity = bytes + bytes / 2 + 64;
    uint32_t *begin = at_realloc(c->begin, c->capacity * sizeof *begin, capacity * sizeof *begin);
    if (begin)
        c->begin = begin;
    uint32_t *end = begin ? at_realloc(c->end, c->capacity * sizeof *end, capacity * sizeof *end)
                          : NULL;
    if (!end)
        return false;
    c->end = end;
    c->capacity = capacity;
    return true;
}

/* a character that stands for the original's bytes [begin,end) */
static bool put(at_clean_text *c, uint32_t code, size_t begin, size_t end)
{
    char bytes[4];
    size_t at = c->text.length, size = (size_t)at_utf8_put(bytes, code);
    at_str_add_bytes(&c->text, bytes, size);
    if (c->text.failed || !reserve(c, at + size))
        return false;
    for (; at < c->text.length; at++) {
        c->begin[at] = (uint32_t)begin;
        c->end[at] = (uint32_t)end;
    }
    return true;
}

static bool put_lower(at_clean_text *c, bool lower, uint32_t code, size_t begin, size_t end)
{
    uint32_t small[2] = {code};
    int count = lower ? at_lower(code, small) : 1;
    for (int i = 0; i < count; i++)
        if (!put(c, small[i], begin, end))
            return false;
    return true;
}

/* Accents are what has a combining class; so the order of several does not matter. */
static bool put_character(at_clean_text *c, const at_spiece_cleaning *how, uint32_t code,
                          size_t begin, size_t end)
{
    uint32_t part[ATTEND_COMPATIBLE_MAX] = {code};
    int count = how->keep_accents ? 1 : at_decompose_compatible(code, part);
    for (int i = 0; i < count; i++) {
        bool accent = !how->keep_accents && at_combining_class(part[i]) != 0;
        if (!accent && !put_lower(c, how->lower, part[i], begin, end))
            return false;
    }
    return true;
}

bool at_spiece_clean(const at_spiece_cleaning *how, const char *text, size_t size, at_clean_text *c)
{
    size_t blanks = 0; /* where white space that may become a blank began, plus one */
    bool started = false;
    c->original = size;
    for (size_t at = 0, next; at < size; at = next) {
        uint32_t code;
        int length = at_utf8_get(text + at, size - at, &code);
        next = at + (length ? (size_t)length : 1);
        if (how->remove_space && is_blank(code)) {
            blanks = blanks ? blanks : at + 1;
            continue;
        }
        if (blanks && started && !put(c, ' ', blanks - 1, at))
            return false;
        blanks = 0;
        started = true;
        if (next < size && (code == '`' || code == '\'') && text[next] == text[at]) {
            code = '"';
            next++;
        }
        if (!put_character(c, how, code, at, next))
            return false;
    }
    return true;
}

void at_clean_text_free(at_clean_text *c)
{
    at_str_free(&c->text);
    at_free(c->begin);
    at_free(c->end);
    *c = (at_clean_text){0};
}

void at_clean_text_span(const at_clean_text *c, size_t *begin, size_t *end)
{
    size_t from = *begin, to = *end;
    *begin = from < c->text.length ? c->begin[from] : c->original;
    *end = to > from ? c->end[to - 1] : *begin;
}
