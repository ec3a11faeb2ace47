#include "base/utf8.h"

#include <string.h>

static int following(unsigned char first) /* bytes that come after it; -1: it can start nothing */
{
    return first < 0x80   ? 0
           : first < 0xC2 ? -1
           : first < 0xE0 ? 1
           : first < 0xF0 ? 2
           : first < 0xF5 ? 3
                          : -1;
}

int at_utf8_get(const char *text, size_t size, uint32_t *code)
{
    const unsigned char *in = (const unsigned char *)text;
    *code = 0xFFFD;
    int more = size ? following(*in) : -1;
    if (more < 0 || (size_t)more >= size)
        return 0;
    uint32_t number = more == 0 ? *in : *in & (0x3Fu >> more);
    for (int i = 1; i <= more; i++) {
        if ((in[i] & 0xC0) != 0x80)
            return 0;
        number = number << 6 | (in[i] & 0x3Fu);
    }
    if ((more == 2 && number < 0x800) || (more == 3 && number < 0x10000))
        return 0;
    if ((number >= 0xD800 && number < 0xE000) || number > 0x10FFFF)
        return 0;
    *code = number;
    return more + 1;
}

int at_utf8_put(char out[4], uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    out[0] = (char)((0xF00u >> more & 0xFF) | code >> 6 * more);
    for (int i = 1; i <= more; i++)
        out[i] = (char)(0x80 | (code >> 6 * (more - i) & 0x3F));
    return more + 1;
}

size_t at_utf8_valid(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size) {
        uint64_t eight; /* plain ASCII goes by words */
        if (size - at >= 8 && (memcpy(&eight, text + at, 8), !(eight & 0x8080808080808080))) {
            at += 8;
            continue;
        }
        uint32_t code;
        int length = at_utf8_get(text + at, size - at, &code);
        if (length == 0)
            break;
        at += (size_t)length;
    }
    return at;
}

size_t at_utf8_count(const char *text, size_t size)
{
    size_t count = 0;
    for (size_t at = 0; at < size; count++) {
        uint32_t code;
        int length = at_utf8_get(text + at, size - at, &code);
        at += length ? (size_t)length : 1;
    }
    return count;
}
