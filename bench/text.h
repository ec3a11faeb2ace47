/* The text that benches of tokenizers cut: made up, the same everywhere, or a file's.
 *
 * Words are made of syllables; the n-th most frequent comes 1/n as often as the first, as in any
 * language. With BENCH_TEXT=FILE in the environment it is that file, repeated or cut. */
#ifndef ATTEND_BENCH_TEXT_H
#define ATTEND_BENCH_TEXT_H

#include <math.h>

#include "base/file.h"
#include "base/str.h"
#include "bench.h"
#include "text/tokenizer.h"

enum { BENCH_WORDS = 30000 };

typedef struct {
    char *text;
    size_t size, at; /* at: where the next line begins */
    at_tokenizer *tokenizer;
    at_tokens tokens;
} bench_text;

static inline void bench_add_word(at_str *out, uint32_t word)
{
    static const char *const syllables[] = {"ta",  "ri", "no",  "es", "qua",  "lin", "mo", "der",
                                            "che", "an", "ber", "si", "tion", "ly",  "u",  "ing"};
    at_random r = {.seed = word};
    uint32_t count = 1 + at_random_below(r, 0, word < 200 ? 2 : 4);
    for (uint32_t i = 0; i < count; i++)
        at_str_add(out, syllables[at_random_below(r, i + 1, 16)]);
}

static inline void bench_add_line(at_str *out, uint32_t line)
{
    at_random r = {.seed = 7, .step = line};
    uint32_t words = 5 + at_random_below(r, 0, 25);
    for (uint32_t i = 0; i < words; i++) {
        size_t start = out->length;
        uint32_t word = (uint32_t)exp(at_random_uniform(r, 3 * i + 1) * log(BENCH_WORDS));
        at_str_add(out, i ? " " : "");
        if (at_random_below(r, 3 * i + 2, 40) == 0)
            at_str_print(out, "%u", (unsigned)word);
        else
            bench_add_word(out, word);
        if (i == 0 && out->text[start] >= 'a')
            out->text[start] = (char)(out->text[start] - 'a' + 'A');
        if (at_random_below(r, 3 * i + 3, 9) == 0)
            at_str_add(out, ",");
    }
    at_str_add(out, ".\n");
}

static inline void bench_text_make(bench_text *t, size_t size)
{
    at_str text = {0};
    const char *path = getenv("BENCH_TEXT");
    char *file = NULL;
    size_t bytes;
    attend_error err;
    if (path && at_file_read(path, 1 << 30, &file, &bytes, &err) < 0)
        bench_die(err.message, path);
    for (uint32_t line = 0; text.length < size; line++) {
        if (file && bytes)
            at_str_add_bytes(&text, file, bytes);
        else
            bench_add_line(&text, line);
    }
    at_free(file);
    *t = (bench_text){.text = at_str_take(&text), .size = size};
    if (!t->text)
        bench_die("out of memory", "text");
}

/* the lines of the text, as a tokenizer learns from them; user is a bench_text */
static inline int bench_text_next(void *user, const char **line, size_t *size, attend_error *err)
{
    bench_text *t = user;
    (void)err;
    if (t->at >= t->size)
        return 0;
    *line = t->text + t->at;
    const char *end = memchr(*line, '\n', t->size - t->at);
    *size = end ? (size_t)(end - *line) : t->size - t->at;
    t->at += *size + 1;
    return 1;
}

static inline void bench_text_learn(bench_text *t, const char *kind, const attend_learn_options *o)
{
    attend_error err;
    t->at = 0;
    if (at_tokenizer_learn(kind, (at_line_source){bench_text_next, t}, o, &t->tokenizer, &err) < 0)
        bench_die(err.message, kind);
}

/* Encodes all lines; to be run by bench_report. */
static inline void bench_text_encode(void *arg)
{
    bench_text *t = arg;
    const char *line;
    size_t size;
    t->at = 0;
    while (bench_text_next(t, &line, &size, NULL) > 0) {
        at_tokens_clear(&t->tokens);
        if (at_encode(t->tokenizer, line, size, &t->tokens, NULL) < 0)
            bench_die("encoding failed", "encode");
    }
}

#endif
