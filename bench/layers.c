/* Layers forward and backward, as a model runs them: one tape, reset after each step.
 *
 * linear_NxIxO            affine with bias
 * gru_BxTxH, lstm_BxTxH   one layer over T steps, inputs as wide as the state
 * ..._bi, ..._fwd         both directions; forward alone, on a tape that records nothing
 * mha_BxTxDxH             four projections and self-attention of H heads; mha_causal
 * read_additive_BxQxNxD   one attention read of Q queries from N keys and values of width D, whose
 *                         keys are prepared; read_scaled-dot
 * attend_BxQxNxDxH        Q queries of H heads, with N keys and values of width D; attend_fwd
 * self_HOW_BxNxD          self-attention as HOW describes it: self_dot/window:64_1x4096x64
 * dropout_NxD             elementwise dropout with p = 0.1
 * xent_NxV                cross-entropy from logits
 * xent_proj_NxDxV         with the projection before it
 *
 * Gradients reach the inputs and all weights. Layers start from a gradient that is there, as
 * PyTorch's y.backward(g) does. */
#include <math.h>

#include "attention/attention.h"
#include "bench.h"
#include "grad/ops.h"

typedef struct layer layer;
typedef at_tensor *layer_forward(const layer *l, at_tape *t);

struct layer {
    const int *size;
    bool forward_only, causal;
    int directions;
    at_cell cell;
    layer_forward *forward;
    at_tape *tape;
    real *gradient; /* of the output; NULL where the layer ends in a loss */
    const int *targets;
    at_how how; /* of a read */
};

/* ---- a given gradient as the end of a tape ---------------------------------------------- */

static void give_gradient(const at_node *n) { at_grad_give(n, 0, n->saved); }

static const at_op given = {.name = "given", .formula = "sum g y", .backward = give_gradient};

static at_tensor *end(at_tape *t, at_tensor *y, real *gradient)
{
    at_tensor *loss = at_zeros(t, SCALAR);
    if (!at_failed(t))
        at_record(t, &given, INPUTS(y), OUTPUTS(loss), gradient);
    return loss;
}

/* ---- layers ------------------------------------------------------------------------------ */

static at_tensor *weight(at_tape *t, const char *name, at_shape shape)
{
    return at_param(t, at_root(), name, shape, INIT_UNIFORM((real)0.05));
}

/* an input is a parameter too: nothing is copied, and its gradient is wanted */
static at_tensor *input(at_tape *t, at_shape shape)
{
    return at_param(t, at_root(), "x", shape, INIT_NORMAL(1));
}

static at_tensor *linear(const layer *l, at_tape *t)
{
    int N = l->size[0], I = l->size[1], O = l->size[2];
    return at_affine(t, input(t, SHAPE(N, I)), weight(t, "weight", SHAPE(O, I)),
                     weight(t, "bias", SHAPE(O)), ATTEND_OUT_IN);
}

static at_tensor *recurrent(const layer *l, at_tape *t)
{
    int B = l->size[0], T = l->size[1], H = l->size[2], G = (l->cell == ATTEND_GRU ? 3 : 4) * H;
    at_recurrent_weights w[2];
    for (int d = 0; d < l->directions; d++)
        w[d] = (at_recurrent_weights){
            .weight_ih = weight(t, d ? "ih_reverse" : "ih", SHAPE(G, H)),
            .weight_hh = weight(t, d ? "hh_reverse" : "hh", SHAPE(G, H)),
            .bias_ih = weight(t, d ? "b_ih_reverse" : "b_ih", SHAPE(G)),
            .bias_hh = weight(t, d ? "b_hh_reverse" : "b_hh", SHAPE(G)),
        };
    return at_recurrent(t, l->cell, input(t, SHAPE(B, T, H)), l->directions, w, NULL).output;
}

static at_tensor *project(at_tape *t, const char *name, at_tensor *x, int D)
{
    at_path s = at_in(at_root(), "%s", name);
    return at_affine(t, x, at_param(t, s, "weight", SHAPE(D, D), INIT_UNIFORM((real)0.05)),
                     at_param(t, s, "bias", SHAPE(D), INIT_ZERO), ATTEND_OUT_IN);
}

