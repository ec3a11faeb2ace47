/* XLNet's xlnet-small, a vocabulary of 32,000.
 *
 * xlnet_train             a step of 8 texts of 128 tokens, 21 of each predicted in any order
 * xlnet_inf1              one text of 128 tokens
 * xlnet_memory            instead of times, the memory of a step of one text of 256 to 4,096 tokens
 */
#include "models/xlnet.h"
#include "training.h"

enum { VOCABULARY = 32000, TEXTS = 8, LENGTH = 128, ONE_IN = 6, LONGEST = 4096 };

static const at_xlnet small = {.vocabulary = VOCABULARY,
                               .width = 512,
                               .layers = 4,
                               .heads = 8,
                               .head_width = 64,
                               .inner = 2048,
                               .activation = at_gelu,
                               .epsilon = (real)1e-12,
                               .head = ATTEND_XLNET_TOKENS};

typedef struct {
    at_tape *tape;
    int texts, length, predicted;
    int *ids, *segments, *query_rank, *key_rank, *positions, *targets;
} batch;

static int *ints(size_t n)
{
    int *x = at_alloc_zero(n, sizeof *x);
    if (!x)
        bench_die("no memory", "xlnet");
    return x;
}

/* every sixth token, in an order that jumps about */
static batch make_batch(int texts, int length)
{
    size_t n = (size_t)texts * (size_t)length;
    int P = length / ONE_IN;
    batch b = {.texts = texts,
               .length = length,
               .predicted = P,
               .ids = bench_ids(n, VOCABULARY),
               .segments = ints(n),
               .query_rank = ints(n),
               .key_rank = ints(n),
               .positions = ints((size_t)(texts * P)),
               .targets = ints((size_t)(texts * P))};
    for (size_t i = 0; i < n; i++)
        b.key_rank[i] = -1;
    for (int i = 0; i < texts * P; i++) {
        int at = i % P * ONE_IN, token = i / P * length + at;
        b.positions[i] = at;
        b.targets[i] = b.ids[token];
        b.query_rank[token] = b.key_rank[token] = i % P * 5 % P;
    }
    return b;
}

static void free_batch(batch *b)
{
    int *all[] = {b->ids, b->segments, b->query_rank, b->key_rank, b->positions, b->targets};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        at_free(all[i]);
}

static at_tensor *loss_of(void *arg, at_tape *t, int shard)
{
    const batch *b = arg;
    (void)shard;
    at_xlnet_input in = {.ids = {SHAPE(b->texts, b->length), b->ids},
                         .segments = b->segments,
                         .query_rank = b->query_rank,
                         .key_rank = b->key_rank,
                         .targets = b->positions,
                         .P = b->predicted};
    at_streams x = at_xlnet_read(t, &small, &in);
    return at_xlnet_loss(
        t, &small, x.query, (at_ids){SHAPE(b->texts, b->predicted), b->targets},
        (at_cross_entropy_options){.ignore = -100, .divisor = (real)(b->texts * b->predicted)});
}

/* both streams' products; attention by content and by distance, whose keys are twice as many */
static double flops(int texts, int length, int predicted)
{
    double d = small.width, n = texts * length, q = texts * predicted, D = 2 * d * d;
    double products = (n + q) * (2 * D + 2 * 2 * d * small.inner) + n * 2 * D + 2.0 * length * D;
    return small.layers * (products + 2 * (n + q) * length * d * 4);
}

static void train(const bench_case *c)
{
    batch b = make_batch(TEXTS, LENGTH);
    bench_trained trained = {.optimiser = "adamw:lr=1e-3",
                             .params = at_params_new(1),
                             .shards = at_shards_cut(TEXTS, 1),
                             .loss = loss_of,
                             .user = &b};
    double all = flops(TEXTS, LENGTH, b.predicted)
                 + 2.0 * TEXTS * b.predicted * small.width * VOCABULARY;
    bench_training(c, 3 * all, &trained);
    at_params_free(trained.params);
    free_batch(&b);
}

static void read_text(void *arg)
{
    batch *b = arg;
    at_tape_reset(b->tape);
    at_xlnet_input in = {.ids = {SHAPE(b->texts, b->length), b->ids}, .segments = b->segments};
    at_xlnet_read(b->tape, &small, &in);
    if (at_failed(b->tape))
        bench_die(at_tape_error(b->tape)->message, "xlnet_inf1");
}

static void infer(const bench_case *c)
{
    at_params *params = at_params_new(1);
    batch b = make_batch(1, LENGTH);
    b.tape = at_tape_new(params, ATTEND_INFER);
    read_text(&b);
    at_params_seal(params);
    at_params_share(params);
    bench_report(c, (bench_work){.flops = flops(1, LENGTH, 0)}, read_text, &b);
    at_tape_free(b.tape);
    at_params_free(params);
    free_batch(&b);
}

/* MiB of a tape without the gradients of weights */
static double used(at_params *params, int length, bool training)
{
    batch b = make_batch(1, length);
    b.tape = at_tape_new(params, training ? ATTEND_TRAIN : ATTEND_INFER);
    at_tensor *y = loss_of(&b, b.tape, 0);
    if (training)
        at_backward(b.tape, y);
    if (at_failed(b.tape))
        bench_die(at_tape_error(b.tape)->message, "xlnet_memory");
    double bytes = (double)at_tape_used(b.tape);
    if (training)
        bytes -= (double)at_params_len(params) * sizeof(real);
    at_tape_free(b.tape);
    free_batch(&b);
    return bytes / (1 << 20);
}

static void measure_memory(void)
{
    at_params *params = at_params_new(1);
    used(params, 2 * ONE_IN, false);
    printf("| tokens | training | a token | both streams, without gradients | a token |\n"
           "|--:|--:|--:|--:|--:|\n");
    for (int n = 256; n <= LONGEST; n *= 2) {
        double train = used(params, n, true), read = used(params, n, false);
        printf("| %d | %.0f MiB | %.0f KiB | %.0f MiB | %.0f KiB |\n", n, train, train * 1024 / n,
               read, read * 1024 / n);
    }
    at_params_free(params);
}

int main(int argc, char **argv)
{
    bench_case c = bench_arguments(argc, argv);
    if (strcmp(c.name, "xlnet_train") == 0)
        train(&c);
    else if (strcmp(c.name, "xlnet_inf1") == 0)
        infer(&c);
    else if (strcmp(c.name, "xlnet_memory") == 0)
        measure_memory();
    else
        bench_die("no such case", c.name);
    return 0;
}
