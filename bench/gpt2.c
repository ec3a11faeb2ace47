/* GPT-2 of 124 million weights, which are random: as fast as the peer's, and how much memory it
 * takes.
 *
 * e_b4t64, e_b1t1024      a training step with AdamW
 * e_fwd, e_fwd1024        4 x 64 and 1 x 1024 tokens, logits of all
 * e_prompt                512 tokens, logits of the last
 * e_decode                128 tokens one by one, with the cache
 *
 *     bench-gpt2 --memory FOLDER     writes model files into FOLDER, opens them as users do, and
 *                                    prints a line for each bound on memory and on the start
 *     bench-gpt2 --lengths FOLDER    the memory of texts of 256 to 16,384 tokens, of a smaller
 *                                    model with as many positions */
#include "models/gpt2.h"

#include "borrowed.h"
#include "training.h"

static const at_gpt2 gpt2 = {.vocabulary = 50257,
                             .positions = 1024,
                             .width = 768,
                             .layers = 12,
                             .attention = {.score = &at_score_scaled_dot,
                                           .scope = &at_scope_global,
                                           .pick = &at_pick_soft,
                                           .heads = 12},
                             .inner = 3072,
                             .epsilon = (real)1e-5,
                             .activation = at_gelu_tanh};

static const double BODY = 12.0 * 12 * 768 * 768, OUTPUT = 50257.0 * 768;

static double flops_of(double texts, double length, double logits)
{
    return 2 * texts * length * BODY + 2 * logits * OUTPUT + 4 * texts * length * length * 768 * 12;
}

static void check(const at_tape *t)
{
    if (at_failed(t))
        bench_die(at_tape_error(t)->message, "gpt2");
}

/* ---- training ------------------------------------------------------------------------------ */

typedef struct {
    int texts, length;
    const int *ids;
} training;

static at_tensor *loss(void *arg, at_tape *t, int shard)
{
    const training *s = arg;
    (void)shard;
    at_shape shape = SHAPE(s->texts, s->length);
    at_tensor *x = at_gpt2_states(t, at_root(), &gpt2,
                                  &(at_gpt2_input){.tokens = (at_ids){shape, s->ids}});
    int n = s->texts * s->length;
    return at_gpt2_loss(t, at_root(), &gpt2, x, (at_ids){shape, s->ids + n},
                        (at_cross_entropy_options){.ignore = -100, .divisor = (real)n});
}

static void train(const bench_case *c, int texts, int length)
{
    training s = {texts, length, bench_ids(2 * (size_t)(texts * length), gpt2.vocabulary)};
    bench_trained b = {.optimiser = "adamw:lr=1e-4",
                       .params = at_params_new(1),
                       .shards = at_shards_cut(texts, 1),
                       .loss = loss,
                       .user = &s};
    bench_training(c, 3 * flops_of(texts, length, (double)texts * length), &b);
    at_params_free(b.params);
    at_free((void *)s.ids);
}

/* ---- inference ----------------------------------------------------------------------------- */

typedef struct {
    const at_gpt2 *model;
    at_tape *tape;
    at_cache *cache;
    const int *ids;
    int texts, length;
    bool last; /* logits of the last token alone */
} reading;

static at_tensor *read_tokens(reading *r, at_ids tokens, at_cache *cache)
{
    at_tape *t = r->tape;
    at_tape_reset(t);
    at_tensor *x = at_gpt2_states(t, at_root(), r->model,
                                  &(at_gpt2_input){.tokens = tokens, .cache = cache});
    if (r->last)
        x = at_gpt2_last(t, x, NULL);
    x = at_gpt2_logits(t, at_root(), r->model, x);
    check(t);
    return x;
}

static void read_text(void *arg)
{
    reading *r = arg;
    read_tokens(r, (at_ids){SHAPE(r->texts, r->length), r->ids}, NULL);
}

static int largest(size_t n, const real *x)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        best = x[i] > x[best] ? i : best;
    return (int)best;
}

