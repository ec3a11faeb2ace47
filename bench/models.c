/* Whole training steps: forward, backward, optimiser, on a batch that is there. Each is the model
 * that the peer script calls by the same name.
 *
 * a   Keras' tutorial: two GRU layers of 1024, additive attention of 1024, vocabulary 5000; the
 *     peer computes keys and outputs anew at each step, as tutorials do; a_smart: once
 * b   Bahdanau: GRU 256 in both directions, additive attention of 256, vocabulary 8000
 * c   Luong: two LSTM layers of 512, bilinear attention, input feeding, vocabulary 8000
 *     all three: batches of 64, 16 words on each side, Adam
 * k   a character model: one-hot 256, GRU 512, softmax over 256, batch 64 of 32 steps, Adam
 *
 * A new one is a function that builds its loss, one that counts its products, a row in `models`,
 * and a line in bench/cases. */
#include "bench.h"
#include "models/translator.h"
#include "nn/layers.h"
#include "train/trainer.h"

typedef struct {
    const char *name, *optimiser;
    int ids, below; /* how many random ids the batch has: words in, words out */
    at_tensor *(*loss)(at_tape *t, const int *ids, int first, int rows);
    double (*flops)(void); /* of the products that a step cannot do without */
} model;

/* the mean over the n words of a batch */
static at_cross_entropy_options over(int n)
{
    return (at_cross_entropy_options){.ignore = -100, .divisor = (real)n};
}

/* ---- k ------------------------------------------------------------------------------------ */

enum { K_BATCH = 64, K_STEPS = 32, K_WORDS = 256, K_WIDTH = 512, K_IDS = K_BATCH * K_STEPS };

static at_tensor *one_hot(at_tape *t, at_shape shape, int n, const int *ids)
{
    int classes = at_shape_last(shape);
    at_tensor *x = at_zeros(t, shape);
    for (int i = 0; i < n && !at_failed(t); i++)
        x->value[(size_t)i * (size_t)classes + (size_t)ids[i]] = 1;
    return x;
}

static at_tensor *k_loss(at_tape *t, const int *ids, int first, int rows)
{
    const int *in = ids + first * K_STEPS, *to = in + K_IDS;
    at_path out = at_in(at_root(), "out");
    at_init small = INIT_UNIFORM((real)0.04);
    at_tensor *x = one_hot(t, SHAPE(rows, K_STEPS, K_WORDS), rows * K_STEPS, in);
    at_stack_options gru = {.cell = ATTEND_GRU, .hidden = K_WIDTH, .layers = 1};
    at_tensor *y = at_recurrent_stack(t, at_in(at_root(), "gru"), x, NULL, &gru).output;
    return at_linear_cross_entropy(t, y, at_param(t, out, "weight", SHAPE(K_WORDS, K_WIDTH), small),
                                   at_param(t, out, "bias", SHAPE(K_WORDS), small), ATTEND_OUT_IN,
                                   (at_ids){SHAPE(rows, K_STEPS), to}, over(K_IDS));
}

/* the one-hot input wants no gradient */
static double k_flops(void)
{
    double input = 3.0 * K_WIDTH * K_WORDS, state = 3.0 * K_WIDTH * K_WIDTH;
    double output = (double)K_WIDTH * K_WORDS;
    return 2.0 * K_IDS * (2 * input + 3 * state + 3 * output);
}

/* ---- a, b, c: translators ----------------------------------------------------------------- */

enum { BATCH = 64, WORDS = 16, SIDE = BATCH * WORDS };

static at_seq2seq translator(const char *preset, int hidden, int embedding, int layers, int words)
{
    attend_error err;
    at_translator s;
    at_seq2seq m;
    if (at_translator_preset(&s, preset, &err) < 0)
        bench_die(err.message, preset);
    s.hidden = hidden;
    s.embedding = embedding;
    s.layers = layers;
    s.dropout = 0;
    if (at_translator_model(&s, words, words, &m, &err) < 0)
        bench_die(err.message, preset);
    return m;
}

/* ids: the source, the words before, the words that come */
static at_tensor *translator_loss(at_tape *t, const at_seq2seq *m, const int *ids, int first,
                                  int rows)
{
    ids += first * WORDS;
    at_shape shape = SHAPE(rows, WORDS);
    at_source e = at_seq2seq_encode(t, m, (at_ids){shape, ids}, NULL);
    at_decoder state = at_seq2seq_start(m, &e);
    at_decoded d = at_seq2seq_decode(t, m, &e, &state, (at_ids){shape, ids + SIDE}, false);
    return at_seq2seq_loss(t, m, d.features, (at_ids){shape, ids + 2 * SIDE}, over(SIDE));
}

