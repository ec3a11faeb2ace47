/* Fuzz target: any bytes as a text of words, in four settings. */
#include "text.h"

static at_tokenizer *make(int lower, int punctuation, int split_chinese)
{
    attend_learn_options o;
    attend_learn_defaults(&o);
    o.lower = lower;
    o.pretokenised = !punctuation;
    o.split_chinese = split_chinese;
    o.min_count = 1;
    return fuzz_learn("words", &o);
}

/* Every word as the vocabulary would write it is no blank, and holds none. */
static void spell_all(const at_tokenizer *t, const char *text, size_t size)
{
    at_tokens p = {0};
    at_str words = {0};
    size_t begin = 0;
    at_encode(t, text, size, &p, NULL);
    size_t *end = at_alloc((p.count + 1) * sizeof *end);
    require(end != NULL, "memory");
    at_spell(t, text, size, &p, &words, end);
    for (size_t i = 0; i < p.count; begin = end[i++]) {
        require(end[i] > begin && end[i] <= words.length, "a word is something");
        require(!memchr(words.text + begin, ' ', end[i] - begin), "without blanks");
    }
    require(words.length == begin, "and there are as many as pieces");
    at_free(end);
    at_str_free(&words);
    at_tokens_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static at_tokenizer *t[4];
    for (int i = 0; i < 4; i++) {
        at_str out = {0};
        if (!t[i])
            t[i] = make(i & 1, !(i & 2), i != 3);
        fuzz_encode(t[i], (const char *)data, size, &out);
        spell_all(t[i], (const char *)data, size);
        at_str_free(&out);
    }
    return 0;
}
