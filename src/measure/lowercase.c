/* Lower case as in Python: one character at a time by Unicode's tables, but for two. A capital I
 * with a dot becomes two characters, and a sigma at the end of a word has a form of its own
 * (Unicode 15, section 3.13, Final_Sigma):
 *
 *     sigma is final where a cased letter stands before it and none after it; characters that the
 *     rule ignores (accents, apostrophes, full stops) do not count on either side */
#include <utf8proc.h>

#include "measure/chars.h"

enum { SIGMA = 0x3A3, SMALL_SIGMA = 0x3C3, FINAL_SIGMA = 0x3C2, DOTTED_I = 0x130, DOT = 0x307 };

typedef struct {
    uint32_t first, last;
} range;

static bool within(uint32_t c, const range *r, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (c >= r[i].first && c <= r[i].last)
            return true;
    return false;
}

/* Other_Lowercase and Other_Uppercase: cased, though not of the categories Lu, Ll and Lt */
static const range other_cased[] = {
    {0xAA, 0xAA},       {0xBA, 0xBA},       {0x2B0, 0x2B8},     {0x2C0, 0x2C1},
    {0x2E0, 0x2E4},     {0x345, 0x345},     {0x37A, 0x37A},     {0x10FC, 0x10FC},
    {0x1D2C, 0x1D6A},   {0x1D78, 0x1D78},   {0x1D9B, 0x1DBF},   {0x2071, 0x2071},
    {0x207F, 0x207F},   {0x2090, 0x209C},   {0x2160, 0x217F},   {0x24B6, 0x24E9},
    {0x2C7C, 0x2C7D},   {0xA69C, 0xA69D},   {0xA770, 0xA770},   {0xA7F2, 0xA7F4},
    {0xA7F8, 0xA7F9},   {0xAB5C, 0xAB5F},   {0xAB69, 0xAB69},   {0x10780, 0x10780},
    {0x10783, 0x10785}, {0x10787, 0x107B0}, {0x107B2, 0x107BA}, {0x1E030, 0x1E06D},
    {0x1F130, 0x1F149}, {0x1F150, 0x1F169}, {0x1F170, 0x1F189},
};

/* punctuation inside words: Word_Break is MidLetter, MidNumLet or Single_Quote */
static const range inside_words[] = {
    {'\'', '\''},     {'.', '.'},       {':', ':'},       {0xB7, 0xB7},
    {0x387, 0x387},   {0x55F, 0x55F},   {0x5F4, 0x5F4},   {0x2018, 0x2019},
    {0x2024, 0x2024}, {0x2027, 0x2027}, {0xFE13, 0xFE13}, {0xFE52, 0xFE52},
    {0xFE55, 0xFE55}, {0xFF07, 0xFF07}, {0xFF0E, 0xFF0E}, {0xFF1A, 0xFF1A},
};

static bool is_cased(uint32_t c)
{
    utf8proc_category_t kind = utf8proc_category((utf8proc_int32_t)c);
    return (kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LT)
           || within(c, other_cased, sizeof other_cased / sizeof *other_cased);
}

static bool is_ignored(uint32_t c)
{
    switch (utf8proc_category((utf8proc_int32_t)c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK: return true;
    default: return within(c, inside_words, sizeof inside_words / sizeof *inside_words);
    }
}

static bool is_final(const at_chars *c, size_t i)
{
    size_t before = i, after = i + 1;
    while (before > 0 && is_ignored(c->at[before - 1]))
        before--;
    if (before == 0 || !is_cased(c->at[before - 1]))
        return false;
    while (after < c->count && is_ignored(c->at[after]))
        after++;
    return after == c->count || !is_cased(c->at[after]);
}

static uint32_t lower(const at_chars *c, size_t i)
{
    uint32_t code = c->at[i];
    if (code < 0x80)
        return code >= 'A' && code <= 'Z' ? code + 32 : code;
    if (code == SIGMA)
        return is_final(c, i) ? FINAL_SIGMA : SMALL_SIGMA;
    return (uint32_t)utf8proc_tolower((utf8proc_int32_t)code);
}

void at_chars_lower(at_chars *c, at_chars *spare)
{
    at_chars_clear(spare);
    for (size_t i = 0; i < c->count; i++)
        if (c->at[i] == DOTTED_I) {
            at_chars_add(spare, 'i');
            at_chars_add(spare, DOT);
        } else
            at_chars_add(spare, lower(c, i));
    at_chars_swap(c, spare);
}
