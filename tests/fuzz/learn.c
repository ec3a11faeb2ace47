/* Fuzz target: any bytes as lines that every kind but sentencepiece, whose trainer is a library's,
 * learns from. The vocabulary cuts the same text, and a kind that keeps all gives it back. */
#include "text.h"

typedef struct {
    const char *text, *end;
} lines;

static int next(void *user, const char **text, size_t *size, attend_error *err)
{
    lines *l = user;
    (void)err;
    if (l->text == l->end)
        return 0;
    const char *stop = memchr(l->text, '\n', (size_t)(l->end - l->text));
    *text = l->text;
    *size = (size_t)((stop ? stop : l->end) - l->text);
    l->text = stop ? stop + 1 : l->end;
    return 1;
}

static void learn(const char *kind, int tokens, const char *text, size_t size)
{
    attend_learn_options o;
    at_tokenizer *t = NULL;
    attend_error err = {0};
    lines l = {text, text + size};
    at_str out = {0};
    long live = at_alloc_live();
    attend_learn_defaults(&o);
    o.vocabulary = tokens;
    attend_status status = at_tokenizer_learn(kind, (at_line_source){next, &l}, &o, &t, &err);
    require((status == ATTEND_OK) == (t != NULL), "learned or refused");
    require(t || *err.message, "a refusal says why");
    if (t) {
        require(tokens < 0 || at_tokenizer_size(t) <= tokens, "not more pieces than asked for");
        fuzz_encode(t, text, size, &out);
        bool special = memmem(text, size, "<|endoftext|>", 13); /* which plain texts leave out */
        if ((strcmp(kind, "gpt2") == 0 && !special) || strcmp(kind, "bytes") == 0)
            require(out.length == size && memcmp(at_str_text(&out), text, size) == 0,
                    "bytes come back");
    }
    at_str_free(&out);
    at_tokenizer_free(t);
    require(at_alloc_live() == live, "nothing is left in memory");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int tokens = size ? 8 + 2 * data[0] : 8;
    const char *text = size ? (const char *)data + 1 : "";
    size = size ? size - 1 : 0;
    learn("words", tokens, text, size);
    learn("chars", tokens, text, size);
    learn("bytes", -1, text, size);
    learn("wordpiece", tokens, text, size);
    learn("gpt2", 258 + tokens, text, size);
    return 0;
}
