/* 13a: what mteval-v13a.pl does, the usual choice for languages with spaces between their words. A
 * space at both ends lets the rules see stops there. */
#include "measure/tokenization.h"

static void run(at_chars *text, at_chars *spare)
{
    at_chars_replace(text, spare, "<skipped>", "");
    at_chars_replace(text, spare, "-\n", "");
    at_chars_replace(text, spare, "\n", " ");
    at_mteval_entities(text, spare);
    at_chars_clear(spare);
    at_chars_add(spare, ' ');
    for (size_t i = 0; i < text->count; i++)
        at_chars_add(spare, text->at[i]);
    at_chars_add(spare, ' ');
    at_chars_swap(text, spare);
    at_mteval_symbols(text, spare);
    at_mteval_stops(text, spare);
    at_chars_join(text);
}

const at_tokenization at_tokenization_13a = {
    .name = "13a",
    .what = "words and ASCII punctuation, as mteval-v13a does",
    .run = run,
};
