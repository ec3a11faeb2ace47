/* Fuzz target: any bytes as a SentencePiece model. What passes the check must not harm the library
 * that works with it, for any text: the first byte is the size of one, which follows. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "text/sentencepiece.h"

static void require(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

static void work(at_tokenizer *t, const char *text, size_t size)
{
    attend_error err;
    at_tokens p = {0};
    at_str back = {0};
    if (at_encode(t, text, size, &p, &err) >= 0) {
        int32_t *ids = at_alloc((p.count + 1) * sizeof *ids);
        require(ids != NULL, "memory");
        for (size_t i = 0; i < p.count; i++) {
            ids[i] = p.item[i].id;
            require(ids[i] >= 0 && ids[i] < at_tokenizer_size(t), "ids are in range");
            require(p.item[i].begin <= p.item[i].end && p.item[i].end <= size, "so are places");
        }
        at_decode(t, ids, p.count, ATTEND_DECODE_PLAIN, &back, &err);
        at_free(ids);
    }
    at_str_free(&back);
    at_tokens_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    at_sentencepiece *s;
    attend_error err = {0};
    size_t text = size ? data[0] : 0;
    if (size < 1 + text)
        return 0;
    size_t model_size = size - 1 - text;
    char *model = at_alloc(model_size + 1);
    require(model != NULL, "memory");
    memcpy(model, data + 1 + text, model_size);
    if (at_sentencepiece_new(model, model_size, "fuzz", &s, &err) < 0) {
        require(!s && strchr(err.message, ';'), "a message with a remedy");
        return 0;
    }
    work(&s->base, (const char *)data + 1, text);
    at_sentencepiece_follow(&s->base, ATTEND_SPIECE_XLNET, (at_spiece_cleaning){true, false, true});
    work(&s->base, (const char *)data + 1, text);
    at_tokenizer_free(&s->base);
    return 0;
}
