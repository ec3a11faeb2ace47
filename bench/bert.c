/* BERT-base, as the peer script has it.
 *
 * f_inf1, f_inf8          1 and 8 texts of 128 tokens
 * f_train                 a masked-LM step of 8 x 128 tokens, 15 % of them predicted */
#include "models/bert.h"

#include "borrowed.h"
#include "training.h"

static const at_bert bert = {.head = ATTEND_BERT_MASKED,
                             .vocabulary = 30522,
                             .positions = 512,
                             .segments = 2,
                             .width = 768,
                             .layers = 12,
                             .heads = 12,
                             .inner = 3072,
                             .pad = -1,
                             .activation = at_gelu,
                             .epsilon = (real)1e-5,
                             .tied = true};
enum { TEXT = 128, TEXTS = 8, MASKED = TEXTS * TEXT * 15 / 100 };

static at_tensor *states(at_tape *t, int texts, const int *ids)
{
    return at_bert_encode(t, &bert, &(at_inputs){.ids = {SHAPE(texts, TEXT), ids}}, NULL);
}

/* the masked positions are every seventh */
static at_tensor *loss_of(void *arg, at_tape *t, int shard)
{
    const int *ids = arg;
    static int row[MASKED]; /* backward reads it */
    (void)shard;
    for (int i = 0; i < MASKED; i++)
        row[i] = i * (TEXTS * TEXT) / MASKED;
    at_tensor *x = at_reshape(t, states(t, TEXTS, ids), SHAPE(TEXTS * TEXT, bert.width));
    x = at_take(t, x, (at_ids){SHAPE(MASKED), row});
    return at_bert_tokens_loss(t, &bert, x, (at_ids){SHAPE(MASKED), ids + TEXTS * TEXT},
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
    states(r->tape, r->texts, r->ids);
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
