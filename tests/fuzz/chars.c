/* Fuzz target: any bytes as characters and as bytes. Bytes come back as they were; characters do
 * where all are in the vocabulary, as when it was learned from the same text. */
#include "text.h"

typedef struct {
    const char *text;
    size_t size;
    int given;
} one_line;

static int next(void *user, const char **text, size_t *size, attend_error *err)
{
    one_line *l = user;
    (void)err;
    *text = l->text;
    *size = l->size;
    return !l->given++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static at_tokenizer *bytes;
    const char *text = (const char *)data;
    one_line line = {text, size, 0};
    at_tokenizer *chars;
    attend_error err;
    at_str out = {0}, same = {0};
    if (!bytes)
        bytes = fuzz_learn("bytes", NULL);
    fuzz_encode(bytes, text, size, &same);
    require(same.length == size && (!size || memcmp(same.text, text, size) == 0), "bytes are kept");
    require(at_tokenizer_learn("chars", (at_line_source){next, &line}, NULL, &chars, &err)
                == ATTEND_OK,
            "characters are learned");
    fuzz_encode(chars, text, size, &out);
    if (at_utf8_valid(text, size) == size && !memmem(text, size, "\xEF\xBF\xBD", 3))
        require(out.length == size && (!size || memcmp(out.text, text, size) == 0),
                "characters are kept");
    at_tokenizer_free(chars);
    at_str_free(&out);
    at_str_free(&same);
    return 0;
}
