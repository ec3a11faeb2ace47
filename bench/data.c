/* Corpora: reading, checking, encoding, and what a batch costs. The number in a case is megabytes
 * of sentence pairs, or sentences in a batch.
 *
 * data_read_8      sentence pairs into a corpus; data_gzip_8: packed by gzip
 * data_check_8     every check of `attend data check`
 * data_encode_8    both sides into words
 * data_plan_64     which sentences make which batch, for an epoch of 100,000 pairs
 * data_batch_64    a batch of pairs, with its part of the plan
 * data_mask_64     a batch of text with its masks: 15 %, whole words
 * data_permute_64  the same for permutation language modelling
 *
 * A training step costs data_batch and its part of data_plan, which is for 1563 batches. */
#include <unistd.h>
#include <zlib.h>

#include "bench.h"
#include "data/check.h"
#include "data/masking.h"
#include "data/permute.h"

enum { PAIRS = 100000 };

typedef struct {
    at_str text, gzip;
    char path[64];
    at_corpus *corpus;
    at_tokenizer *tokenizer;
    at_encoded *encoded;
    at_encoded_supply supply;
    at_plan_options plan;
    at_batches *batches;
    at_arena arena;
    uint32_t epoch;
} work;

static void must(attend_status status, const attend_error *err)
{
    if (status < 0)
        bench_die(err->message, "bench-data");
}

/* ---- text ------------------------------------------------------------------------------- */

/* Words as frequent as in a language: word k is drawn about 1/k as often as the first. */
static void sentence(at_str *out, uint32_t number, const char *end)
{
    at_random place = {.seed = 1, .step = number, .use = at_random_name(end)};
    uint32_t words = 3 + at_random_below(place, 0, 12);
    for (uint32_t i = 1; i <= words; i++) {
        double u = at_random_uniform(place, i);
        unsigned k = (unsigned)(5000 * u * u * u * u);
        at_str_print(out, "%s%c%c%c%s", i > 1 ? " " : "", 'a' + k % 26, 'a' + k / 26 % 26,
                     'a' + k / 676, end);
    }
}

static void make_text(work *w, size_t bytes, uint32_t pairs)
{
    for (uint32_t i = 0; w->text.length < bytes || i < pairs; i++) {
        sentence(&w->text, i, "a");
        at_str_add(&w->text, "\t");
        sentence(&w->text, i, "oé");
        at_str_add(&w->text, "\n");
    }
    if (w->text.failed)
        bench_die("out of memory", "bench-data");
}

static void pack(work *w)
{
    z_stream z = {0};
    size_t room = w->text.length + 1024;
    w->gzip.text = at_alloc(room);
    if (!w->gzip.text || deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, 0) != Z_OK)
        bench_die("out of memory", "bench-data");
    z.next_in = (unsigned char *)w->text.text;
    z.avail_in = (unsigned)w->text.length;
    z.next_out = (unsigned char *)w->gzip.text;
    z.avail_out = (unsigned)room;
    deflate(&z, Z_FINISH);
    w->gzip.length = z.total_out;
    deflateEnd(&z);
}

/* ---- runs ------------------------------------------------------------------------------- */

static at_corpus *read_pairs(const at_str *bytes)
{
    attend_error err;
    at_stream *stream;
    at_example_reader *r;
    at_corpus *c;
    must(at_stream_memory("pairs", bytes->text, bytes->length, &stream, &err), &err);
    must(at_examples_start(stream, NULL, NULL, &r, &err), &err);
    must(at_corpus_new(0, &c, &err), &err);
    must(at_corpus_read(c, r, &err), &err);
    must(at_corpus_close(c, &err), &err);
    at_examples_close(r);
    return c;
}

static void run_read(void *arg) { at_corpus_free(read_pairs(&((work *)arg)->text)); }
static void run_gzip(void *arg) { at_corpus_free(read_pairs(&((work *)arg)->gzip)); }

static void run_check(void *arg)
{
    const char *path = ((work *)arg)->path;
    at_check_options o;
    at_check *c;
    attend_error err;
    at_check_defaults(&o);
    must(at_check_files(&path, 1, &o, &c, &err), &err);
    at_check_free(c);
}