static void generate(void *arg)
{
    reading *r = arg;
    attend_error err;
    int token = r->ids[0];
    at_cache_clear(r->cache);
    if (at_cache_join(r->cache, 1, &err) < 0)
        bench_die(err.message, "gpt2");
    for (int i = 0; i < r->length; i++) {
        at_tensor *x = read_tokens(r, (at_ids){SHAPE(1, 1), &token}, r->cache);
        token = largest(x->len, x->value);
    }
}

/* ---- memory -------------------------------------------------------------------------------- */

static double mib(size_t bytes) { return (double)bytes / (1 << 20); }

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* resident memory now, MiB */
static double resident(void)
{
    long pages = 0, held = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &pages, &held) != 2)
        bench_die("cannot read", "/proc/self/statm");
    fclose(f);
    return mib((size_t)held * (size_t)sysconf(_SC_PAGESIZE));
}

static void tell(const char *what, double value, double bound, const char *unit)
{
    printf("{\"bound\": \"%s\", \"value\": %.4g, \"at_most\": %.4g, \"unit\": \"%s\"}\n", what,
           value, bound, unit);
    fflush(stdout);
}

/* a file of random weights, of one type; its size */
static size_t make_file(const char *path, const at_gpt2 *m, at_dtype type)
{
    at_params *params = at_params_new(1);
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    at_tape_dry(t);
    at_gpt2_states(t, at_root(), m, &(at_gpt2_input){.tokens = {SHAPE(1, 1), (int[]){0}}});
    check(t);
    size_t bytes = bench_save(path, params, type);
    at_tape_free(t);
    at_params_free(params);
    return bytes;
}

static reading user_of(at_params *params, const at_gpt2 *m)
{
    return (reading){.model = m,
                     .tape = at_tape_new(params, ATTEND_INFER),
                     .cache = at_gpt2_cache(m),
                     .texts = 1,
                     .length = 8,
                     .last = true};
}

static void measure_users(const char *path, double file, double bound)
{
    double before = cpu_now(), base = resident();
    at_params *params = bench_open(path);
    tell("cpu time to open", 1e3 * (cpu_now() - before), 40, "ms");
    int *ids = bench_ids(1024, gpt2.vocabulary);
    reading first = user_of(params, &gpt2);
    first.ids = ids;
    read_tokens(&first, (at_ids){SHAPE(1, 1), ids}, NULL);
    tell("resident after a token", resident() - base, file + bound, "MiB");
    generate(&first);
    tell("resident after 8 tokens", resident() - base, file + bound, "MiB");
    double now = resident();
    for (int i = 0; i < 4; i++) {
        reading more = user_of(params, &gpt2);
        more.ids = ids;
        generate(&more);
    }
    tell("a further user", (resident() - now) / 4, 10, "MiB");
    read_tokens(&first, (at_ids){SHAPE(1, 512), ids}, NULL);
    tell("tape after 512 tokens", mib(at_tape_bytes(first.tape)), 16, "MiB");
    read_tokens(&first, (at_ids){SHAPE(1, 512), ids}, NULL);
    tell("resident after all that", resident() - base, file + bound + 60, "MiB");
}

static void measure_long(const char *path, const at_gpt2 *m, double file)
{
    at_params *params = bench_open(path);
    reading r = user_of(params, m);
    int *ids = bench_ids((size_t)m->positions, m->vocabulary);
    read_tokens(&r, (at_ids){SHAPE(1, m->positions), ids}, NULL);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    tell("most resident in 16384 tokens", (double)usage.ru_maxrss / 1024, file + 450, "MiB");
}

static void measure(const char *name, void (*run)(const char *path), const char *path)
{
    printf("%s\n", name);
    bench_apart(name, run, path);
}

static const char *folder;
static size_t file_bytes;

static void run_make(const char *path)
{
    at_gpt2 m = gpt2;
    m.positions = strstr(path, "long") ? 16384 : m.positions;
    make_file(path, &m, strstr(path, "bf16") ? ATTEND_DTYPE_BF16 : ATTEND_DTYPE_F32);
}

static void run_users(const char *path) { measure_users(path, mib(file_bytes), 30); }

static void run_long(const char *path)
{
    at_gpt2 m = gpt2;
    m.positions = 16384;
    measure_long(path, &m, mib(file_bytes));
}

