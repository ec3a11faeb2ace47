#include "text/counting.h"

#include "attend.h"
#include "base/utf8.h"
#include "text/unicode.h"

typedef enum { BLANK, WIDE, OTHER } sort;

/* of the character at the begin, whose bytes *used receives; a byte of no UTF-8 is one */
static sort sort_of(const char *text, size_t size, size_t *used)
{
    uint32_t code;
    int blank = at_space_at(text, size), length = at_utf8_get(text, size, &code);
    *used = blank ? (size_t)blank : length > 0 ? (size_t)length : 1;
    return blank ? BLANK : length > 0 && at_is_wide(code) ? WIDE : OTHER;
}

bool at_words_stand_alone(const char *text, size_t size)
{
    sort last = OTHER, before = OTHER;
    bool any = false;
    for (size_t at = 0, used; at < size; at += used) {
        sort now = sort_of(text + at, size - at, &used);
        if (now == WIDE && last == BLANK && before == WIDE)
            return false;
        any = any || now == WIDE;
        before = now == BLANK ? before : now;
        last = now;
    }
    return any;
}

bool at_words_next(const char *text, size_t size, bool alone, size_t *at, at_text *word)
{
    size_t begin = *at, end, used = 0;
    while (begin < size && sort_of(text + begin, size - begin, &used) == BLANK)
        begin += used;
    for (end = begin; end < size; end += used) {
        sort now = sort_of(text + end, size - end, &used);
        if (now == BLANK || (now == WIDE && alone && end > begin))
            break;
        if (now == WIDE && alone) {
            end += used;
            break;
        }
    }
    *word = (at_text){text + begin, end - begin};
    *at = end;
    return end > begin;
}

uint32_t at_words_count(const char *text, size_t size, bool alone)
{
    uint32_t words = 0;
    at_text word;
    for (size_t at = 0; at_words_next(text, size, alone, &at, &word);)
        words++;
    return words;
}

uint32_t at_word_of(const char *text, size_t size, const at_token *token)
{
    size_t at = token->begin, used = 0;
    if (token->word == ATTEND_NO_WORD)
        return ATTEND_NO_WORD;
    while (at < size && sort_of(text + at, size - at, &used) == BLANK)
        at += used;
    uint32_t words = at_words_count(text, at < size ? at + used : size, true);
    return words ? words - 1 : ATTEND_NO_WORD;
}

at_text at_trimmed(const char *text, size_t size)
{
    size_t begin = size, end = size;
    for (size_t at = 0, used; at < size; at += used)
        if (sort_of(text + at, size - at, &used) != BLANK) {
            begin = begin < at ? begin : at;
            end = at + used;
        }
    return (at_text){text + begin, end - begin};
}
