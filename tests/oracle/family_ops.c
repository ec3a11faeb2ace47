/* Single ops: activations, cross-entropy, layer norm, softmax far from zero, sinusoidal
 * positions. expected.json: family says which. */
#include <stdio.h>
#include <string.h>

#include "decode/sample.h"
#include "nn/layers.h"
#include "oracle.h"

/* ---- activations ------------------------------------------------------------------------ */

static at_tensor *activate(at_case *c, const char *name)
{
    at_activation *f = at_activation_find(name);

    if (!f) {
        at_case_unknown(c, "no activation of the name %s", name);
        return at_poison(c->tape);
    }
    return f(c->tape, at_case_input(c, "x"));
}

static void check_activation(at_case *c, const char *name)
{
    at_case_output(c, "y", activate(c, name));
    at_case_gradients(c);
}

/* every output is named after its activation */
static void check_activations(at_case *c, const char *unused)
{
    int n = c->expected ? at_safetensors_count(c->expected) : 0;

    (void)unused;
    for (int i = 0; i < n && c->verdict != ATTEND_CASE_UNKNOWN; i++) {
        const char *name = at_safetensors_at(c->expected, i)->name;
        if (strncmp(name, "grad.", 5) != 0)
            at_case_output(c, name, activate(c, name));
    }
    at_case_gradients(c);
}

/* ---- cross-entropy ---------------------------------------------------------------------- */

/* reduction "none": a loss per row */
static at_tensor *row_losses(at_case *c, at_tensor *logits, at_ids targets,
                             at_cross_entropy_options options)
{
    int n = targets.shape.dim[0];
    at_tensor **losses = at_arena_alloc(&c->memory, (size_t)n * sizeof *losses);

    if (!losses || n == 0)
        return at_fail(c->tape, "no memory for %d losses, or none at all", n);
    options.sum = true;
    for (int i = 0; i < n; i++) {
        at_ids one = {SHAPE(1), targets.id + i};
        at_tensor *row = at_slice(c->tape, logits, 0, i, i + 1);
        losses[i] = at_reshape(c->tape, at_cross_entropy(c->tape, row, one, options), SHAPE(1));
    }
    return at_concat(c->tape, n, losses, 0);
}

static void check_cross_entropy(at_case *c, const char *unused)
{
    const char *reduction = at_case_text(c, "reduction");
    at_tensor *logits = at_case_input(c, "logits");
    at_ids targets = at_case_ids(c, "target");
    at_cross_entropy_options options = {
        .smoothing = (real)at_case_number(c, "label_smoothing", 0),
        .ignore = at_case_int(c, "ignore_index", -100),
        .sum = strcmp(reduction, "sum") == 0,
    };

    (void)unused;
    if (!targets.id || targets.shape.rank != 1 || logits->shape.rank != 2
        || logits->shape.dim[0] != targets.shape.dim[0]) {
        at_case_fail(c, "target %s does not fit logits %s", at_shape_print(targets.shape).text,
                     at_shape_print(logits->shape).text);
        return;
    }
    at_case_output(c, "log_softmax", at_log_softmax(c->tape, logits));
    at_case_output(c, "loss",
                   strcmp(reduction, "none") == 0
                       ? row_losses(c, logits, targets, options)
                       : at_cross_entropy(c->tape, logits, targets, options));
    at_case_gradients(c);
}

/* ---- rows ------------------------------------------------------------------------------- */

static at_tensor *filled(at_tape *t, int n, real value)
{
    at_tensor *x = at_new(t, SHAPE(n));

    for (size_t i = 0; i < x->len && !at_failed(t); i++)
        x->value[i] = value;
    return x;
}

static void check_layer_norm(at_case *c, const char *unused)
{
    at_tensor *x = at_case_input(c, "x");
    at_tensor *weight = at_case_param_or_null(c, "weight");
    at_tensor *bias = at_case_param_or_null(c, "bias"), *y;
    int D = weight ? (int)weight->len : at_shape_last(x->shape); /* several axes count as one */

    (void)unused;
    weight = weight ? at_reshape(c->tape, weight, SHAPE(D)) : filled(c->tape, D, 1);
    bias = bias ? at_reshape(c->tape, bias, SHAPE(D)) : filled(c->tape, D, 0);
    y = at_layer_norm(c->tape,
                      at_reshape(c->tape, x, SHAPE((int)(x->len / (size_t)(D ? D : 1)), D)), weight,
                      bias, (real)at_case_number(c, "eps", 1e-5));
    at_case_output(c, "y", at_failed(c->tape) ? y : at_reshape(c->tape, y, x->shape));
    at_case_gradients(c);
}

