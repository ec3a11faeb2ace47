/* The rules of the NIST script mteval-v13a, which 13a, zh and TER share. In its own terms:
 *
 *     ([\{-\~\[-\` -\&\(-\+\:-\@\/])  ->  " 1 "       symbols
 *     ([^0-9])([\.,])                 ->  "1 2 "      a stop or comma, not behind a digit
 *     ([\.,])([^0-9])                 ->  " 1 2"      and not before one
 *     ([0-9])(-)                      ->  "1 2 "      a dash behind a digit */
#include "measure/tokenization.h"

static bool is_symbol(uint32_t c)
{
    return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&')
           || (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

static bool is_digit(uint32_t c) { return c >= '0' && c <= '9'; }
static bool is_no_digit(uint32_t c) { return !is_digit(c); }
static bool is_stop(uint32_t c) { return c == '.' || c == ','; }
static bool is_dash(uint32_t c) { return c == '-'; }

void at_mteval_entities(at_chars *text, at_chars *spare)
{
    at_chars_replace(text, spare, "&quot;", "\"");
    at_chars_replace(text, spare, "&amp;", "&");
    at_chars_replace(text, spare, "&lt;", "<");
    at_chars_replace(text, spare, "&gt;", ">");
}

void at_mteval_symbols(at_chars *text, at_chars *spare)
{
    at_chars_each(text, spare, is_symbol, " 1 ");
}

void at_mteval_stops(at_chars *text, at_chars *spare)
{
    at_chars_pairs(text, spare, is_no_digit, is_stop, "1 2 ");
    at_chars_pairs(text, spare, is_stop, is_no_digit, " 1 2");
    at_chars_pairs(text, spare, is_digit, is_dash, "1 2 ");
}