static void encode(work *w)
{
    attend_error err;
    at_encode_options o = {.source = w->tokenizer,
                           .source_frame = ATTEND_FRAME_INPUT,
                           .target_frame = ATTEND_FRAME_OUTPUT,
                           .max_source = 50,
                           .max_target = 50};
    must(at_encode_corpus(w->corpus, &o, &w->encoded, &err), &err);
}

static void run_encode(void *arg)
{
    work *w = arg;
    encode(w);
    at_encoded_free(w->encoded);
}

static void run_plan(void *arg)
{
    work *w = arg;
    at_plan p;
    attend_error err;
    must(at_plan_make(&p, at_encoded_size(w->encoded), at_encoded_lengths(w->encoded, 0),
                      at_encoded_lengths(w->encoded, 1), &w->plan, w->epoch++, &err),
         &err);
    at_plan_free(&p);
}

static at_batch next_batch(work *w)
{
    at_batch b;
    attend_error err;
    at_arena_reset(&w->arena);
    must(at_batches_next(w->batches, &w->arena, &b, &err), &err);
    return b;
}

static void run_batch(void *arg) { next_batch(arg); }

static void run_mask(void *arg)
{
    work *w = arg;
    at_batch b = next_batch(w);
    at_masking m;
    int *targets;
    attend_error err;
    at_masking_defaults(&m, w->tokenizer);
    m.whole_words = true;
    must(at_mask_tokens(&b, &m, &w->arena, &targets, &err), &err);
}

static void run_permute(void *arg)
{
    work *w = arg;
    at_batch b = next_batch(w);
    at_permuting p;
    at_permutation out;
    attend_error err;
    at_permuting_defaults(&p, w->tokenizer);
    must(at_permute(&b, &p, &w->arena, &out, &err), &err);
}

/* ---- setting up ------------------------------------------------------------------------- */

static void learn(work *w)
{
    attend_error err;
    at_corpus_walk walk = {.corpus = w->corpus, .sources = true, .targets = true};
    must(at_tokenizer_learn("words", at_corpus_lines(&walk), NULL, &w->tokenizer, &err), &err);
    if (!at_tokenizer_add_special(w->tokenizer, ATTEND_SPECIAL_MASK, "<mask>"))
        bench_die("out of memory", "bench-data");
}

static void make_batches(work *w, size_t sentences)
{
    attend_error err;
    encode(w);
    w->plan = (at_plan_options){.sentences = sentences, .seed = 1};
    w->supply = (at_encoded_supply){.data = w->encoded};
    at_arena_init(&w->arena, 1 << 20);
    must(at_batches_new(at_supply_encoded(&w->supply), &w->plan, &w->batches, &err), &err);
    fprintf(stderr, "%zu batches an epoch, %.2f %% padding\n", at_batches_in_epoch(w->batches),
            100 * at_batches_padding(w->batches));
}

static void write_file(work *w)
{
    snprintf(w->path, sizeof w->path, "/tmp/attend-bench-%d.tsv", (int)getpid());
    FILE *f = fopen(w->path, "wb");
    if (!f || fwrite(w->text.text, 1, w->text.length, f) != w->text.length || fclose(f) != 0)
        bench_die("cannot write", w->path);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        bench_run *run;
        bool batch;
    } all[] = {{"data_read", run_read, false},   {"data_gzip", run_gzip, false},
               {"data_check", run_check, false}, {"data_encode", run_encode, false},
               {"data_plan", run_plan, true},    {"data_batch", run_batch, true},
               {"data_mask", run_mask, true},    {"data_permute", run_permute, true}};
    bench_case c = bench_arguments(argc, argv);
    work w = {0};
    size_t i = 0;
    bench_need_sizes(&c, 1);
    while (i < sizeof all / sizeof *all && strcmp(all[i].name, c.words) != 0)
        i++;
    if (i == sizeof all / sizeof *all)
        bench_die("no such case", c.name);
    make_text(&w, all[i].batch ? 0 : (size_t)c.size[0] << 20, all[i].batch ? PAIRS : 0);
    w.corpus = read_pairs(&w.text);
    learn(&w);
    if (all[i].run == run_gzip)
        pack(&w);
    if (all[i].run == run_check)
        write_file(&w);
    if (all[i].batch)
        make_batches(&w, (size_t)c.size[0]);
    bench_report(&c, (bench_work){.bytes = all[i].batch ? 0 : (double)w.text.length}, all[i].run,
                 &w);
    if (*w.path)
        remove(w.path);
    return 0;
}
