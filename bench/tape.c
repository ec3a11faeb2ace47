/* What the tape itself costs.
 *
 * tape_add      10,000 adds of one element, recorded and gone back through; all of it counts,
 *               the reset too
 * tape_steady   allocations once the largest batch was seen: a small model trained on batches of
 *               all lengths and sizes; none is the promise */
#include "bench.h"
#include "grad/ops.h"

enum { ADDS = 10000 };

static void adds(void *arg)
{
    at_tape *t = arg;
    at_tensor *x = at_param(t, at_root(), "x", SHAPE(1), INIT_ZERO);
    at_tensor *one = at_param(t, at_root(), "one", SHAPE(1), INIT_ONE);
    for (int i = 0; i < ADDS; i++)
        x = at_add(t, x, one);
    at_backward(t, x);
    at_tape_reset(t);
}

static at_tensor *attended(at_tape *t, at_tensor *x)
{
    at_attention_options o = {.heads = 4, .scale = (real)0.25};
    return at_attention(t, at_rows_of(x), at_rows_of(x), at_rows_of(x), o).context;
}

/* embedding, GRU, attention over its outputs, cross-entropy */
static void step(at_tape *t, int B, int T, const int *ids)
{
    enum { V = 500, D = 64, G = 3 * D };
    at_path s = at_root();
    at_init small = INIT_UNIFORM((real)0.05);
    at_ids words = {SHAPE(B, T), ids};
    at_recurrent_weights w = {.weight_ih = at_param(t, s, "ih", SHAPE(G, D), small),
                              .weight_hh = at_param(t, s, "hh", SHAPE(G, D), small)};
    at_tensor *out = at_param(t, s, "out", SHAPE(V, D), small);
    at_tensor *x = at_embedding(t, at_param(t, s, "words", SHAPE(V, D), small), words);
    at_tensor *y = at_recurrent(t, ATTEND_GRU, x, 1, &w, NULL).output;
    y = at_add(t, attended(t, y), y);
    at_backward(t, at_linear_cross_entropy(t, at_dropout(t, y, (real)0.1), out, NULL, ATTEND_OUT_IN,
                                           words, (at_cross_entropy_options){.ignore = -100}));
    if (at_failed(t))
        bench_die(at_tape_error(t)->message, "bench-tape");
    at_tape_reset(t);
}

static long steady(at_tape *t)
{
    enum { B = 32, T = 24, STEPS = 200 };
    int *ids = bench_ids(B * T, 500);
    step(t, B, T, ids);
    step(t, B, T, ids);
    long before = at_alloc_count();
    for (int i = 0; i < STEPS; i++)
        step(t, 1 + (i * 7) % B, 1 + (i * 11) % T, ids);
    step(t, B, T, ids);
    long made = at_alloc_count() - before;
    at_free(ids);
    return made;
}

int main(int argc, char **argv)
{
    bench_case c = bench_arguments(argc, argv);
    at_params *params = at_params_new(1);
    at_tape *t = params ? at_tape_new(params, ATTEND_TRAIN) : NULL;
    if (!t)
        bench_die("out of memory", c.name);
    if (!strcmp(c.name, "tape_add"))
        bench_report(&c, (bench_work){0}, adds, t);
    else if (!strcmp(c.name, "tape_steady"))
        printf("{\"case\": \"%s\", \"tool\": \"attend\", \"allocations\": %ld}\n", c.name,
               steady(t));
    else
        bench_die("no such case", c.name);
    at_tape_free(t);
    at_params_free(params);
    return 0;
}
