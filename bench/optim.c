/* The Adam step alone, gradients ready: what every training step adds to its backward.
 *
 * adam      AdamW on GPT-2's 148 tensors, 124 million parameters
 * adam_7m   Adam on the 7.2 million parameters of a small translator, in 24 tensors */
#include "train/optim.h"
#include "bench.h"
#include "grad/tape.h"

static void add(at_params *params, const char *name, at_shape shape)
{
    attend_error err;
    at_parameter *added;
    if (at_params_add(params, name, shape, INIT_NORMAL((real)0.02), &added, &err) < 0)
        bench_die(err.message, name);
}

static void gpt2(at_params *p)
{
    enum { V = 50257, T = 1024, D = 768 };
    static const struct {
        const char *name;
        int rows, columns; /* 0: a vector */
    } block[] = {{"ln_1.weight", 0, D}, {"ln_1.bias", 0, D},       {"ln_2.weight", 0, D},
                 {"ln_2.bias", 0, D},   {"attn.weight", 3 * D, D}, {"attn.bias", 0, 3 * D},
                 {"proj.weight", D, D}, {"proj.bias", 0, D},       {"fc.weight", 4 * D, D},
                 {"fc.bias", 0, 4 * D}, {"out.weight", D, 4 * D},  {"out.bias", 0, D}};
    add(p, "wte", SHAPE(V, D));
    add(p, "wpe", SHAPE(T, D));
    for (int layer = 0; layer < 12; layer++)
        for (size_t i = 0; i < sizeof block / sizeof *block; i++) {
            char name[64];
            snprintf(name, sizeof name, "h.%d.%s", layer, block[i].name);
            add(p, name,
                block[i].rows ? SHAPE(block[i].rows, block[i].columns) : SHAPE(block[i].columns));
        }
    add(p, "ln_f.weight", SHAPE(D));
    add(p, "ln_f.bias", SHAPE(D));
}

static void translator(at_params *p)
{
    enum { V = 6630, H = 256 };
    static const struct {
        const char *name;
        int rows, columns;
    } all[] = {{"source", V, H},
               {"target", V, H},
               {"f.ih", 3 * H, H},
               {"f.hh", 3 * H, H},
               {"f.b_ih", 0, 3 * H},
               {"f.b_hh", 0, 3 * H},
               {"b.ih", 3 * H, H},
               {"b.hh", 3 * H, H},
               {"b.b_ih", 0, 3 * H},
               {"b.b_hh", 0, 3 * H},
               {"init", H, H},
               {"init.b", 0, H},
               {"query", H, H},
               {"query.b", 0, H},
               {"key", H, 2 * H},
               {"key.b", 0, H},
               {"cell.ih", 3 * H, 3 * H},
               {"cell.hh", 3 * H, H},
               {"cell.b_ih", 0, 3 * H},
               {"cell.b_hh", 0, 3 * H},
               {"read", H, 4 * H},
               {"read.b", 0, H},
               {"out", V, H},
               {"out.b", 0, V}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        add(p, all[i].name,
            all[i].rows ? SHAPE(all[i].rows, all[i].columns) : SHAPE(all[i].columns));
}

typedef struct {
    at_optim *optim;
    at_gradients *gradients;
    const real **gradient;
} state;

static void step(void *arg)
{
    state *s = arg;
    attend_error err;
    at_gradients_clear(s->gradients);
    if (at_gradients_add_arrays(s->gradients, s->gradient, 1, &err) < 0
        || at_optim_step(s->optim, s->gradients, &err) < 0)
        bench_die(err.message, "bench-optim");
}

int main(int argc, char **argv)
{
    bench_case c = bench_arguments(argc, argv);
    attend_error err;
    at_optim_options options;
    at_params *params = at_params_new(1);
    bool large = !strcmp(c.name, "adam");
    if (!params || (!large && strcmp(c.name, "adam_7m")))
        bench_die("no such case", c.name);
    (large ? gpt2 : translator)(params);
    if (at_optim_options_parse(&options, large ? "adamw:lr=1e-4" : "adam:lr=1e-3", &err) < 0)
        bench_die(err.message, c.name);
    state s = {.gradients = at_gradients_new(params)};
    int count = at_params_count(params);
    s.gradient = at_alloc((size_t)count * sizeof *s.gradient);
    if (!s.gradients || !s.gradient || at_optim_new(params, &options, &s.optim, &err) < 0)
        bench_die("out of memory", c.name);
    for (int i = 0; i < count; i++)
        s.gradient[i] = bench_numbers(at_params_at(params, i)->len, 1e-3);
    /* parameter, gradient and two moments are read; all but the gradient are written */
    double bytes = 7.0 * sizeof(real) * (double)at_params_len(params);
    bench_report(&c, (bench_work){.bytes = bytes}, step, &s);
    for (int i = 0; i < count; i++)
        at_free((void *)s.gradient[i]);
    at_free(s.gradient);
    at_optim_free(s.optim);
    at_gradients_free(s.gradients);
    at_params_free(params);
    return 0;
}