static at_tensor *mha(const layer *l, at_tape *t)
{
    int B = l->size[0], T = l->size[1], D = l->size[2], H = l->size[3];
    at_mask mask = {.causal = true};
    at_tensor *x = input(t, SHAPE(B, T, D));
    at_rows q = at_rows_of(project(t, "q", x, D)), k = at_rows_of(project(t, "k", x, D));
    at_rows v = at_rows_of(project(t, "v", x, D));
    at_attention_options o = {
        .heads = H, .scale = 1 / real_sqrt((real)(D / H)), .mask = l->causal ? &mask : NULL};
    return project(t, "out", at_attention(t, q, k, v, o).context, D);
}

/* the prepared keys are an input here; a model prepares them once for many reads */
static at_tensor *read_prepared(const layer *l, at_tape *t)
{
    int B = l->size[0], Q = l->size[1], N = l->size[2], D = l->size[3];
    at_tensor *keys = at_param(t, at_root(), "keys", SHAPE(B, N, D), INIT_NORMAL(1));
    at_memory m = {.keys = keys,
                   .prepared = keys,
                   .values = at_param(t, at_root(), "values", SHAPE(B, N, D), INIT_NORMAL(1)),
                   .width = D};
    at_query q = {.query = input(t, SHAPE(B, Q, D))};
    return at_attention_read(t, at_root(), &l->how, &m, q).context;
}

static at_tensor *attend(const layer *l, at_tape *t)
{
    int B = l->size[0], Q = l->size[1], N = l->size[2], D = l->size[3], H = l->size[4];
    at_tensor *k = at_param(t, at_root(), "keys", SHAPE(B, N, D), INIT_NORMAL(1));
    at_tensor *v = at_param(t, at_root(), "values", SHAPE(B, N, D), INIT_NORMAL(1));
    at_attention_options o = {.heads = H, .scale = 1 / real_sqrt((real)(D / H))};
    at_rows q = at_rows_of(input(t, SHAPE(B, Q, D)));
    return at_attention(t, q, at_rows_of(k), at_rows_of(v), o).context;
}

static at_tensor *read_self(const layer *l, at_tape *t)
{
    at_tensor *x = input(t, SHAPE(l->size[0], l->size[1], l->size[2]));
    at_memory m = at_attention_prepare(t, at_root(), &l->how, l->size[2], x, x, NULL);
    return at_attention_read(t, at_root(), &l->how, &m, (at_query){.query = x}).context;
}

static at_tensor *dropout(const layer *l, at_tape *t)
{
    return at_dropout(t, input(t, SHAPE(l->size[0], l->size[1])), (real)0.1);
}

static const at_cross_entropy_options mean = {.ignore = -100};

static at_tensor *xent(const layer *l, at_tape *t)
{
    int N = l->size[0], V = l->size[1];
    return at_cross_entropy(t, input(t, SHAPE(N, V)), (at_ids){SHAPE(N), l->targets}, mean);
}

static at_tensor *xent_proj(const layer *l, at_tape *t)
{
    int N = l->size[0], D = l->size[1], V = l->size[2];
    return at_linear_cross_entropy(t, input(t, SHAPE(N, D)), weight(t, "weight", SHAPE(V, D)), NULL,
                                   ATTEND_OUT_IN, (at_ids){SHAPE(N), l->targets}, mean);
}

/* ---- what they cost ---------------------------------------------------------------------- */

static bench_work linear_work(const layer *l)
{
    return (bench_work){.flops = 6.0 * l->size[0] * l->size[1] * l->size[2]};
}

static bench_work recurrent_work(const layer *l)
{
    double gates = l->cell == ATTEND_GRU ? 3 : 4, H = l->size[2];
    return (bench_work){.flops = (l->forward_only ? 2.0 : 6.0) * l->directions * l->size[0]
                                 * l->size[1] * gates * H * 2 * H};
}

/* a causal layer has half of the scores to compute; what backward computes again is not counted */
static bench_work mha_work(const layer *l)
{
    double B = l->size[0], T = l->size[1], D = l->size[2], seen = l->causal ? (T + 1) / 2 : T;
    return (bench_work){.flops = 6 * B * T * (4 * D * D + 2 * seen * D)};
}

/* products with keys and values; additive counts two for each number under the tanh, whose own cost
 * is left out as those of other functions are */
