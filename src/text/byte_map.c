#include "text/byte_map.h"

#include "base/utf8.h"

/* Those that stand for themselves, in three ranges; GPT-2 numbers them first. */
static bool plain(uint32_t code)
{
    return (code >= '!' && code <= '~') || (code >= 0xA1 && code <= 0xAC)
           || (code >= 0xAE && code <= 0xFF);
}

enum { PLAIN = ('~' - '!' + 1) + (0xAC - 0xA1 + 1) + (0xFF - 0xAE + 1) };

/* how many bytes below this one do not stand for themselves */
static int others_below(unsigned char byte)
{
    if (byte < '!')
        return byte;
    if (byte <= 0xA0)
        return '!' + (byte > '~' ? byte - ('~' + 1) : 0);
    return '!' + (0xA0 - '~') + (byte > 0xAD);
}

uint32_t at_byte_char(unsigned char byte)
{
    return plain(byte) ? byte : 0x100 + (uint32_t)others_below(byte);
}

int at_byte_order(unsigned char byte)
{
    return plain(byte) ? byte - others_below(byte) : PLAIN + others_below(byte);
}

int at_char_byte(uint32_t code)
{
    if (plain(code))
        return (int)code;
    if (code < 0x100 || code >= 0x100 + (256 - PLAIN))
        return -1;
    int n = (int)code - 0x100;
    if (n < '!')
        return n;
    n -= '!';
    return n < 0xA0 - '~' ? '~' + 1 + n : 0xAD;
}

/* the byte of the first character, and its length; -1 where it stands for none */
static int byte_at(const char *text, size_t size, int *length)
{
    uint32_t code;
    *length = at_utf8_get(text, size, &code);
    return *length ? at_char_byte(code) : -1;
}

bool at_bytes_read(at_str *out, const char *text, size_t size)
{
    int length;
    for (size_t i = 0; i < size; i += (size_t)length)
        if (byte_at(text + i, size - i, &length) < 0)
            return false;
    for (size_t i = 0; i < size; i += (size_t)length) {
        char byte = (char)byte_at(text + i, size - i, &length);
        at_str_add_bytes(out, &byte, 1);
    }
    return true;
}
