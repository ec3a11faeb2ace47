/* Pieces of text, on one thread: byte-level BPE, SentencePiece, sentences. The number in a case is
 * megabytes, so that N of it in 100 N ms are 10 MB/s.
 *
 * gpt2_4               encoding, line by line
 * gpt2_words_4         its pattern alone
 * gpt2_decode_4        back to text
 * gpt2_learn_4         8000 pieces from text
 * unigram_1, bpe_1     SentencePiece's two models, 4000 pieces
 * sentences_4          splitting into sentences
 *
 * The text is made up: words of syllables, each the rarer the later it was invented, as in any
 * language. With BENCH_TEXT=FILE it is that file's, repeated or cut. */
#include <math.h>

#include "base/file.h"
#include "base/str.h"
#include "bench.h"
#include "text/gpt2.h"
#include "text/sentences.h"

typedef struct {
    char *text;
    size_t size, at;
    at_tokenizer *tokenizer;
    at_pieces pieces;
    at_str out;
    int32_t *ids;
    size_t count;
} work;

/* ---- the text ---------------------------------------------------------------------------- */

enum { WORDS = 30000 };

static void add_word(at_str *out, uint32_t word)
{
    static const char *const syllables[] = {"ta",  "ri", "no",  "es", "qua",  "lin", "mo", "der",
                                            "che", "an", "ber", "si", "tion", "ly",  "u",  "ing"};
    at_random r = {.seed = word};
    uint32_t count = 1 + at_random_below(r, 0, word < 200 ? 2 : 4);
    for (uint32_t i = 0; i < count; i++)
        at_str_add(out, syllables[at_random_below(r, i + 1, 16)]);
}

/* the n-th most frequent word comes 1/n as often as the first */
static void make_line(at_str *out, uint32_t line)
{
    at_random r = {.seed = 7, .step = line};
    uint32_t words = 5 + at_random_below(r, 0, 25);
    for (uint32_t i = 0; i < words; i++) {
        size_t start = out->length;
        uint32_t word = (uint32_t)exp(at_random_uniform(r, 3 * i + 1) * log(WORDS));
        at_str_add(out, i ? " " : "");
        if (at_random_below(r, 3 * i + 2, 40) == 0)
            at_str_print(out, "%u", (unsigned)word);
        else
            add_word(out, word);
        if (i == 0 && out->text[start] >= 'a')
            out->text[start] = (char)(out->text[start] - 'a' + 'A');
        if (at_random_below(r, 3 * i + 3, 9) == 0)
            at_str_add(out, ",");
    }
    at_str_add(out, ".\n");
}

static void make_text(work *w, size_t size)
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
            make_line(&text, line);
    }
    at_free(file);
    w->text = at_str_take(&text);
    w->size = size;
    if (!w->text)
        bench_die("out of memory", "text");
}

static int next_line(void *user, const char **line, size_t *size, attend_error *err)
{
    work *w = user;
    (void)err;
    if (w->at >= w->size)
        return 0;
    *line = w->text + w->at;
    const char *end = memchr(*line, '\n', w->size - w->at);
    *size = end ? (size_t)(end - *line) : w->size - w->at;
    w->at += *size + 1;
    return 1;
}

static void learn(work *w, const char *kind, const char *model, int size)
{
    at_learn_options o;
    attend_error err;
    size_t whole = w->size;
    at_learn_defaults(&o);
    o.size = size;
    o.model = model;
    w->at = 0;
    w->size = model && whole > 1 << 20 ? 1 << 20 : whole; /* SentencePiece takes its time */
    if (at_tokenizer_learn(kind, (at_lines){next_line, w}, &o, &w->tokenizer, &err) < 0)
        bench_die(err.message, kind);
    w->size = whole;
}

/* ---- the cases --------------------------------------------------------------------------- */

static void encode(void *arg)
{
    work *w = arg;
    const char *line;
    size_t size;
    w->at = 0;
    while (next_line(w, &line, &size, NULL) > 0) {
        at_pieces_clear(&w->pieces);
        if (at_encode(w->tokenizer, line, size, &w->pieces, NULL) < 0)
            bench_die("encoding failed", "encode");
    }
}

static bool take_word(void *user, size_t begin, size_t size, bool valid)
{
    (void)begin;
    (void)valid;
    *(size_t *)user += size;
    return true;
}

static void cut_words(void *arg)
{
    work *w = arg;
    const at_gpt2 *g = (const at_gpt2 *)w->tokenizer;
    const char *line;
    size_t size;
    w->at = 0;
    while (next_line(w, &line, &size, NULL) > 0)
        at_gpt2_words_cut(g->words, line, size, take_word, &w->count, NULL);
}

static void decode(void *arg)
{
    work *w = arg;
    at_str_clear(&w->out);
    at_decode(w->tokenizer, w->ids, w->count, ATTEND_DECODE_PLAIN, &w->out, NULL);
}

static void learn_again(void *arg)
{
    work *w = arg;
    at_tokenizer_free(w->tokenizer);
    learn(w, "gpt2", NULL, 8000);
}

static void split(void *arg)
{
    work *w = arg;
    at_sentences s = at_sentences_of(w->text, w->size, ATTEND_LANGUAGES_ALL);
    size_t begin, end;
    while (at_sentences_next(&s, &begin, &end))
        w->count += end - begin;
}

static void prepare_decoding(work *w)
{
    at_encode(w->tokenizer, w->text, w->size, &w->pieces, NULL);
    w->count = w->pieces.count;
    w->ids = at_alloc((w->count + 1) * sizeof *w->ids);
    if (!w->ids)
        bench_die("out of memory", "ids");
    for (size_t i = 0; i < w->count; i++)
        w->ids[i] = w->pieces.item[i].id;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name, *kind, *model;
        int size;
        bench_run *run;
    } cases[] = {{"gpt2", "gpt2", NULL, 8000, encode},
                 {"gpt2_words", "gpt2", NULL, 300, cut_words},
                 {"gpt2_decode", "gpt2", NULL, 8000, decode},
                 {"gpt2_learn", "gpt2", NULL, 8000, learn_again},
                 {"unigram", "sentencepiece", "unigram", 4000, encode},
                 {"bpe", "sentencepiece", "bpe", 4000, encode},
                 {"sentences", NULL, NULL, 0, split}};
    bench_case c = bench_arguments(argc, argv);
    work w = {0};
    bench_need_sizes(&c, 1);
    make_text(&w, (size_t)c.size[0] << 20);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, c.words) != 0)
            continue;
        if (cases[i].kind)
            learn(&w, cases[i].kind, cases[i].model, cases[i].size);
        if (cases[i].run == decode)
            prepare_decoding(&w);
        bench_report(&c, (bench_work){.bytes = (double)w.size}, cases[i].run, &w);
        at_tokenizer_free(w.tokenizer);
        at_pieces_free(&w.pieces);
        at_str_free(&w.out);
        at_free(w.ids);
        at_free(w.text);
        return 0;
    }
    bench_die("there is no such case", c.name);
}
