/* Transformers written on the ops alone, as the peer script has them: what the core can do before
 * and beside the models of src/models. e_* is GPT-2, in bench/gpt2.c.
 *
 * d_tiny, d_base          a training step of an encoder-decoder (Vaswani et al. 2017, post-norm):
 *                         4+4 layers of 128, 4096 tokens a batch; 6+6 of 512, 2048 tokens
 * d_tiny_greedy, _beam    64 sentences of 16 tokens, 16 tokens each; beam of 5; the same of d_base
 * f_inf1, f_inf8          BERT-base, 1 and 8 texts of 128 tokens
 * f_train                 a masked-LM step of 8 x 128 tokens, 15 % of them predicted */
#include "attention/cache.h"
#include "base/threads.h"
#include "bench.h"
#include "decode/search.h"
#include "nn/layers.h"
#include "train/trainer.h"

typedef struct {
    int vocabulary, layers, width, inner, heads;
} sizes;

static const real EPSILON = (real)1e-5;

/* ---- layers -------------------------------------------------------------------------------- */

static at_tensor *attend(at_tape *t, at_rows q, at_rows k, at_rows v, int heads,
                         const at_mask *mask)
{
    real d = (real)q.width / (real)heads;
    at_attention_options o = {.heads = heads, .scale = 1 / real_sqrt(d), .mask = mask};
    return at_attention(t, q, k, v, o).context;
}

/* LN(x + y) */
static at_tensor *residual(at_tape *t, at_path s, at_tensor *x, at_tensor *y)
{
    return at_norm(t, s, at_add(t, x, y), EPSILON);
}

static at_tensor *self_attention(at_tape *t, at_path s, at_tensor *x, int heads,
                                 const at_mask *mask)
{
    int D = at_failed(t) ? 1 : at_shape_last(x->shape);
    at_tensor *qkv = at_linear(t, at_in(s, "in"), x, 3 * D);
    at_tensor *c = attend(t, at_rows_columns(qkv, 0, D), at_rows_columns(qkv, D, 2 * D),
                          at_rows_columns(qkv, 2 * D, 3 * D), heads, mask);
    return at_linear(t, at_in(s, "out"), c, D);
}

/* kv [B,S,2D]: keys and values of the source */
static at_tensor *cross_attention(at_tape *t, at_path s, at_tensor *x, at_rows k, at_rows v,
                                  int heads)
{
    at_tensor *q = at_linear(t, at_in(s, "query"), x, k.width);
    return at_linear(t, at_in(s, "out"), attend(t, at_rows_of(q), k, v, heads, NULL), k.width);
}

static at_tensor *keys_and_values(at_tape *t, at_path s, at_tensor *source)
{
    return at_linear(t, at_in(s, "key_value"), source, 2 * at_shape_last(source->shape));
}

static at_tensor *feed_forward(at_tape *t, at_path s, at_tensor *x, int inner, at_activation *f)
{
    return at_feed_forward(t, at_in(s, "ffn"), x, inner, f, 0);
}

static at_tensor *tokens_table(at_tape *t, const sizes *m)
{
    return at_param_matrix(t, at_root(), "tokens", SHAPE(m->vocabulary, m->width),
                           INIT_NORMAL(1 / real_sqrt((real)m->width)));
}

/* sqrt(D) E[token] + P[position] */
static at_tensor *embed(at_tape *t, const sizes *m, at_ids ids, int first)
{
    at_tensor *x = at_embedding(t, tokens_table(t, m), ids);
    return at_add_sinusoids(t, ATTEND_SINUSOIDS_INTERLEAVED,
                            at_scale(t, x, real_sqrt((real)m->width)), first);
}

/* ---- d: encoder and decoder ---------------------------------------------------------------- */

static at_tensor *encode(at_tape *t, const sizes *m, at_ids source)
{
    at_tensor *x = embed(t, m, source, 0);
    at_mark mark = at_tape_mark(t);
    for (int i = 0; i < m->layers; i++) {
        at_path s = at_in(at_root(), "encoder.%d", i);
        x = residual(t, at_in(s, "n1"), x, self_attention(t, s, x, m->heads, NULL));
        x = residual(t, at_in(s, "n2"), x, feed_forward(t, s, x, m->inner, at_relu));
        at_tape_release(t, mark, &x, 1);
    }
    return x;
}

