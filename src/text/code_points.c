#include "text/code_points.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "text/unicode.h"

enum { FEW = sizeof((at_code_points *)0)->few / sizeof(at_code_point) };

void at_code_points_start(at_code_points *l)
{
    l->item = l->few;
    l->count = 0;
    l->capacity = FEW;
    l->failed = false;
}

void at_code_points_free(at_code_points *l)
{
    if (l->item != l->few)
        at_free(l->item);
}

void at_code_points_grow(at_code_points *l)
{
    size_t bytes = l->count * sizeof *l->item;
    at_code_point *item = l->item == l->few ? at_alloc(2 * bytes)
                                            : at_realloc(l->item, bytes, 2 * bytes);
    if (!item) {
        l->failed = true;
        return;
    }
    if (l->item == l->few)
        memcpy(item, l->few, bytes);
    l->item = item;
    l->capacity *= 2;
}

size_t at_code_points_read(at_code_points *l, const char *text, size_t begin, size_t end)
{
    size_t invalid = 0;
    while (begin < end) {
        uint32_t code = (unsigned char)text[begin];
        size_t length = 1;
        if (code >= 0x80) {
            length = (size_t)at_utf8_get(text + begin, end - begin, &code);
            invalid += !length;
            length += !length;
        }
        at_code_points_add(l, code, begin, begin + length);
        begin += length;
    }
    return invalid;
}

void at_code_points_lower(const at_code_points *from, at_code_points *to)
{
    to->count = 0;
    to->failed = from->failed;
    for (size_t i = 0; i < from->count; i++) {
        at_code_point a = from->item[i];
        uint32_t lower[2] = {a.code};
        int n = 1;
        if (a.code >= 0x80)
            n = at_lower(a.code, lower);
        else if (a.code >= 'A' && a.code <= 'Z')
            lower[0] = a.code + ('a' - 'A');
        for (int k = 0; k < n; k++)
            at_code_points_add(to, lower[k], a.begin, a.end);
    }
}

static int by_class(const void *a, const void *b)
{
    const at_code_point *x = a, *y = b;
    int order = at_combining_class(x->code) - at_combining_class(y->code);
    return order ? order : (x->begin > y->begin) - (x->begin < y->begin);
}

/* Letters that have changed places all stand for the bytes of all of them. */
static void share_bytes(at_code_points *l, size_t first)
{
    uint32_t begin = UINT32_MAX, end = 0;
    while (first < l->count && at_combining_class(l->item[first].code) == 0)
        first++;
    for (size_t i = first; i < l->count; i++) {
        begin = l->item[i].begin < begin ? l->item[i].begin : begin;
        end = l->item[i].end > end ? l->item[i].end : end;
    }
    for (size_t i = first; i < l->count; i++) {
        l->item[i].begin = begin;
        l->item[i].end = end;
    }
}

/* by insertion; returns whether any changed places */
static bool sort_few(at_code_points *l, size_t first)
{
    bool moved = false;
    for (size_t i = first + 1; i < l->count; i++) {
        at_code_point a = l->item[i];
        int class = at_combining_class(a.code);
        size_t k = i;
        for (; class && k > first && at_combining_class(l->item[k - 1].code) > class; k--)
            l->item[k] = l->item[k - 1];
        l->item[k] = a;
        moved |= k < i;
    }
    return moved;
}

/* Canonical order: from index first on, by rising class, equal classes as they are. */
static void put_in_order(at_code_points *l, size_t first)
{
    bool moved = true;
    if (l->count - first > 32) /* no text that anybody wrote */
        qsort(l->item + first, l->count - first, sizeof *l->item, by_class);
    else
        moved = sort_few(l, first);
    if (moved)
        share_bytes(l, first);
}

/* Leaves out the marks from index first on. */
static void drop_marks(at_code_points *l, size_t first)
{
    size_t n = first;
    for (size_t i = first; i < l->count; i++) {
        at_code_point a = l->item[i];
        if (a.code < 0x300 || !at_is_mark(a.code))
            l->item[n++] = a;
        else if (n > 0 && l->item[n - 1].end < a.end)
            l->item[n - 1].end = a.end;
    }
    l->count = n;
}

static void end_run(at_code_points *l, size_t *run)
{
    if (l->count > *run + 1) {
        drop_marks(l, *run);
        put_in_order(l, *run);
    } else if (l->count > *run) {
        drop_marks(l, *run);
    }
    *run = l->count;
}

/* A run is a character of class 0 and those with a class behind it: order changes in it alone. */
void at_code_points_strip(const at_code_points *from, at_code_points *to)
{
    size_t run = 0;
    to->count = 0;
    to->failed = from->failed;
    for (size_t i = 0; i < from->count && !to->failed; i++) {
        at_code_point a = from->item[i];
        uint32_t part[4] = {a.code};
        int n = a.code < 0xC0 ? 1 : at_decompose(a.code, part);
        for (int k = 0; k < n; k++) {
            if (part[k] < 0x300 || at_combining_class(part[k]) == 0)
                end_run(to, &run);
            at_code_points_add(to, part[k], a.begin, a.end);
        }
    }
    end_run(to, &run);
}

void at_code_points_text(const at_code_points *l, size_t begin, size_t end, at_str *out)
{
    for (size_t i = begin; i < end; i++) {
        char bytes[4];
        at_str_add_bytes(out, bytes, (size_t)at_utf8_put(bytes, l->item[i].code));
    }
}
