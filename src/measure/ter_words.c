#include "measure/ter_words.h"

static bool is_ideograph(uint32_t c)
{
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF);
}

static bool is_radical(uint32_t c)
{
    return (c >= 0x31C0 && c <= 0x31EF) || (c >= 0x2E80 && c <= 0x2EFF);
}

static bool is_compatible(uint32_t c)
{
    return (c >= 0x3300 && c <= 0x33FF) || (c >= 0xF900 && c <= 0xFAFF)
           || (c >= 0xFE30 && c <= 0xFE4F);
}

/* The block ends at U+32FF; the programs we have to agree with go on to here. */
static bool is_enclosed(uint32_t c) { return c >= 0x3200 && c <= 0x3F22; }

static bool is_asian_punctuation(uint32_t c)
{
    return c == 0x3001 || c == 0x3002 || (c >= 0x3008 && c <= 0x3011)
           || (c >= 0x3014 && c <= 0x301F) || (c >= 0xFF61 && c <= 0xFF65) || c == 0x30FB;
}

static bool is_wide_punctuation(uint32_t c)
{
    return c == 0xFF0E || c == 0xFF0C || c == 0xFF1F || c == 0xFF1A || c == 0xFF1B || c == 0xFF01
           || c == 0xFF02 || c == 0xFF08 || c == 0xFF09;
}

static bool is_punctuation(uint32_t c)
{
    return c == '.' || c == ',' || c == '?' || c == ':' || c == ';' || c == '!' || c == '"'
           || c == '(' || c == ')';
}

static void normalise_western(at_chars *text, at_chars *spare)
{
    at_chars_replace(text, spare, "\n-", "");
    at_chars_replace(text, spare, "\n", " ");
    at_mteval_entities(text, spare);
    at_chars_clear(spare);
    at_chars_add(spare, ' ');
    for (size_t i = 0; i < text->count; i++)
        at_chars_add(spare, text->at[i]);
    at_chars_add(spare, ' ');
    at_chars_swap(text, spare);
    at_mteval_symbols(text, spare);
    at_chars_replace(text, spare, "'s ", " 's ");
    at_mteval_stops(text, spare);
}

/* Kana stays together; Tercom's rules for it ask for a text that begins with kana, and by now a
 * space stands there. */
static void normalise_asian(at_chars *text, at_chars *spare)
{
    at_chars_each(text, spare, is_ideograph, " 1 ");
    at_chars_each(text, spare, is_radical, " 1 ");
    at_chars_each(text, spare, is_compatible, " 1 ");
    at_chars_each(text, spare, is_enclosed, " 1 ");
    at_chars_each(text, spare, is_asian_punctuation, " 1 ");
    at_chars_each(text, spare, is_wide_punctuation, " 1 ");
}

void at_ter_words(const attend_measure_options *o, at_chars *text, at_chars *spare)
{
    if (!o->case_sensitive)
        at_chars_lower(text, spare);
    if (o->normalized)
        normalise_western(text, spare);
    if (o->normalized && o->asian)
        normalise_asian(text, spare);
    if (o->no_punct)
        at_chars_each(text, spare, is_punctuation, "");
    if (o->no_punct && o->asian) {
        at_chars_each(text, spare, is_asian_punctuation, "");
        at_chars_each(text, spare, is_wide_punctuation, "");
    }
    at_chars_join(text);
}
