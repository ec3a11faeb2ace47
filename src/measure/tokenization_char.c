/* char: every character is a word. White space is none, but keeps its place in the text. */
#include "measure/tokenization.h"

static void run(at_chars *text, at_chars *spare)
{
    at_chars_clear(spare);
    for (size_t i = 0; i < text->count; i++) {
        if (i)
            at_chars_add(spare, ' ');
        at_chars_add(spare, text->at[i]);
    }
    at_chars_swap(text, spare);
}

const at_tokenization at_tokenization_char = {
    .name = "char",
    .what = "characters, for languages without spaces",
    .run = run,
};
