/* Fuzz target: a vocabulary, a list of merges and a text, with a zero byte between each, as files
 * of the kind gpt2. What is taken cuts the text, every byte once. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "text/gpt2.h"
#include "text/hf_json.h"

static void require(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

/* the bytes up to the next zero byte, which *data then stands behind */
static const char *part(const uint8_t **data, size_t *left, size_t *size)
{
    const uint8_t *start = *data, *zero = memchr(start, 0, *left);
    *size = zero ? (size_t)(zero - start) : *left;
    *left -= *size + (zero ? 1 : 0);
    *data = start + *size + (zero ? 1 : 0);
    return (const char *)start;
}

static void cut(const at_gpt2_tokenizer *g, const char *text, size_t size)
{
    attend_error err;
    at_tokens p = {0};
    size_t end = 0;
    require(at_encode(&g->base, text, size, &p, &err) >= 0, "any text is cut");
    for (size_t i = 0; i < p.count; i++) {
        require(p.item[i].id >= 0 && p.item[i].id < at_tokenizer_size(&g->base),
                "ids are in range");
        require(p.item[i].begin == end && p.item[i].end > end, "pieces follow each other");
        end = p.item[i].end;
    }
    require(end == size, "all bytes are in a piece");
    at_tokens_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t vocab_size, merges_size;
    attend_error err;
    at_gpt2_tokenizer *g;
    json_t *vocab;
    const char *text = part(&data, &size, &vocab_size);
    const char *merges = part(&data, &size, &merges_size);
    if (at_json_parse("vocab.json", text, vocab_size, &vocab, &err) < 0)
        return 0;
    require(at_gpt2_new(&g, &err) >= 0, "memory");
    attend_status status = at_hf_read_vocab(g->base.vocab, vocab, "vocab.json", &err);
    if (status >= 0)
        status = at_gpt2_read_merge_lines(g, merges, merges_size, "merges.txt", &err);
    if (status >= 0)
        status = at_gpt2_finish(g, "vocab.json", &err);
    if (status >= 0)
        cut(g, (const char *)data, size);
    else
        require(status == ATTEND_FORMAT && strchr(err.message, ';'), "a message with a remedy");
    json_decref(vocab);
    at_tokenizer_free(&g->base);
    return 0;
}