static bench_work read_work(const layer *l)
{
    double B = l->size[0], Q = l->size[1], N = l->size[2], D = l->size[3];
    double query = l->how.score->prepare ? 6 * B * Q * D * D : 0;
    return (bench_work){.flops = query + 12 * B * Q * N * D};
}

static bench_work attend_work(const layer *l)
{
    double B = l->size[0], Q = l->size[1], N = l->size[2], D = l->size[3];
    return (bench_work){.flops = (l->forward_only ? 4 : 12) * B * Q * N * D};
}

static bench_work self_work(const layer *l)
{
    const at_how *how = &l->how;
    double N = l->size[1], seen = N;
    const double *value = how->scope_values.number;
    if (how->scope->has_blocks)
        seen = 2.0 * value[0] + 1 + N / value[1];
    else if (how->scope->needs_position)
        seen = 2.0 * value[0] + 1;
    return (bench_work){.flops = 12.0 * l->size[0] * N * (seen < N ? seen : N) * l->size[2]};
}

/* the logits are read in both directions, their gradient is written */
static bench_work xent_work(const layer *l)
{
    return (bench_work){.bytes = 3.0 * sizeof(real) * l->size[0] * l->size[1]};
}

/* x and dy are read, y and dx written */
static bench_work elementwise_work(const layer *l)
{
    return (bench_work){.bytes = 4.0 * sizeof(real) * l->size[0] * l->size[1]};
}

static const struct {
    const char *words;
    int sizes;
    layer_forward *forward;
    bench_work (*work)(const layer *l);
} kinds[] = {
    {"linear", 3, linear, linear_work},     {"gru", 3, recurrent, recurrent_work},
    {"lstm", 3, recurrent, recurrent_work}, {"mha", 4, mha, mha_work},
    {"read_", 4, read_prepared, read_work}, {"self_", 3, read_self, self_work},
    {"attend", 5, attend, attend_work},     {"xent_proj", 3, xent_proj, linear_work},
    {"xent", 2, xent, xent_work},           {"dropout", 2, dropout, elementwise_work},
};

/* ---- one step ---------------------------------------------------------------------------- */

static void step(void *arg)
{
    layer *l = arg;
    at_tensor *y = l->forward(l, l->tape);
    if (!l->forward_only && y->shape.rank > 0) {
        if (!l->gradient)
            l->gradient = bench_numbers(y->len, 1e-2);
        y = end(l->tape, y, l->gradient);
    }
    if (!l->forward_only)
        at_backward(l->tape, y);
    if (at_failed(l->tape))
        bench_die(at_tape_error(l->tape)->message, "bench-layers");
    at_tape_reset(l->tape);
}

int main(int argc, char **argv)
{
    bench_case c = bench_arguments(argc, argv);
    layer l = {.size = c.size,
               .directions = strstr(c.words, "_bi") ? 2 : 1,
               .cell = strncmp(c.words, "gru", 3) ? ATTEND_LSTM : ATTEND_GRU,
               .forward_only = strstr(c.words, "_fwd"),
               .causal = strstr(c.words, "_causal")};
    size_t kind = 0, n_kinds = sizeof kinds / sizeof *kinds;
    while (kind < n_kinds && strncmp(c.words, kinds[kind].words, strlen(kinds[kind].words)))
        kind++;
    if (kind == n_kinds)
        bench_die("no such case", c.name);
    bench_need_sizes(&c, kinds[kind].sizes);
    attend_error err;
    bool reads = !strncmp(c.words, "read_", 5) || !strncmp(c.words, "self_", 5);
    if (reads && at_how_parse(&l.how, c.words + 5, &err) < 0)
        bench_die(err.message, c.name);
    at_params *params = at_params_new(1);
    at_mode mode = l.forward_only ? ATTEND_INFER : ATTEND_TRAIN;
    l.tape = params ? at_tape_new(params, mode) : NULL;
    if (!l.tape)
        bench_die("out of memory", c.name);
    l.forward = kinds[kind].forward;
    int *targets = bench_ids((size_t)c.size[0], c.size[c.sizes - 1]);
    l.targets = targets;
    bench_report(&c, kinds[kind].work(&l), step, &l);
    at_tape_free(l.tape);
    at_params_free(params);
    at_free(l.gradient);
    at_free(targets);
    return 0;
}
