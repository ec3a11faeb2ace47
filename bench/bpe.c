/* Pieces of text, on one thread: byte-level BPE, SentencePiece, sentences. The number in a case is
 * megabytes, so that N of it in 100 N ms are 10 MB/s.
 *
 * gpt2_4               encoding, line by line
 * gpt2_words_4         its pattern alone
 * gpt2_decode_4        back to text
 * gpt2_learn_4         8000 pieces from text
 * unigram_1, bpe_1     SentencePiece's two models, 4000 pieces
 * sentences_4          splitting into sentences
 */
#include "text.h"
#include "text/gpt2.h"
#include "text/sentences.h"

typedef struct {
    bench_text text;
    at_str out;
    int32_t *ids;
    size_t count;
} work;

static void learn(work *w, const char *kind, const char *model, int size)
{
    attend_learn_options o;
    size_t whole = w->text.size;
    attend_learn_defaults(&o);
    o.vocabulary = size;
    o.model = model;
    w->text.size = model && whole > 1 << 20 ? 1 << 20 : whole; /* SentencePiece takes its time */
    bench_text_learn(&w->text, kind, &o);
    w->text.size = whole;
}

/* ---- the cases --------------------------------------------------------------------------- */

static void encode(void *arg) { bench_text_encode(&((work *)arg)->text); }

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
    const at_gpt2_tokenizer *g = (const at_gpt2_tokenizer *)w->text.tokenizer;
    const char *line;
    size_t size;
    w->text.at = 0;
    while (bench_text_next(&w->text, &line, &size, NULL) > 0)
        at_gpt2_words_cut(g->words, line, size, take_word, &w->count, NULL);
}

static void decode(void *arg)
{
    work *w = arg;
    at_str_clear(&w->out);
    at_decode(w->text.tokenizer, w->ids, w->count, ATTEND_DECODE_PLAIN, &w->out, NULL);
}

static void learn_again(void *arg)
{
    work *w = arg;
    at_tokenizer_free(w->text.tokenizer);
    learn(w, "gpt2", NULL, 8000);
}

static void split(void *arg)
{
    work *w = arg;
    at_sentences s = at_sentences_of(w->text.text, w->text.size, ATTEND_LANGUAGES_ALL);
    size_t begin, end;
    while (at_sentences_next(&s, &begin, &end))
        w->count += end - begin;
}

static void prepare_decoding(work *w)
{
    at_encode(w->text.tokenizer, w->text.text, w->text.size, &w->text.tokens, NULL);
    w->count = w->text.tokens.count;
    w->ids = at_alloc((w->count + 1) * sizeof *w->ids);
    if (!w->ids)
        bench_die("out of memory", "ids");
    for (size_t i = 0; i < w->count; i++)
        w->ids[i] = w->text.tokens.item[i].id;
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
    bench_text_make(&w.text, (size_t)c.size[0] << 20);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, c.words) != 0)
            continue;
        if (cases[i].kind)
            learn(&w, cases[i].kind, cases[i].model, cases[i].size);
        if (cases[i].run == decode)
            prepare_decoding(&w);
        bench_report(&c, (bench_work){.bytes = (double)w.text.size}, cases[i].run, &w);
        at_tokenizer_free(w.text.tokenizer);
        at_tokens_free(&w.text.tokens);
        at_str_free(&w.out);
        at_free(w.ids);
        at_free(w.text.text);
        return 0;
    }
    bench_die("there is no such case", c.name);
}
