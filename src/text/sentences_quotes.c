#include "text/sentences_quotes.h"

#include "base/utf8.h"
#include "text/unicode.h"

size_t at_char_at(const char *text, size_t size, size_t at, uint32_t *code)
{
    *code = 0;
    if (at >= size)
        return 0;
    int length = at_utf8_get(text + at, size - at, code);
    return length ? (size_t)length : 1;
}

bool at_char_among(uint32_t code, const uint32_t *list)
{
    for (; *list; list++)
        if (*list == code)
            return true;
    return false;
}

static int straight(uint32_t code)
{
    return code == '"' ? 0 : code == '\'' ? 1 : code == 0xFF02 ? 2 : -1;
}

static bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

void at_quotes_pass(at_quotes *q, const char *text, size_t size, size_t at, size_t length)
{
    uint32_t code;
    at_char_at(text, size, at, &code);
    int kind = straight(code);
    if (kind < 0)
        return;
    if (kind == 1 && at > 0 && at + length < size && is_ascii_letter(text[at - 1])
        && is_ascii_letter(text[at + length]))
        return;
    q->open[kind] = !q->open[kind];
}

bool at_quote_opens(const at_quotes *q, const char *text, size_t size, size_t at, bool wide)
{
    static const uint32_t curly[] = {0x201C, 0x2018, 0xAB, 0};
    static const uint32_t inner[] = {0x300A, 0x300C, 0x300E, 0xFF08, 0x3010, 0};
    uint32_t code, next;
    size_t length = at_char_at(text, size, at, &code);
    int kind = straight(code);
    at_char_at(text, size, at + length, &next);
    bool word = at_is_letter(next) || at_is_digit(next) || at_char_among(next, inner);
    if (kind >= 0)
        return word && !q->open[kind];
    return word && at_char_among(code, curly) && (wide || at_is_wide(next));
}

size_t at_french_quote(const char *text, size_t size, size_t at)
{
    uint32_t code;
    size_t blank = (size_t)at_space_at(text + at, size - at);
    if (!blank || text[at] == '\n' || !at_char_at(text, size, at + blank, &code) || code != 0xBB)
        return 0;
    at_char_at(text, size, at + blank + 2, &code);
    return at_is_letter(code) || at_is_digit(code) ? 0 : blank + 2;
}

/* says, asks, answers, calls, shouts */
static bool tells_speech(uint32_t code)
{
    static const uint32_t list[] = {0x8BF4, 0x8AAA, 0x95EE, 0x554F, 0x7B54,
                                    0x558A, 0x53EB, 0x56B7, 0x8A00, 0};
    return at_char_among(code, list);
}

static bool is_colon(uint32_t code) { return code == ':' || code == 0xFF1A; }

static bool has_colon(const char *text, size_t begin, size_t end)
{
    uint32_t code;
    for (size_t at = begin; at < end; at += at_char_at(text, end, at, &code))
        if (at_char_at(text, end, at, &code) && is_colon(code))
            return true;
    return false;
}

/* the last character of the sentence is a quote, not a bracket */
static bool ends_with_quote(const char *text, size_t begin, size_t end)
{
    static const uint32_t list[] = {'"',    '\'',   0x2019, 0x201D, 0xBB,
                                    0x203A, 0x300D, 0x300F, 0xFF02, 0};
    uint32_t code;
    size_t at = end - 1;
    while (at > begin && ((unsigned char)text[at] & 0xC0) == 0x80)
        at--;
    return at + at_char_at(text, end, at, &code) == end && at_char_among(code, list);
}

bool at_speech_goes_on(const char *text, size_t size, size_t begin, size_t end)
{
    enum { CLAUSE = 8 };
    uint32_t code;
    bool speaks = false;
    if (end == begin || !ends_with_quote(text, begin, end) || has_colon(text, begin, end))
        return false;
    for (int i = 0; i < CLAUSE; i++, end += at_char_at(text, size, end, &code)) {
        at_char_at(text, size, end, &code);
        if (!at_is_chinese(code) && !at_is_japanese(code))
            return speaks && !is_colon(code);
        speaks |= tells_speech(code);
    }
    return speaks;
}
