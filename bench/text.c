/* Text into words, WordPiece, characters and bytes, line by line on one thread. The number in a
 * case is megabytes: N of them in 50 N ms are 20 MB/s.
 *
 * words_4, wordpiece_4, chars_4, bytes_4   encoding, with what earlier runs left in the cache
 * words_cold_4, wordpiece_cold_4           with an empty cache
 * words_learn_4, wordpiece_learn_4         a vocabulary; of wordpiece, 8000 pieces
 */
#include "text.h"

typedef struct {
    bench_text text;
    const char *kind;
    json_t *json; /* the tokenizer as a file would have it */
} work;

static attend_learn_options settings(const char *kind)
{
    attend_learn_options o;
    attend_learn_defaults(&o);
    if (strcmp(kind, "wordpiece") == 0) {
        o.vocabulary = 8000;
        o.lower = 1;
    }
    return o;
}

static void learn(void *arg)
{
    work *w = arg;
    attend_learn_options o = settings(w->kind);
    at_tokenizer_free(w->text.tokenizer);
    bench_text_learn(&w->text, w->kind, &o);
}

static void encode(void *arg) { bench_text_encode(&((work *)arg)->text); }

/* makes the tokenizer anew, which is a small part of the time */
static void encode_cold(void *arg)
{
    work *w = arg;
    attend_error err;
    at_tokenizer_free(w->text.tokenizer);
    if (at_tokenizer_read(w->json, w->kind, &w->text.tokenizer, &err) < 0)
        bench_die(err.message, w->kind);
    bench_text_encode(&w->text);
}

static bool cut_end(char *words, const char *end)
{
    size_t n = strlen(words), m = strlen(end);
    if (n < m || strcmp(words + n - m, end) != 0)
        return false;
    words[n - m] = 0;
    return true;
}

int main(int argc, char **argv)
{
    bench_case c = bench_arguments(argc, argv);
    work w = {.kind = c.words};
    bench_need_sizes(&c, 1);
    bench_text_make(&w.text, (size_t)c.size[0] << 20);
    bool cold = cut_end(c.words, "_cold"), learning = cut_end(c.words, "_learn");
    learn(&w);
    if (cold && !(w.json = w.text.tokenizer->kind->write(w.text.tokenizer)))
        bench_die("out of memory", w.kind);
    bench_report(&c, (bench_work){.bytes = (double)w.text.size},
                 learning ? learn
                 : cold   ? encode_cold
                          : encode,
                 &w);
    return 0;
}