static at_tensor *d_loss_of(at_tape *t, const sizes *m, const int *ids, at_shape shape, int side)
{
    at_tensor *source = encode(t, m, (at_ids){shape, ids});
    at_tensor *x = embed(t, m, (at_ids){shape, ids + side}, 0);
    at_mask causal = {.causal = true};
    for (int i = 0; i < m->layers; i++) {
        at_path s = at_in(at_root(), "decoder.%d", i), c = at_in(s, "cross");
        x = residual(t, at_in(s, "n1"), x, self_attention(t, s, x, m->heads, &causal));
        at_tensor *kv = keys_and_values(t, c, source);
        at_rows k = at_rows_columns(kv, 0, m->width);
        at_rows v = at_rows_columns(kv, m->width, 2 * m->width);
        x = residual(t, at_in(s, "n2"), x, cross_attention(t, c, x, k, v, m->heads));
        x = residual(t, at_in(s, "n3"), x, feed_forward(t, s, x, m->inner, at_relu));
    }
    return at_linear_cross_entropy(
        t, x, tokens_table(t, m), NULL, ATTEND_OUT_IN, (at_ids){shape, ids + 2 * side},
        (at_cross_entropy_options){.ignore = -100, .divisor = (real)side});
}

static const sizes d_tiny = {8000, 4, 128, 256, 4}, d_base = {8000, 6, 512, 2048, 8};
enum { LENGTH = 32, TINY_BATCH = 4096 / LENGTH, BASE_BATCH = 2048 / LENGTH };

static double d_flops(const sizes *m, double tokens, double length)
{
    double L = m->layers, d = m->width, f = m->inner;
    double each = L * (4 * d * d + 2 * d * f) + L * (8 * d * d + 2 * d * f) + m->vocabulary * d
                  + 2 * length * d * L * 3;
    return 2 * tokens * each;
}

/* ---- d: decoding, one worker per thread ---------------------------------------------------- */

enum { SENTENCES = 64, WORDS = 16, BEAM = 5, WORKERS_MOST = 64, STREAMS = 2, LAYERS_MOST = 6 };

typedef struct {
    const sizes *m;
    at_tape *encoder, *tape;
    at_cache *cache;
    at_tensor *kv[LAYERS_MOST]; /* [B,S,2D] */
    const int *source;
    int sentences, width, position;
    bool began;
    at_beam beams[SENTENCES];
    attend_error err;
} worker;

static int streams_of(const sizes *m, int *widths)
{
    for (int i = 0; i < STREAMS * m->layers; i++)
        widths[i] = m->width;
    return STREAMS * m->layers;
}

/* the source's keys (or values) for `width` hypotheses of each sentence */
static at_rows source_rows(worker *w, int layer, int begin, const int *which)
{
    at_rows r = at_rows_columns(w->kv[layer], begin, begin + w->m->width);
    r.tensor = NULL;
    r.which = which;
    return r;
}

static at_tensor *decode_layer(worker *w, int i, at_tensor *x, const int *which)
{
    at_tape *t = w->tape;
    int D = w->m->width, heads = w->m->heads, keys = STREAMS * i;
    at_path s = at_in(at_root(), "decoder.%d", i), c = at_in(s, "cross");
    at_tensor *qkv = at_linear(t, at_in(s, "in"), x, 3 * D);
    at_cache_write(t, w->cache, keys, qkv, D);
    at_cache_write(t, w->cache, keys + 1, qkv, 2 * D);
    at_mask mask = {.lengths = at_cache_lengths(w->cache)};
    at_tensor *y = attend(t, at_rows_columns(qkv, 0, D), at_cache_rows(w->cache, keys),
                          at_cache_rows(w->cache, keys + 1), heads, &mask);
    x = residual(t, at_in(s, "n1"), x, at_linear(t, at_in(s, "out"), y, D));
    y = cross_attention(t, c, x, source_rows(w, i, 0, which), source_rows(w, i, D, which), heads);
    x = residual(t, at_in(s, "n2"), x, y);
    return residual(t, at_in(s, "n3"), x, feed_forward(t, s, x, w->m->inner, at_relu));
}