static void check_softmax(at_case *c, const char *unused)
{
    at_tensor *x = at_case_input(c, "x");

    (void)unused;
    at_case_output(c, "softmax", at_softmax(c->tape, x, NULL));
    at_case_output(c, "log_softmax", at_log_softmax(c->tape, x));
    at_case_gradients(c);
}

/* a tensor called pe_12x8 is 12 positions of width 8 */
static void check_positions(at_case *c, const char *unused)
{
    int n = c->expected ? at_safetensors_count(c->expected) : 0;

    (void)unused;
    for (int i = 0; i < n; i++) {
        const char *name = at_safetensors_at(c->expected, i)->name;
        at_shape want = SCALAR, got = SHAPE(0, 0);
        int end = 0;
        if (sscanf(name, "pe_%dx%d%n", &got.dim[0], &got.dim[1], &end) != 2 || name[end] != '\0')
            continue;
        if (at_case_reals(c, c->expected, name, &want) && at_shape_equal(got, want))
            at_case_output(c, name,
                           at_position_sinusoidal(c->tape, ATTEND_SINUSOIDS_INTERLEAVED, 0,
                                                  got.dim[0], got.dim[1]));
        else
            at_case_fail(c, "%s has the shape %s", name, at_shape_print(want).text);
    }
}

/* "top_k_5", "top_p_0.9", "temperature_0.5", "temp0.8_topk10_topp0.8" */
static bool read_sampling(const char *name, at_sampling *s)
{
    char end;

    *s = (at_sampling){1, 1, 0, 1, 0};
    return sscanf(name, "top_k_%d%c", &s->top_k, &end) == 1
           || sscanf(name, "top_p_%lf%c", &s->top_p, &end) == 1
           || sscanf(name, "temperature_%lf%c", &s->temperature, &end) == 1
           || sscanf(name, "repetition_%lf%c", &s->repetition, &end) == 1
           || sscanf(name, "temp%lf_topk%d_topp%lf%c", &s->temperature, &s->top_k, &s->top_p, &end)
                  == 3;
}

/* one expected tensor: the probabilities, or the logits that are left by the penalty */
static void check_filter(at_case *c, const char *name, const at_sampling *s, at_shape shape,
                         const real *logits)
{
    at_ids came = at_case_ids(c, "input_ids");
    int V = shape.dim[1];
    real *got = at_arena_alloc(&c->memory, sizeof *got * (size_t)(shape.dim[0] * V));
    int *order = at_arena_alloc(&c->memory, sizeof *order * (size_t)V);
    bool *seen = at_arena_alloc(&c->memory, sizeof *seen * (size_t)V);

    if (came.id && (came.shape.rank != 2 || came.shape.dim[0] != shape.dim[0])) {
        at_case_fail(c, "input_ids: one row for each row of logits is expected");
        return;
    }
    for (int row = 0; got && order && seen && row < shape.dim[0]; row++) {
        memcpy(got + row * V, logits + row * V, sizeof *got * (size_t)V);
        if (s->repetition == 1)
            at_sampling_probabilities(s, V, logits + row * V, got + row * V, order);
        else if (came.id)
            at_sampling_repetition(s->repetition, V, got + row * V, came.shape.dim[1],
                                   came.id + row * came.shape.dim[1], seen);
    }
    if (got && order && seen)
        at_case_compare(c, name, shape, got, at_tolerance_output);
}

static void check_sampling(at_case *c, const char *unused)
{
    at_shape shape;
    const real *logits = at_case_reals(c, c->inputs, "logits", &shape);
    at_sampling s;

    (void)unused;
    if (!logits || shape.rank != 2) {
        at_case_fail(c, "logits must be [rows, words]");
        return;
    }
    for (int i = 0; c->expected && i < at_safetensors_count(c->expected); i++) {
        const char *name = at_safetensors_at(c->expected, i)->name;
        if (read_sampling(name, &s))
            check_filter(c, name, &s, shape, logits);
    }
}

/* ---- which ------------------------------------------------------------------------------ */

static const struct {
    const char *family;
    void (*check)(at_case *c, const char *rest); /* of the family's name */
} kinds[] = {
    {"ops.activation.", check_activation},
    {"ops.activations", check_activations},
    {"torch.nn.CrossEntropyLoss", check_cross_entropy},
    {"torch.nn.LayerNorm", check_layer_norm},
    {"ops.softmax", check_softmax},
    {"ops.positional_encoding", check_positions},
    {"ops.sampling_filters", check_sampling},
};

void at_check_ops(at_case *c)
{
    const char *family = at_case_text(c, "family");

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i].family);
        if (strncmp(family, kinds[i].family, n) == 0
            && (family[n] == '\0' || kinds[i].family[n - 1] == '.')) {
            kinds[i].check(c, family + n);
            return;
        }
    }
    at_case_unknown(c, "no check for %s", family[0] ? family : "a case that names no family");
}
