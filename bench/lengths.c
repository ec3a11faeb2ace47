/* What a word costs as sentences grow: training steps of three presets (hidden 256, vocabulary
 * 8000) on sentences of n words on each side, as many words in a batch whatever n is. Microseconds
 * for each target word as a table and as a figure.
 *
 *     bench-lengths [--most N] [--secs S] [--threads N] [--figure FILE]
 *
 * A word's products are the same for all n, but that attention reads n positions for each: 3 n H
 * multiply-adds forward with additive scores, 2 n H with a bilinear one, and 2 (2D + 1) H within a
 * window. Without attention nothing grows. */
#include "bench.h"
#include "models/translator.h"
#include "train/trainer.h"

enum { VOCABULARY = 8000, HIDDEN = 256, BATCH_WORDS = 2048, FIRST = 8, MOST_SIZES = 8 };

static const struct {
    const char *preset, *attention, *name;
} models[] = {{"bahdanau", NULL, "additive"},
              {"luong", "bilinear", "bilinear"},
              {"luong", "bilinear/window:5", "bilinear/window:5"},
              {"rnn-encdec", NULL, "no attention"}};
enum { MODELS = sizeof models / sizeof *models };

typedef struct {
    at_seq2seq model;
    int words, rows; /* of a sentence; sentences */
    const int *ids;  /* the source, the words before, the words that come */
    at_trainer *trainer;
} training;

static at_tensor *loss(void *arg, at_tape *t, int shard)
{
    const training *s = arg;
    at_shape shape = SHAPE(s->rows, s->words);
    int side = s->rows * s->words;
    (void)shard;
    at_source e = at_seq2seq_encode(t, &s->model, (at_ids){shape, s->ids}, NULL);
    at_decoder state = at_seq2seq_start(&s->model, &e);
    at_decoded d = at_seq2seq_decode(t, &s->model, &e, &state, (at_ids){shape, s->ids + side},
                                     false);
    at_cross_entropy_options mean = {.ignore = -100, .divisor = (real)side};
    return at_seq2seq_loss(t, &s->model, d.features, (at_ids){shape, s->ids + 2 * side}, mean);
}

static void step(void *arg)
{
    training *s = arg;
    attend_error err;
    at_step_result r;
    int first[] = {0, s->rows};
    if (at_trainer_step(s->trainer, 1, first, loss, s, &r, &err) < 0)
        bench_die(err.message, "bench-lengths");
}

static at_seq2seq describe(int which)
{
    attend_error err;
    at_translator s;
    at_seq2seq m;
    if (at_translator_preset(&s, models[which].preset, &err) < 0)
        bench_die(err.message, models[which].preset);
    s.hidden = s.embedding = HIDDEN;
    s.layers = 1;
    s.dropout = 0;
    if (models[which].attention)
        s.attention = models[which].attention;
    if (at_translator_model(&s, VOCABULARY, VOCABULARY, &m, &err) < 0)
        bench_die(err.message, models[which].name);
    return m;
}

/* microseconds a target word */
static double measure(int which, int words, double secs)
{
    static double took[BENCH_MAX_RUNS];
    attend_error err;
    at_trainer_options o = {.accumulate = 1};
    at_params *params = at_params_new(1);
    int rows = BATCH_WORDS / words;
    int *ids = bench_ids((size_t)(3 * rows * words), VOCABULARY);
    training s = {.model = describe(which), .words = words, .rows = rows, .ids = ids};
    if (!params || at_rate_parse(&o.rate, "constant", 1e-3, &err) < 0
        || at_optim_options_parse(&o.optim, "adam", &err) < 0
        || at_trainer_new(params, &o, &s.trainer, &err) < 0)
        bench_die("cannot begin", models[which].name);
    step(&s);
    step(&s);
    double us = 1e6 * bench_median(bench_repeat(secs, step, &s, took, NULL), took) / (rows * words);
    at_trainer_free(s.trainer);
    at_params_free(params);
    at_free(ids);
    return us;
}

static void draw(int sizes, const double *n, double us[MODELS][MOST_SIZES], const char *path)
{
    attend_error err;
    attend_series series[MODELS];
    for (int i = 0; i < MODELS; i++)
        series[i] = (attend_series){.name = models[i].name,
                                    .style = ATTEND_SERIES_BOTH,
                                    .count = (size_t)sizes,
                                    .x = n,
                                    .y = us[i]};
    attend_chart chart = {.title = "training, a word",
                          .x_title = "words in a sentence",
                          .y_title = "microseconds",
                          .count = MODELS,
                          .series = series};
    attend_panel panel = {.chart = &chart};
    attend_figure figure = {.count = 1, .panels = &panel};
    if (attend_figure_save(&figure, path, &err) < 0)
        bench_die(err.message, path);
}

int main(int argc, char **argv)
{
    bench_curve c = {.most = 256, .threads = 2, .secs = 1};
    double n[MOST_SIZES], us[MODELS][MOST_SIZES];
    int sizes = 0;
    bench_curve_arguments(argc, argv, &c);
    printf("| words | additive | bilinear | bilinear/window:5 | no attention |\n"
           "|--:|--:|--:|--:|--:|\n");
    for (int words = FIRST; words <= c.most && sizes < MOST_SIZES; words *= 2, sizes++) {
        n[sizes] = words;
        printf("| %d |", words);
        for (int i = 0; i < MODELS; i++) {
            us[i][sizes] = measure(i, words, c.secs);
            printf(" %.1f µs |", us[i][sizes]);
            fflush(stdout);
        }
        printf("\n");
    }
    if (c.figure)
        draw(sizes, n, us, c.figure);
    return 0;
}
