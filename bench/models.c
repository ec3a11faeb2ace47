/* Whole training steps: forward, backward, optimiser, on a batch that is there. Each is the model
 * that the peer script calls by the same name.
 *
 * a, b, c, d_tiny, d_base   the translators of translators.h, with the loss of attend train
 * k                         a character model: one-hot 256, GRU 512, softmax over 256, batch 64 of
 *                           32 steps
 *
 * a_smart is a against a peer that computes keys and outputs once; that of a computes them anew at
 * each step, as tutorials do. A new translator is a row of translators.h and a line in bench/cases.
 */
#include "nn/layers.h"
#include "train/translate_loss.h"
#include "training.h"
#include "translators.h"

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

static at_tensor *k_loss(void *ids, at_tape *t, int shard)
{
    (void)shard;
    const int *in = ids, *to = in + K_IDS;
    at_path out = at_in(at_root(), "out");
    at_init small = INIT_UNIFORM((real)0.04);
    at_tensor *x = one_hot(t, SHAPE(K_BATCH, K_STEPS, K_WORDS), K_IDS, in);
    at_stack_options gru = {.cell = ATTEND_GRU, .hidden = K_WIDTH, .layers = 1};
    at_tensor *y = at_recurrent_stack(t, at_in(at_root(), "gru"), x, NULL, &gru).output;
    return at_linear_cross_entropy(
        t, y, at_param(t, out, "weight", SHAPE(K_WORDS, K_WIDTH), small),
        at_param(t, out, "bias", SHAPE(K_WORDS), small), ATTEND_OUT_IN,
        (at_ids){SHAPE(K_BATCH, K_STEPS), to},
        (at_cross_entropy_options){.ignore = -100, .divisor = (real)K_IDS});
}

/* the one-hot input wants no gradient */
static double k_flops(void)
{
    double input = 3.0 * K_WIDTH * K_WORDS, state = 3.0 * K_WIDTH * K_WIDTH;
    double output = (double)K_WIDTH * K_WORDS;
    return 2.0 * K_IDS * (2 * input + 3 * state + 3 * output);
}

static void train_k(const bench_case *c)
{
    int *ids = bench_ids(2 * K_IDS, K_WORDS);
    bench_trained b = {.optimiser = "adam:lr=1e-3",
                       .params = at_params_new(1),
                       .shards = at_shards_cut(K_BATCH, 1),
                       .loss = k_loss,
                       .user = ids};
    bench_training(c, k_flops(), &b);
    at_params_free(b.params);
    at_free(ids);
}

/* ---- translators -------------------------------------------------------------------------- */

static at_block block(int sentences, int length, int vocabulary)
{
    at_block b = {.B = sentences, .T = length};
    b.ids = bench_ids((size_t)(sentences * length), vocabulary);
    b.lengths = at_alloc((size_t)sentences * sizeof *b.lengths);
    for (int i = 0; b.lengths && i < sentences; i++)
        b.lengths[i] = length;
    return b;
}

/* the number of shards that a run has by default */
static int usual_shards(const bench_case *c, at_translate_loss *loss, at_params *params)
{
    at_tape *t = at_tape_new(params, ATTEND_TRAIN);
    if (t)
        at_tape_keep_values(t);
    if (!t || !at_backward(t, at_translate_loss_of(loss, t, 0)))
        bench_die(t ? at_tape_error(t)->message : "out of memory", c->name);
    double weights = (double)(at_params_len(params) * sizeof(real));
    double own = (double)at_tape_used(t) - weights;
    at_tape_free(t);
    return at_shards_usual(c->threads, weights, own * loss->shards.count);
}

static void train_translator(const bench_case *c, const bench_translator *of)
{
    at_model *model = bench_translator_model(of);
    at_arena memory = {.first_size = 0};
    at_batch batch = {.source = block(of->batch, of->length, of->vocabulary),
                      .target = block(of->batch, of->length + 1, of->vocabulary)};
    at_translate_loss loss = {.model = model, .forcing = 1};
    if (!at_translate_loss_take(&loss, &batch, c->threads, &memory))
        bench_die("out of memory", c->name);
    loss.shards = at_shards_cut(of->batch, usual_shards(c, &loss, model->params));
    bench_trained b = {.optimiser = "adam:lr=1e-3",
                       .params = model->params,
                       .shards = loss.shards,
                       .loss = at_translate_loss_of,
                       .user = &loss};
    double each = of->source + of->target + of->out + of->pair * of->length;
    bench_training(c, 6.0 * of->batch * of->length * each, &b);
    at_translate_loss_free(&loss);
    at_model_free(model);
    at_arena_free(&memory);
    for (int i = 0; i < 2; i++) {
        at_free((i ? batch.source : batch.target).ids);
        at_free((i ? batch.source : batch.target).lengths);
    }
}

int main(int argc, char **argv)
{
    bench_case c = bench_arguments(argc, argv);
    const bench_translator *of = bench_translator_of(c.name);
    if (of)
        train_translator(&c, of);
    else if (strcmp(c.name, "k") == 0)
        train_k(&c);
    else
        bench_die("no such case", c.name);
    return 0;
}
