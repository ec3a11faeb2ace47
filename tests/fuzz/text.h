/* What the fuzz targets of tokenizers share: a tokenizer from a few lines, and what holds for the
 * pieces of any text. */
#ifndef ATTEND_FUZZ_TEXT_H
#define ATTEND_FUZZ_TEXT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "text/tokenizer.h"

static inline void require(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

static inline int fuzz_line(void *user, const char **text, size_t *size, attend_error *err)
{
    static const char *const story[] = {
        "The cat sat on the mat, and the dog sat on the cat.", "\"Don't!\" l'homme (x) a/b 3.14",
        "那只猫坐在垫子上。これは", "\xC3\xA9t\xC3\xA9 \xC3\x89T\xC3\x89 e\xCC\x81 the The THE"};
    size_t *at = user;
    (void)err;
    if (*at == sizeof story / sizeof *story)
        return 0;
    *text = story[(*at)++];
    *size = strlen(*text);
    return 1;
}

static inline at_tokenizer *fuzz_learn(const char *kind, const attend_learn_options *o)
{
    at_tokenizer *t;
    attend_error err;
    size_t at = 0;
    attend_status status = at_tokenizer_learn(kind, (at_line_source){fuzz_line, &at}, o, &t, &err);
    require(status == ATTEND_OK, "a tokenizer is learned");
    return t;
}

/* Encodes a text, checks the pieces, and decodes them into out. */
static inline void fuzz_encode(const at_tokenizer *t, const char *text, size_t size, at_str *out)
{
    at_tokens p = {0};
    attend_error err;
    require(at_encode(t, text, size, &p, &err) == ATTEND_OK, "any text is encoded");
    int32_t *ids = at_alloc((p.count + 1) * sizeof *ids);
    require(ids != NULL, "memory");
    for (size_t i = 0; i < p.count; i++) {
        const at_token *a = &p.item[i];
        require(a->id >= 0 && a->id < at_tokenizer_size(t), "an id is in the vocabulary");
        require(a->begin <= a->end && a->end <= size, "a piece lies in the text");
        require(i == 0 || a->begin >= a[-1].begin, "pieces are in order");
        ids[i] = a->id;
    }
    require((p.invalid > 0) == (at_utf8_valid(text, size) < size), "invalid bytes are counted");
    require(at_decode(t, ids, p.count, ATTEND_DECODE_PLAIN, out, &err) == ATTEND_OK,
            "ids are decoded");
    at_free(ids);
    at_tokens_free(&p);
}

#endif
