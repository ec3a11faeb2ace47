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
    out[0] = (char)((0xFF00u >> (more + 1) & 0xFF) | code >> 6 * more);
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

size_t at_utf8_count_invalid(const char *text, size_t size)
{
    size_t count = 0;
    for (size_t at = at_utf8_valid(text, size); at < size; count++)
        at += 1 + at_utf8_valid(text + at + 1, size - at - 1);
    return count;
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

static int in_ranges(uint32_t code, const uint32_t (*range)[2], int count)
{
    for (int i = 0; i < count; i++)
        if (code >= range[i][0] && code <= range[i][1])
            return 1;
    return 0;
}

int at_utf8_columns(uint32_t code)
{
    static const uint32_t none[][2] = {{0x300, 0x36F},   {0x200B, 0x200F}, {0x20D0, 0x20F0},
                                       {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}};
    static const uint32_t wide[][2] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x4DBF},
                                       {0x4E00, 0xA4CF},   {0xA960, 0xA97C},   {0xAC00, 0xD7A3},
                                       {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},
                                       {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
                                       {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD}};
    if (code < 0x300)
        return 1;
    if (in_ranges(code, none, (int)(sizeof none / sizeof *none)))
        return 0;
    return 1 + in_ranges(code, wide, (int)(sizeof wide / sizeof *wide));
}