static attend_status step(void *self, int width, const int *from, const int *words, real **log_p,
                          const real **weights, attend_error *err)
{
    worker *w = self;
    at_tape *t = w->tape;
    int rows = w->sentences * width;
    attend_status status = w->began ? at_cache_reorder(w->cache, rows, from, err)
                                    : at_cache_join(w->cache, rows, err);
    if (status < 0 || at_cache_extend(w->cache, 1, NULL, err) < 0)
        return err->status;
    w->began = true;
    at_tape_reset(t);
    int *which = at_scratch(t, (size_t)(rows * WORDS) * sizeof *which);
    for (int i = 0; which && i < rows * WORDS; i++)
        which[i] = i / WORDS / width;
    at_tensor *x = embed(t, w->m, (at_ids){SHAPE(rows, 1), words}, w->position++);
    for (int i = 0; i < w->m->layers; i++)
        x = decode_layer(w, i, x, which);
    at_tensor *logits = at_affine(t, x, tokens_table(t, w->m), NULL, ATTEND_OUT_IN);
    if (at_failed(t))
        return at_tape_status(t, err);
    at_cache_commit(w->cache);
    *log_p = logits->value;
    *weights = NULL;
    return ATTEND_OK;
}

static attend_status decode_some(worker *w)
{
    at_tape_reset(w->encoder);
    at_tensor *x = encode(w->encoder, w->m, (at_ids){SHAPE(w->sentences, WORDS), w->source});
    for (int i = 0; i < w->m->layers && !at_failed(w->encoder); i++)
        w->kv[i] = keys_and_values(w->encoder, at_in(at_root(), "decoder.%d.cross", i), x);
    if (at_failed(w->encoder))
        return at_tape_status(w->encoder, &w->err);
    at_cache_clear(w->cache);
    w->began = false;
    w->position = 0;
    at_searched searched = {.self = w,
                            .sentences = w->sentences,
                            .vocabulary = w->m->vocabulary,
                            .start = 1,
                            .step = step,
                            .logits = true};
    at_search_options o = {.beam = {.width = w->width, .most = WORDS, .end = -1},
                           .words_alone = true};
    attend_status status = at_search(&searched, &o, w->beams, &w->err);
    for (int i = 0; i < w->sentences; i++)
        at_beam_free(&w->beams[i]);
    return status;
}

typedef struct {
    worker *worker;
    int count;
} decoding;

static void decode_one(void *arg, int i)
{
    worker *w = (worker *)arg + i;
    if (decode_some(w) < 0)
        bench_die(w->err.message, "decode");
}

static void decode(void *arg)
{
    decoding *d = arg;
    at_parallel_each(d->count, 1e9, decode_one, d->worker);
}

static void bench_decoding(const bench_case *c, const sizes *m, int width)
{
    at_params *params = at_params_new(1);
    int *ids = bench_ids(SENTENCES * WORDS, m->vocabulary), widths[STREAMS * LAYERS_MOST];
    decoding d = {.worker = calloc(WORKERS_MOST, sizeof *d.worker), .count = c->threads};
    if (!params || !d.worker || d.count > WORKERS_MOST)
        bench_die("no memory for the workers", c->name);
    for (int i = 0; i < d.count; i++) {
        worker *w = &d.worker[i];
        int first = SENTENCES * i / d.count;
        *w = (worker){.m = m,
                      .encoder = at_tape_new(params, ATTEND_INFER),
                      .tape = at_tape_new(params, ATTEND_INFER),
                      .cache = at_cache_new(WORDS, streams_of(m, widths), widths),
                      .source = ids + first * WORDS,
                      .sentences = SENTENCES * (i + 1) / d.count - first,
                      .width = width};
    }
    decode_one(d.worker, 0); /* makes the parameters */
    at_params_seal(params);
    at_params_share(params);
    double flops = d_flops(m, SENTENCES * WORDS, WORDS); /* of greedy search */
    bench_report(c, (bench_work){.flops = flops}, decode, &d);
    for (int i = 0; i < d.count; i++) {
        at_tape_free(d.worker[i].encoder);
        at_tape_free(d.worker[i].tape);
        at_cache_free(d.worker[i].cache);
    }
    free(d.worker);
    at_params_free(params);
    at_free(ids);
}