static at_tensor *a_loss(at_tape *t, const int *ids, int first, int rows)
{
    at_seq2seq m = translator("keras", 1024, 256, 2, 5000);
    return translator_loss(t, &m, ids, first, rows);
}

static at_tensor *b_loss(at_tape *t, const int *ids, int first, int rows)
{
    at_seq2seq m = translator("bahdanau", 256, 256, 1, 8000);
    return translator_loss(t, &m, ids, first, rows);
}

static at_tensor *c_loss(at_tape *t, const int *ids, int first, int rows)
{
    at_seq2seq m = translator("luong", 512, 512, 2, 8000);
    return translator_loss(t, &m, ids, first, rows);
}

/* products of one word on each side: forward, and twice that backward */
static double times(double multiply_adds) { return 6.0 * SIDE * multiply_adds; }

static double a_flops(void)
{
    double E = 256, H = 1024, V = 5000;
    return times(3 * H * (E + H) + 3 * H * 2 * H + H * H /* keys */ + H * H /* query */
                 + 2.0 * WORDS * H + 3 * H * (E + 2 * H) + H * V);
}

static double b_flops(void)
{
    double E = 256, H = 256, V = 8000;
    return times(2 * 3 * H * (E + H) + 2 * H * H + H * H + WORDS * 3 * H + 3 * H * (E + 3 * H)
                 + (E + 3 * H) * E + E * V);
}

static double c_flops(void)
{
    double H = 512, V = 8000;
    return times(2 * 4 * H * 2 * H + H * H + 2.0 * WORDS * H + 4 * H * 3 * H + 4 * H * 2 * H
                 + 2 * H * H + H * V);
}

static const model models[] = {
    {"a", "adam:lr=1e-3", 3 * SIDE, 5000, a_loss, a_flops},
    {"a_smart", "adam:lr=1e-3", 3 * SIDE, 5000, a_loss, a_flops},
    {"b", "adam:lr=1e-3", 3 * SIDE, 8000, b_loss, b_flops},
    {"c", "adam:lr=1e-3", 3 * SIDE, 8000, c_loss, c_flops},
    {"k", "adam:lr=1e-3", 2 * K_IDS, K_WORDS, k_loss, k_flops},
};

/* ---- one step ----------------------------------------------------------------------------- */

typedef struct {
    const model *model;
    const int *ids;
    at_trainer *trainer;
    int shards, first[65];
} training;

static at_tensor *shard_loss(void *arg, at_tape *t, int shard)
{
    const training *s = arg;
    int first = s->first[shard];
    return s->model->loss(t, s->ids, first, s->first[shard + 1] - first);
}

static void step(void *arg)
{
    training *s = arg;
    attend_error err;
    at_step_result r;
    if (at_trainer_step(s->trainer, s->shards, s->first, shard_loss, s, &r, &err) < 0)
        bench_die(err.message, s->model->name);
}

static const model *find(const char *name)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (!strcmp(models[i].name, name))
            return &models[i];
    bench_die("no such case", name);
    return NULL;
}

int main(int argc, char **argv)
{
    bench_case c = bench_arguments(argc, argv);
    const model *m = find(c.name);
    attend_error err;
    at_trainer_options options = {.accumulate = 1};
    at_params *params = at_params_new(1);
    if (!params)
        bench_die("out of memory", c.name);
    int *ids = bench_ids((size_t)m->ids, m->below);
    training s = {.model = m, .ids = ids, .shards = 1};
    for (int i = 0; i <= s.shards; i++)
        s.first[i] = BATCH * i / s.shards;
    if (at_rate_parse(&options.rate, "constant", 1e-3, &err) < 0
        || at_optim_options_parse(&options.optim, m->optimiser, &err) < 0
        || at_trainer_new(params, &options, &s.trainer, &err) < 0)
        bench_die(err.message, c.name);
    bench_report(&c, (bench_work){.flops = m->flops()}, step, &s);
    at_trainer_free(s.trainer);
    at_params_free(params);
    at_free(ids);
    return 0;
}
