/* Fuzz target: any bytes as pieces, blanks between them, that are joined to text by every kind
 * whose vocabulary is quickly made; and any numbers as ids. Both give a text or say why not. */
#include "text.h"

enum { KINDS = 5, MOST = 4096 };

static void require_told(attend_status status, const attend_error *err)
{
    require(status == ATTEND_OK || status == ATTEND_OPTION || status == ATTEND_FORMAT,
            "nothing else can go wrong");
    require(status == ATTEND_OK || *err->message, "a refusal says why");
}

static size_t cut(const char *text, size_t size, at_text tokens[MOST])
{
    size_t count = 0;
    for (size_t at = 0; at < size && count < MOST;) {
        const char *blank = memchr(text + at, ' ', size - at);
        size_t length = blank ? (size_t)(blank - text) - at : size - at;
        if (length)
            tokens[count++] = (at_text){text + at, length};
        at += length + 1;
    }
    return count;
}

static void decode(const at_tokenizer *t, const uint8_t *data, size_t size)
{
    int32_t ids[256];
    size_t count = 0;
    at_str out = {0};
    attend_error err;
    for (; count < 256 && count < size; count++)
        ids[count] = data[count] - 1;
    require_told(at_decode(t, ids, count, size % 2 ? ATTEND_DECODE_PLAIN : ATTEND_DECODE_SPECIAL,
                           &out, &err),
                 &err);
    at_str_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[KINDS] = {"words", "chars", "bytes", "wordpiece", "gpt2"};
    static at_tokenizer *t[KINDS];
    static at_text tokens[MOST];
    size_t count = cut((const char *)data, size, tokens);
    for (int i = 0; i < KINDS; i++) {
        at_str out = {0};
        attend_error err;
        if (!t[i])
            t[i] = fuzz_learn(names[i], NULL);
        require_told(at_join(t[i], tokens, count, &out, &err), &err);
        at_str_free(&out);
        decode(t[i], data, size);
    }
    return 0;
}
