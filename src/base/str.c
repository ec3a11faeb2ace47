#include "base/str.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

/* room for `more` bytes and the ending zero */
static bool reserve(at_str *s, size_t more)
{
    if (s->failed || more >= SIZE_MAX / 4 - s->length) {
        s->failed = true;
        return false;
    }
    size_t needed = s->length + more + 1;
    if (needed <= s->capacity)
        return true;
    size_t capacity = needed < 64 ? 64 : needed + needed / 2;
    char *text = at_realloc(s->text, s->length, capacity);
    if (!text) {
        s->failed = true;
        return false;
    }
    s->text = text;
    s->capacity = capacity;
    return true;
}

void at_str_add_bytes(at_str *s, const char *bytes, size_t count)
{
    if (!reserve(s, count))
        return;
    memcpy(s->text + s->length, bytes, count);
    s->length += count;
    s->text[s->length] = 0;
}

void at_str_add(at_str *s, const char *text) { at_str_add_bytes(s, text, strlen(text)); }

void at_str_repeat(at_str *s, const char *text, int times)
{
    for (int i = 0; i < times; i++)
        at_str_add(s, text);
}

void at_str_print_v(at_str *s, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int count = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (count < 0)
        s->failed = true;
    else if (reserve(s, (size_t)count)) {
        vsnprintf(s->text + s->length, (size_t)count + 1, format, args);
        s->length += (size_t)count;
    }
}

void at_str_print(at_str *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    at_str_print_v(s, format, args);
    va_end(args);
}

void at_str_pad(at_str *s, const char *text, int width)
{
    int space = (width < 0 ? -width : width) - at_str_columns(text);
    if (width < 0)
        at_str_repeat(s, " ", space);
    at_str_add(s, text);
    if (width > 0)
        at_str_repeat(s, " ", space);
}

static int word_columns(const char *text, size_t length)
{
    int columns = 0;
    for (size_t i = 0; i < length;) {
        uint32_t code;
        int bytes = at_utf8_get(text + i, length - i, &code);
        columns += at_utf8_columns(code);
        i += bytes ? (size_t)bytes : 1;
    }
    return columns;
}

void at_str_wrap(at_str *s, const char *text, int column, int indent, int right)
{
    for (bool fresh = true; *text;) { /* fresh: no word on this line yet */
        size_t length = strcspn(text, " \n");
        int columns = word_columns(text, length);
        bool full = length && !fresh && column + 1 + columns > right;
        if (full || *text == '\n') {
            at_str_add(s, "\n");
            text += *text == '\n';
            at_str_repeat(s, " ", *text && *text != '\n' ? indent : 0);
            column = indent;
            fresh = true;
        } else if (length == 0) {
            text++;
        } else {
            at_str_add(s, fresh ? "" : " ");
            at_str_add_bytes(s, text, length);
            column += columns + !fresh;
            fresh = false;
            text += length;
        }
    }
}

static void add_safe(at_str *s, const char *text, int length, uint32_t code)
{
    /* C1 controls and the marks that turn the direction of text steer terminals, too */
    bool steers = code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x202A && code <= 0x202E)
                  || (code >= 0x2066 && code <= 0x2069);
    if (*text == '\n')
        at_str_add(s, "\\n");
    else if (*text == '\t')
        at_str_add(s, "\\t");
    else if (length == 0)
        at_str_print(s, "\\x%02x", (unsigned char)*text);
    else if (steers)
        at_str_print(s, code < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)code);
    else
        at_str_add_bytes(s, text, (size_t)length);
}

void at_str_add_safe_bytes(at_str *s, const char *text, size_t size)
{
    while (size) {
        uint32_t code;
        int length = at_utf8_get(text, size, &code);
        size_t step = length ? (size_t)length : 1;
        add_safe(s, text, length, code);
        text += step;
        size -= step;
    }
}

void at_str_add_safe(at_str *s, const char *text) { at_str_add_safe_bytes(s, text, strlen(text)); }

void at_str_add_json_bytes(at_str *s, const char *text, size_t size)
{
    at_str_add(s, "\"");
    while (size) {
        uint32_t code;
        int length = at_utf8_get(text, size, &code);
        if (length == 0)
            at_str_add(s, "\xEF\xBF\xBD");
        else if (code == '"' || code == '\\')
            at_str_print(s, "\\%c", (char)code);
        else if (code < 0x20 || code == 0x7F)
            at_str_print(s, "\\u%04x", (unsigned)code);
        else
            at_str_add_bytes(s, text, (size_t)length);
        text += length ? length : 1;
        size -= length ? (size_t)length : 1;
    }
    at_str_add(s, "\"");
}

void at_str_add_json(at_str *s, const char *text) { at_str_add_json_bytes(s, text, strlen(text)); }

const char *at_str_text(const at_str *s) { return s->text ? s->text : ""; }

void at_str_clear(at_str *s)
{
    s->length = 0;
    s->failed = false;
    if (s->text)
        *s->text = 0;
}

void at_str_free(at_str *s)
{
    at_free(s->text);
    *s = (at_str){0};
}

char *at_str_take(at_str *s)
{
    if (!s->text && !s->failed)
        at_str_add(s, ""); /* an empty string is not a failure */
    char *text = s->failed ? NULL : s->text;
    if (!text)
        at_free(s->text);
    *s = (at_str){0};
    return text;
}

int at_str_columns(const char *text) { return word_columns(text, strlen(text)); }
