/* Fuzz target: any bytes as a text for a byte-level vocabulary. They come back as they were, before
 * and after words are remembered, with special pieces and without. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "text/gpt2.h"

static void require(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

static int next(void *user, const char **text, size_t *size, attend_error *err)
{
    static const char *const lines[] = {"the cat sat on the mat the cat sat", "'s 's're're   ",
                                        "käse käse 汤姆 汤姆", "aaaaaaaa aaaaaaaa 1212 1212"};
    int *at = user;
    (void)err;
    if (*at == 4)
        return 0;
    *text = lines[(*at)++];
    *size = strlen(*text);
    return 1;
}

static at_tokenizer *tokenizer(void)
{
    static at_tokenizer *t;
    int at = 0;
    if (!t)
        require(at_tokenizer_learn("gpt2", (at_line_source){next, &at}, NULL, &t, NULL) >= 0,
                "learned");
    return t;
}

static void check(const at_tokenizer *t, const char *text, size_t size)
{
    at_tokens p = {0};
    at_str back = {0};
    require(at_encode(t, text, size, &p, NULL) >= 0, "any bytes are cut");
    int32_t *ids = at_alloc((p.count + 1) * sizeof *ids);
    require(ids != NULL, "memory");
    for (size_t i = 0; i < p.count; i++) {
        ids[i] = p.item[i].id;
        require(p.item[i].begin == (i ? p.item[i - 1].end : 0), "pieces follow each other");
    }
    require(at_decode(t, ids, p.count, ATTEND_DECODE_SPECIAL, &back, NULL) >= 0, "decoded");
    require(back.length == size && memcmp(at_str_text(&back), text, size) == 0, "the same bytes");
    at_free(ids);
    at_str_free(&back);
    at_tokens_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    at_tokenizer *t = tokenizer();
    check(t, (const char *)data, size);
    at_gpt2_split_specials(t, true);
    check(t, (const char *)data, size);
    at_gpt2_split_specials(t, false);
    return 0;
}