/* ---- f: BERT-base -------------------------------------------------------------------------- */

static const sizes bert = {30522, 12, 768, 3072, 12};
enum { TEXT = 128, TEXTS = 8, MASKED = TEXTS * TEXT * 15 / 100 };

static at_tensor *bert_read(at_tape *t, const sizes *m, at_ids ids)
{
    at_init small = INIT_NORMAL((real)0.02);
    at_tensor *x = at_embedding(t, tokens_table(t, m), ids);
    x = at_add_positions(t, at_in(at_root(), "positions"), x, 0, 512, (real)0.02);
    at_tensor *segment = at_param(t, at_root(), "segments", SHAPE(2, m->width), small);
    x = at_norm(t, at_in(at_root(), "norm"), at_add(t, x, at_slice(t, segment, 0, 0, 1)), EPSILON);
    at_mark mark = at_tape_mark(t);
    for (int i = 0; i < m->layers; i++) {
        at_path s = at_in(at_root(), "layer.%d", i);
        at_tensor *q = at_linear(t, at_in(s, "query"), x, m->width);
        at_tensor *k = at_linear(t, at_in(s, "key"), x, m->width);
        at_tensor *v = at_linear(t, at_in(s, "value"), x, m->width);
        at_tensor *c = attend(t, at_rows_of(q), at_rows_of(k), at_rows_of(v), m->heads, NULL);
        x = residual(t, at_in(s, "n1"), x, at_linear(t, at_in(s, "out"), c, m->width));
        x = residual(t, at_in(s, "n2"), x, feed_forward(t, s, x, m->inner, at_gelu));
        at_tape_release(t, mark, &x, 1);
    }
    return x;
}

/* the masked positions are every seventh */
static at_tensor *f_loss_of(at_tape *t, const sizes *m, const int *ids)
{
    int row[MASKED];
    for (int i = 0; i < MASKED; i++)
        row[i] = i * (TEXTS * TEXT) / MASKED;
    at_tensor *x = bert_read(t, m, (at_ids){SHAPE(TEXTS, TEXT), ids});
    x = at_take(t, at_reshape(t, x, SHAPE(TEXTS * TEXT, m->width)), (at_ids){SHAPE(MASKED), row});
    x = at_gelu(t, at_linear(t, at_in(at_root(), "transform"), x, m->width));
    x = at_norm(t, at_in(at_root(), "transform_norm"), x, EPSILON);
    at_tensor *bias = at_param(t, at_root(), "bias", SHAPE(m->vocabulary), INIT_ZERO);
    return at_linear_cross_entropy(
        t, x, tokens_table(t, m), bias, ATTEND_OUT_IN, (at_ids){SHAPE(MASKED), ids + TEXTS * TEXT},
        (at_cross_entropy_options){.ignore = -100, .divisor = (real)MASKED});
}

static double f_flops(double texts)
{
    double d = 768;
    return 2 * texts * TEXT * 12 * 12 * d * d + 4 * texts * TEXT * TEXT * d * 12;
}

typedef struct {
    at_tape *tape;
    const int *ids;
    int texts;
} reading;

static void read_texts(void *arg)
{
    reading *r = arg;
    at_tape_reset(r->tape);
    bert_read(r->tape, &bert, (at_ids){SHAPE(r->texts, TEXT), r->ids});
    if (at_failed(r->tape))
        bench_die(at_tape_error(r->tape)->message, "f_inf");
}