static size_t bytes_of(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0)
        bench_die("cannot read", path);
    size_t size = (size_t)ftell(f);
    fclose(f);
    return size;
}

static void measure_memory(void)
{
    static const char *const names[] = {"f32", "bf16", "long"};
    for (int i = 0; i < 3; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/gpt2-%s.safetensors", folder, names[i]);
        measure("making", run_make, path);
        file_bytes = bytes_of(path);
        printf("%s: a file of %.1f MiB\n", names[i], mib(file_bytes));
        measure(names[i], i < 2 ? run_users : run_long, path);
        unlink(path);
    }
}

/* ---- lengths ------------------------------------------------------------------------------- */

enum { LONGEST = 16384 };

static int text_length;

static at_gpt2 long_model(void)
{
    at_gpt2 m = gpt2;
    m.positions = LONGEST;
    m.layers = 6;
    m.width = 256;
    m.inner = 1024;
    m.attention.heads = 8;
    return m;
}

static void run_make_long(const char *path)
{
    at_gpt2 m = long_model();
    make_file(path, &m, ATTEND_DTYPE_F32);
}

static void run_length(const char *path)
{
    at_gpt2 m = long_model();
    double base = resident(), before = cpu_now();
    reading r = user_of(bench_open(path), &m);
    int *ids = bench_ids((size_t)text_length, m.vocabulary);
    read_tokens(&r, (at_ids){SHAPE(1, text_length), ids}, NULL);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("| %d | %.1f | %.0f | %.1f |\n", text_length, mib(at_tape_bytes(r.tape)),
           (double)usage.ru_maxrss / 1024 - base, cpu_now() - before);
}

static void measure_lengths(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/gpt2-lengths.safetensors", folder);
    bench_apart("making", run_make_long, path);
    puts("| tokens | tape, MiB | largest resident memory, MiB | processor time, s "
         "|\n|---|---|---|---|");
    for (text_length = 256; text_length <= LONGEST; text_length *= 2)
        bench_apart("lengths", run_length, path);
    unlink(path);
}

/* Weights are borrowed from a file, as those of a model are. */
static void bench_reading(const bench_case *c, reading r, bench_run *run, double flops)
{
    at_params *params = bench_borrow(c->name, run_make);
    r.model = &gpt2;
    r.tape = at_tape_new(params, ATTEND_INFER);
    r.cache = at_gpt2_cache(&gpt2);
    r.ids = bench_ids((size_t)(r.texts * r.length), gpt2.vocabulary);
    if (!r.tape || !r.cache)
        bench_die("out of memory", c->name);
    double bytes = run == generate ? r.length * 4.0 * (BODY + OUTPUT) : 0;
    bench_report(c, (bench_work){.flops = bytes ? 0 : flops, .bytes = bytes}, run, &r);
    at_tape_free(r.tape);
    at_cache_free(r.cache);
    at_params_free(params);
    at_free((void *)r.ids);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--memory") == 0) {
        folder = argv[2];
        measure_memory();
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "--lengths") == 0) {
        folder = argv[2];
        measure_lengths();
        return 0;
    }
    bench_case c = bench_arguments(argc, argv);
    if (strcmp(c.name, "e_b4t64") == 0)
        train(&c, 4, 64);
    else if (strcmp(c.name, "e_b1t1024") == 0)
        train(&c, 1, 1024);
    else if (strcmp(c.name, "e_fwd") == 0)
        bench_reading(&c, (reading){.texts = 4, .length = 64}, read_text, flops_of(4, 64, 256));
    else if (strcmp(c.name, "e_fwd1024") == 0)
        bench_reading(&c, (reading){.texts = 1, .length = 1024}, read_text,
                      flops_of(1, 1024, 1024));
    else if (strcmp(c.name, "e_prompt") == 0)
        bench_reading(&c, (reading){.texts = 1, .length = 512, .last = true}, read_text,
                      flops_of(1, 512, 1));
    else if (strcmp(c.name, "e_decode") == 0)
        bench_reading(&c, (reading){.texts = 1, .length = 128, .last = true}, generate,
                      2 * 128 * (BODY + OUTPUT));
    else
        bench_die("no such case", c.name);
    return 0;
}
