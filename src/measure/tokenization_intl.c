/* intl: what mteval-v14.pl does with its option --international-tokenization:
 *
 *     (\P{N})(\p{P})  ->  "1 2 "      punctuation, not behind a digit
 *     (\p{P})(\P{N})  ->  " 1 2"      and not before one
 *     (\p{S})         ->  " 1 "       symbols
 *
 * A stop behind a digit at the very end stays there, as in the script. */
#include "measure/tokenization.h"

static bool is_no_number(uint32_t c) { return !at_char_is_number(c); }

static void run(at_chars *text, at_chars *spare)
{
    at_chars_pairs(text, spare, is_no_number, at_char_is_punctuation, "1 2 ");
    at_chars_pairs(text, spare, at_char_is_punctuation, is_no_number, " 1 2");
    at_chars_each(text, spare, at_char_is_symbol, " 1 ");
    at_chars_join(text);
}

const at_tokenization at_tokenization_intl = {
    .name = "intl",
    .what = "words, and punctuation and symbols of all scripts, as mteval-v14 does",
    .run = run,
};