static void bench_reading(const bench_case *c, int texts)
{
    at_params *params = at_params_new(1);
    reading r = {.tape = at_tape_new(params, ATTEND_INFER),
                 .ids = bench_ids((size_t)(texts * TEXT), bert.vocabulary),
                 .texts = texts};
    read_texts(&r);
    at_params_seal(params);
    at_params_share(params);
    bench_report(c, (bench_work){.flops = f_flops(texts)}, read_texts, &r);
    at_tape_free(r.tape);
    at_params_free(params);
    at_free((void *)r.ids);
}

/* ---- training ------------------------------------------------------------------------------ */

typedef struct {
    const char *name, *optimiser;
    const sizes *m;
    int batch, ids, shards; /* shards 0: one for each thread */
} training_case;

static const training_case trained[] = {
    {"d_tiny", "adam:lr=1e-3", &d_tiny, TINY_BATCH, 3 * TINY_BATCH *LENGTH, 0},
    {"d_base", "adam:lr=1e-3", &d_base, BASE_BATCH, 3 * BASE_BATCH *LENGTH, 0},
    {"f_train", "adamw:lr=1e-3", &bert, TEXTS, TEXTS *TEXT + MASKED, 1},
};

typedef struct {
    const training_case *of;
    const int *ids;
    at_trainer *trainer;
    int shards, first[65];
} training;

static at_tensor *shard_loss(void *arg, at_tape *t, int shard)
{
    const training *s = arg;
    if (s->of->m == &bert)
        return f_loss_of(t, s->of->m, s->ids);
    int first = s->first[shard], rows = s->first[shard + 1] - first;
    return d_loss_of(t, s->of->m, s->ids + first * LENGTH, SHAPE(rows, LENGTH),
                     s->of->batch * LENGTH);
}

static void train(void *arg)
{
    training *s = arg;
    attend_error err;
    at_step_result r;
    if (at_trainer_step(s->trainer, s->shards, s->first, shard_loss, s, &r, &err) < 0)
        bench_die(err.message, s->of->name);
}

static void bench_training(const bench_case *c, const training_case *of)
{
    attend_error err;
    at_trainer_options options = {.accumulate = 1};
    at_params *params = at_params_new(1);
    int *ids = bench_ids((size_t)of->ids, of->m->vocabulary);
    training s = {.of = of, .ids = ids, .shards = of->shards ? of->shards : c->threads};
    for (int i = 0; i <= s.shards; i++)
        s.first[i] = of->batch * i / s.shards;
    if (!params || at_rate_parse(&options.rate, "constant", 1e-3, &err) < 0
        || at_optim_options_parse(&options.optim, of->optimiser, &err) < 0
        || at_trainer_new(params, &options, &s.trainer, &err) < 0)
        bench_die(err.message, c->name);
    double flops = of->m == &bert ? f_flops(TEXTS) + 2.0 * MASKED * 768 * bert.vocabulary
                                  : d_flops(of->m, (double)of->batch * LENGTH, LENGTH);
    bench_report(c, (bench_work){.flops = 3 * flops}, train, &s);
    at_trainer_free(s.trainer);
    at_params_free(params);
    at_free(ids);
}

int main(int argc, char **argv)
{
    bench_case c = bench_arguments(argc, argv);
    const sizes *m = strncmp(c.name, "d_tiny", 6) == 0 ? &d_tiny : &d_base;
    for (size_t i = 0; i < sizeof trained / sizeof *trained; i++)
        if (strcmp(c.name, trained[i].name) == 0) {
            bench_training(&c, &trained[i]);
            return 0;
        }
    if (strcmp(c.name, "d_tiny_greedy") == 0 || strcmp(c.name, "d_base_greedy") == 0)
        bench_decoding(&c, m, 1);
    else if (strcmp(c.name, "d_tiny_beam") == 0 || strcmp(c.name, "d_base_beam") == 0)
        bench_decoding(&c, m, BEAM);
    else if (strcmp(c.name, "f_inf1") == 0 || strcmp(c.name, "f_inf8") == 0)
        bench_reading(&c, c.name[5] - '0');
    else
        bench_die("no such case", c.name);
    return 0;
}
