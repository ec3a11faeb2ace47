/* Fuzz target: any bytes through WordPiece, cased and not, with and without its cache filled. */
#include "text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static at_tokenizer *t[3];
    for (int i = 0; i < 3; i++) {
        attend_learn_options o;
        at_str first = {0}, second = {0};
        attend_learn_defaults(&o);
        o.lower = i > 0;
        o.strip_accents = i > 1;
        o.vocabulary = 250;
        if (!t[i])
            t[i] = fuzz_learn("wordpiece", &o);
        fuzz_encode(t[i], (const char *)data, size, &first);
        fuzz_encode(t[i], (const char *)data, size, &second);
        require(first.length == second.length
                    && (!first.length || memcmp(first.text, second.text, first.length) == 0),
                "the cache changes nothing");
        at_str_free(&first);
        at_str_free(&second);
    }
    return 0;
}
