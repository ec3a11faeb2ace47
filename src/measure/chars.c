#include "measure/chars.h"

#include <string.h>
#include <utf8proc.h>

#include "base/memory.h"
#include "base/utf8.h"

/* ---- the array -------------------------------------------------------------------------- */

void at_chars_free(at_chars *c)
{
    at_free(c->at);
    *c = (at_chars){0};
}

void at_chars_clear(at_chars *c)
{
    c->count = 0;
    c->failed = false;
}

bool at_chars_grow(at_chars *c)
{
    size_t capacity = c->capacity ? 2 * c->capacity : 64;
    uint32_t *at = NULL;
    if (!c->failed && capacity < SIZE_MAX / sizeof *at)
        at = at_realloc(c->at, c->capacity * sizeof *at, capacity * sizeof *at);
    c->failed |= !at;
    if (!at)
        return false;
    c->at = at;
    c->capacity = capacity;
    return true;
}

void at_chars_swap(at_chars *a, at_chars *b)
{
    at_chars kept = *a;
    *a = *b;
    *b = kept;
    a->failed |= b->failed;
}

void at_chars_set(at_chars *c, const char *text, size_t size)
{
    at_chars_clear(c);
    for (size_t at = 0; at < size && !c->failed;) {
        uint32_t code = (unsigned char)text[at];
        int length = code < 0x80 ? 1 : at_utf8_get(text + at, size - at, &code);
        at_chars_add(c, code);
        at += length ? (size_t)length : 1;
    }
}

void at_chars_print(at_str *out, const at_chars *c)
{
    char bytes[4];
    for (size_t i = 0; i < c->count; i++)
        at_str_add_bytes(out, bytes, (size_t)at_utf8_put(bytes, c->at[i]));
    out->failed |= c->failed;
}

/* ---- kinds ------------------------------------------------------------------------------ */

bool at_char_is_space(uint32_t c)
{
    if (c < 0x80)
        return c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028
           || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

static utf8proc_category_t category(uint32_t c) { return utf8proc_category((utf8proc_int32_t)c); }

bool at_char_is_punctuation(uint32_t c)
{
    utf8proc_category_t kind = category(c);
    return kind >= UTF8PROC_CATEGORY_PC && kind <= UTF8PROC_CATEGORY_PO;
}

bool at_char_is_symbol(uint32_t c)
{
    utf8proc_category_t kind = category(c);
    return kind >= UTF8PROC_CATEGORY_SM && kind <= UTF8PROC_CATEGORY_SO;
}

bool at_char_is_number(uint32_t c)
{
    utf8proc_category_t kind = category(c);
    return kind >= UTF8PROC_CATEGORY_ND && kind <= UTF8PROC_CATEGORY_NO;
}

bool at_char_is_letter(uint32_t c)
{
    utf8proc_category_t kind = category(c);
    return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
}

/* ---- white space ------------------------------------------------------------------------ */

void at_chars_strip_end(at_chars *c)
{
    while (c->count && at_char_is_space(c->at[c->count - 1]))
        c->count--;
}

void at_chars_strip(at_chars *c)
{
    size_t start = 0;
    at_chars_strip_end(c);
    while (start < c->count && at_char_is_space(c->at[start]))
        start++;
    if (start)
        memmove(c->at, c->at + start, (c->count - start) * sizeof *c->at);
    c->count -= start;
}

void at_chars_squeeze(at_chars *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->count; i++)
        if (!at_char_is_space(c->at[i]))
            c->at[kept++] = c->at[i];
    c->count = kept;
}

bool at_chars_word(const at_chars *c, size_t *from, size_t *start, size_t *length)
{
    size_t i = *from;
    while (i < c->count && at_char_is_space(c->at[i]))
        i++;
    *start = i;
    while (i < c->count && !at_char_is_space(c->at[i]))
        i++;
    *length = i - *start;
    *from = i;
    return *length > 0;
}

void at_chars_join(at_chars *c)
{
    size_t from = 0, start, length, kept = 0;
    while (at_chars_word(c, &from, &start, &length)) {
        if (kept)
            c->at[kept++] = ' ';
        memmove(c->at + kept, c->at + start, length * sizeof *c->at);
        kept += length;
    }
    c->count = kept;
}

/* ---- replacing -------------------------------------------------------------------------- */

static bool stands_at(const at_chars *c, size_t i, const char *text)
{
    for (; *text; text++, i++)
        if (i >= c->count || c->at[i] != (unsigned char)*text)
            return false;
    return true;
}

void at_chars_replace(at_chars *c, at_chars *spare, const char *old, const char *text)
{
    size_t length = strlen(old), first = 0, i = 0;
    while (first < c->count && c->at[first] != (unsigned char)old[0])
        first++;
    if (first == c->count) /* the usual case costs one look */
        return;
    at_chars_clear(spare);
    while (i < c->count) {
        if (!stands_at(c, i, old)) {
            at_chars_add(spare, c->at[i++]);
            continue;
        }
        for (const char *t = text; *t; t++)
            at_chars_add(spare, (unsigned char)*t);
        i += length;
    }
    at_chars_swap(c, spare);
}

/* form: "1 2 " and the like */
static void add_form(at_chars *out, const char *form, const uint32_t *found)
{
    for (; *form; form++)
        at_chars_add(out, *form == ' ' ? ' ' : found[*form - '1']);
}

void at_chars_each(at_chars *c, at_chars *spare, at_char_kind *kind, const char *form)
{
    at_chars_clear(spare);
    for (size_t i = 0; i < c->count; i++)
        add_form(spare, kind(c->at[i]) ? form : "1", c->at + i);
    at_chars_swap(c, spare);
}

void at_chars_pairs(at_chars *c, at_chars *spare, at_char_kind *first, at_char_kind *second,
                    const char *form)
{
    at_chars_clear(spare);
    for (size_t i = 0; i < c->count; i++) {
        bool pair = i + 1 < c->count && first(c->at[i]) && second(c->at[i + 1]);
        add_form(spare, pair ? form : "1", c->at + i);
        i += pair;
    }
    at_chars_swap(c, spare);
}
