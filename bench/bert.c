/* BERT-base written on the ops alone, as the peer script has it.
 *
 * f_inf1, f_inf8          1 and 8 texts of 128 tokens
 * f_train                 a masked-LM step of 8 x 128 tokens, 15 % of them predicted */
#include "nn/layers.h"

#include "borrowed.h"
#include "training.h"

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

static at_tensor *feed_forward(at_tape *t, at_path s, at_tensor *x, int inner, at_activation *f)
{
    return at_feed_forward(t, at_in(s, "ffn"), x, inner, f, 0);
}

static at_tensor *tokens_table(at_tape *t, const sizes *m)
{
    return at_param_matrix(t, at_root(), "tokens", SHAPE(m->vocabulary, m->width),
                           INIT_NORMAL(1 / real_sqrt((real)m->width)));
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

static void make_file(const char *path)
{
    int *ids = bench_ids(TEXT, bert.vocabulary);
    at_params *params = at_params_new(1);
    reading r = {.tape = at_tape_new(params, ATTEND_INFER), .ids = ids, .texts = 1};
    at_tape_dry(r.tape);
    read_texts(&r);
    bench_save(path, params, ATTEND_DTYPE_F32);
}

static void bench_reading(const bench_case *c, int texts)
{
    at_params *params = bench_borrow(c->name, make_file);
    reading r = {.tape = at_tape_new(params, ATTEND_INFER),
                 .ids = bench_ids((size_t)(texts * TEXT), bert.vocabulary),
                 .texts = texts};
    bench_report(c, (bench_work){.flops = f_flops(texts)}, read_texts, &r);
    at_tape_free(r.tape);
    at_params_free(params);
    at_free((void *)r.ids);
}

/* ---- training ------------------------------------------------------------------------------ */

static at_tensor *loss_of(void *ids, at_tape *t, int shard)
{
    (void)shard;
    return f_loss_of(t, &bert, ids);
}

static void train(const bench_case *c)
{
    int *ids = bench_ids(TEXTS * TEXT + MASKED, bert.vocabulary);
    bench_trained b = {.optimiser = "adamw:lr=1e-3",
                       .params = at_params_new(1),
                       .shards = at_shards_cut(TEXTS, 1),
                       .loss = loss_of,
                       .user = ids};
    bench_training(c, 3 * (f_flops(TEXTS) + 2.0 * MASKED * 768 * bert.vocabulary), &b);
    at_params_free(b.params);
    at_free(ids);
}

int main(int argc, char **argv)
{
    bench_case c = bench_arguments(argc, argv);
    if (strcmp(c.name, "f_train") == 0)
        train(&c);
    else if (strcmp(c.name, "f_inf1") == 0 || strcmp(c.name, "f_inf8") == 0)
        bench_reading(&c, c.name[5] - '0');
    else
        bench_die("no such case", c.name);
    return 0;
}
