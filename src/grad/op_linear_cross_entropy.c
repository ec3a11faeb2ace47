/* cross_entropy(x W^T + b) without ever holding the logits: a block of rows at a time is
 * projected, scored, turned into its gradient and multiplied back. The gradients for a loss of
 * weight 1 are ready when the forward pass ends; backward hands them over. The same for a mixture
 * (mixture.c), which has two inputs more. */
#include <limits.h>
#include <string.h>

#include "base/threads.h"
#include "grad/cross_entropy.h"
#include "grad/weight.h"
#include "tensor/gemm.h"
#include "tensor/vector.h"

/* Logits held at a time: so many as stay in the last-level cache, where the weights are packed once
 * for all blocks; else each block packs them again, so not too few. */
enum { NEAR_REALS = 2 << 20, FAR_REALS = 16 << 20, MAX_PACKED = 8 << 20 };

/* rows of a block: as even as possible */
static size_t block_rows(size_t rows, int classes, bool near)
{
    size_t max = (near ? NEAR_REALS : FAR_REALS) / (size_t)classes;
    max = max ? max : 1;
    size_t blocks = (rows + max - 1) / max;
    return blocks ? (rows + blocks - 1) / blocks : 0;
}

typedef struct {
    at_targets *targets;
    at_mixture *mixture; /* or NULL */
    at_layout layout;
    int width;
    at_tape *tape;
    at_tensor *weight;
    const real *x, *bias;
    real *dx, *dw, *db; /* NULL where not wanted */
    real *logits;       /* [block, classes] */
    double *loss;       /* one per row */
    size_t block;       /* rows of a block */
    size_t begin;       /* the first of them */
    bool packs;         /* the weights are packed once, */
    at_packed there;    /* for x W^T, */
    at_packed back;     /* and for g W where dx is wanted */
} work;

static at_matrix matrix(const real *data, int columns, bool transposed)
{
    return (at_matrix){data, columns, transposed};
}

/* loss of each row of the block; its logits become their gradient */
static void score_rows(void *arg, ptrdiff_t i, ptrdiff_t end)
{
    const work *w = arg;
    for (; i < end; i++) {
        real *logits = w->logits + i * w->targets->classes;
        at_softmax_norm norm;
        size_t row = w->begin + (size_t)i;
        bool gradient = w->dx || w->dw || w->db;
        w->loss[row] = w->mixture ? at_mixture_both(w->targets, w->mixture, row, logits, gradient)
                       : gradient ? at_cross_entropy_both(w->targets, row, logits)
                                  : at_cross_entropy_row(w->targets, row, logits, &norm);
    }
}

static void project(const work *w, int rows)
{
    if (w->packs)
        at_gemm_packed_bias(rows, matrix(w->x + w->begin * (size_t)w->width, w->width, false),
                            &w->there, w->bias, w->logits, w->targets->classes);
    else
        at_weight_multiply(w->tape, w->weight, w->layout == ATTEND_OUT_IN, rows,
                           w->x + w->begin * (size_t)w->width, w->bias, w->logits);
}

/* dx = g W, dW += g^T x, db += sum g, where g is the gradient of the block's logits */
static void project_back(const work *w, int rows)
{
    int V = w->targets->classes, D = w->width;
    bool out_in = w->layout == ATTEND_OUT_IN;
    const real *x = w->x + w->begin * (size_t)D;
    real beta = w->begin ? 1 : 0;
    if (w->dx && w->packs)
        at_gemm_packed(rows, 1, matrix(w->logits, V, false), &w->back, 0,
                       w->dx + w->begin * (size_t)D, D);
    else if (w->dx)
        at_gemm_gradient(rows, D, V, 1, matrix(w->logits, V, false),
                         matrix(w->weight->value, out_in ? D : V, !out_in), 0,
                         w->dx + w->begin * (size_t)D, D);
    if (w->dw && out_in)
        at_gemm_gradient(V, D, rows, 1, matrix(w->logits, V, true), matrix(x, D, false), beta,
                         w->dw, D);
    else if (w->dw)
        at_gemm_gradient(D, V, rows, 1, matrix(x, D, true), matrix(w->logits, V, false), beta,
                         w->dw, V);
    if (w->db)
        at_columns_sum((size_t)rows, V, w->logits, beta, w->db);
}

static void run(work *w)
{
    size_t V = (size_t)w->targets->classes, block = w->block;
    if (w->targets->rows == 0)
        project_back(w, 0); /* writes zeros */
    for (w->begin = 0; w->begin < w->targets->rows; w->begin += block) {
        size_t left = w->targets->rows - w->begin;
        int rows = (int)(left < block ? left : block);
        project(w, rows);
        at_parallel_for(rows, ATTEND_VECTOR_GRAIN / (ptrdiff_t)V + 1, score_rows, w);
        project_back(w, rows);
    }
}

/* Is the weight small enough, beside as many logits, to be packed for several blocks? */
static bool is_packed(at_tape *t, const work *w)
{
    size_t logits = w->targets->rows * (size_t)w->targets->classes;
    return at_tape_mode(t) != ATTEND_INFER && w->weight->value && w->weight->len <= MAX_PACKED
           && w->weight->len <= logits && logits > NEAR_REALS;
}

static at_packed pack(at_tape *t, const work *w, int n, int k, bool transposed)
{
    bool tiled = at_tape_mode(t) == ATTEND_TRAIN && at_gemm_tiled((int)w->block, n, k);
    real *panels = at_scratch_reals(t, at_pack_len(n, k, tiled));
    at_matrix m = matrix(w->weight->value, w->weight->shape.dim[1], transposed);
    return panels ? at_pack(n, k, m, tiled, panels) : (at_packed){.panels = NULL};
}

/* logits, and the weight for all blocks of them; memory of the tape */
static void prepare(at_tape *t, work *w)
{
    int V = w->targets->classes, D = w->width;
    bool out_in = w->layout == ATTEND_OUT_IN;
    w->packs = is_packed(t, w);
    w->block = block_rows(w->targets->rows, V, w->packs);
    w->logits = at_scratch_reals(t, w->block * (size_t)V);
    if (w->packs)
        w->there = pack(t, w, V, D, out_in);
    if (w->packs && w->dx)
        w->back = pack(t, w, D, V, !out_in);
}

/* x, weight, bias; and of a mixture gate and other */
enum { MAX_INPUTS = 5 };

/* memory for the gradients that will be asked for */
static void want(at_tape *t, work *w, at_tensor *const in[MAX_INPUTS])
{
    real **to[MAX_INPUTS] = {&w->dx, &w->dw, &w->db};
    if (w->mixture) {
        to[3] = &w->mixture->dgate;
        to[4] = &w->mixture->dother;
    }
    for (int i = 0; i < MAX_INPUTS; i++)
        if (in[i] && in[i]->wants_grad)
            *to[i] = at_scratch_reals(t, in[i]->len);
}

static bool fits(at_tensor *x, at_tensor *weight, at_tensor *bias, at_layout layout)
{
    int in = layout == ATTEND_OUT_IN ? 1 : 0;
    return weight->shape.rank == 2 && weight->shape.dim[in] == at_shape_last(x->shape)
           && (!bias || at_shape_equal(bias->shape, SHAPE(weight->shape.dim[1 - in])));
}

/* the op, of checked targets and an input whose rows they fit */
static at_tensor *loss_of(at_tape *t, const at_op *op, int n, at_tensor *const in[MAX_INPUTS],
                          at_layout layout, at_targets *c, at_mixture *mixture)
{
    work *w = at_scratch(t, sizeof *w);
    if (!w || !c)
        return at_poison(t);
    *w = (work){.targets = c,
                .mixture = mixture,
                .layout = layout,
                .width = at_shape_last(in[0]->shape),
                .tape = t,
                .x = in[0]->value,
                .weight = in[1],
                .bias = in[2] ? in[2]->value : NULL};
    at_tensor *y = at_new(t, SCALAR);
    if (at_recording(t, n, in))
        want(t, w, in);
    w->loss = at_scratch(t, c->rows * sizeof *w->loss);
    at_mark mark = at_tape_mark(t);
    prepare(t, w);
    if (at_failed(t))
        return at_poison(t);
    run(w);
    at_scratch_release(t, mark);
    double total = 0;
    for (size_t i = 0; i < c->rows; i++)
        total += w->loss[i];
    y->value[0] = (real)total;
    if (at_recording(t, n, in))
        at_record(t, op, n, in, OUTPUTS(y), w);
    return y;
}

static int classes_of(const at_tensor *weight, at_layout layout)
{
    return weight->shape.dim[layout == ATTEND_OUT_IN ? 0 : 1];
}

at_tensor *at_linear_cross_entropy(at_tape *t, at_tensor *x, at_tensor *weight, at_tensor *bias,
                                   at_layout layout, at_ids targets,
                                   at_cross_entropy_options options)
{
    if (at_failed(t))
        return at_poison(t);
    if (!fits(x, weight, bias, layout))
        return at_fail(t, "linear cross entropy: input %s does not fit weight %s",
                       at_shape_print(x->shape).text, at_shape_print(weight->shape).text);
    at_tensor *in[MAX_INPUTS] = {x, weight, bias};
    at_targets *c = at_targets_new(t, "linear cross entropy", targets, at_shape_rows(x->shape),
                                   classes_of(weight, layout), options);
    return loss_of(t, &at_op_linear_cross_entropy, 3, in, layout, c, NULL);
}

at_tensor *at_linear_mixture(at_tape *t, at_tensor *x, at_tensor *weight, at_tensor *bias,
                             at_layout layout, at_mixed_with with, at_ids targets,
                             at_cross_entropy_options options)
{
    if (at_failed(t))
        return at_poison(t);
    size_t rows = at_shape_rows(x->shape);
    if (!fits(x, weight, bias, layout) || with.gate->len != rows || with.other->len != rows)
        return at_fail(t, "linear mixture: input %s does not fit weight %s, gate %s and other %s",
                       at_shape_print(x->shape).text, at_shape_print(weight->shape).text,
                       at_shape_print(with.gate->shape).text,
                       at_shape_print(with.other->shape).text);
    at_tensor *in[MAX_INPUTS] = {x, weight, bias, with.gate, with.other};
    at_targets *c = at_targets_new(t, "linear mixture", targets, rows, INT_MAX, options);
    at_mixture *m = at_scratch(t, sizeof *m);
    if (!c || !m)
        return at_poison(t);
    c->classes = classes_of(weight, layout);
    *m = (at_mixture){.gate = with.gate->value, .other = with.other->value, .nll = with.nll};
    return loss_of(t, &at_op_linear_mixture, MAX_INPUTS, in, layout, c, m);
}

static void backward(const at_node *n)
{
    const work *w = n->saved;
    const at_mixture *m = w->mixture;
    real scale = *at_grad_out(n, 0);
    real *ready[] = {w->dx, w->dw, w->db, m ? m->dgate : NULL, m ? m->dother : NULL};
    for (int i = 0; i < n->n_in; i++)
        if (ready[i]) {
            if (scale != 1)
                at_vector_axpy(n->in[i]->len, scale, ready[i], 0, ready[i]);
            at_grad_give(n, i, ready[i]);
        }
}

static at_tensor *build(at_tape *t, at_path s, bool fused)
{
    static const int id[] = {1, -1, 4, 0, 2, 2};
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 3, 4), INIT_NORMAL(1));
    at_tensor *w = at_param(t, s, "weight", SHAPE(5, 4), INIT_NORMAL(1));
    at_tensor *b = at_param(t, s, "bias", SHAPE(5), INIT_NORMAL(1));
    at_tensor *v = at_param(t, s, "second", SHAPE(4, 5), INIT_NORMAL(1));
    at_ids targets = {SHAPE(2, 3), id};
    at_cross_entropy_options mean = {.smoothing = (real)0.1, .ignore = -1};
    at_cross_entropy_options part = {.ignore = -1, .divisor = 7};
    at_tensor *one, *two;
    if (fused) {
        one = at_linear_cross_entropy(t, x, w, b, ATTEND_OUT_IN, targets, mean);
        two = at_linear_cross_entropy(t, x, v, NULL, ATTEND_IN_OUT, targets, part);
    } else {
        one = at_cross_entropy(t, at_affine(t, x, w, b, ATTEND_OUT_IN), targets, mean);
        two = at_cross_entropy(t, at_affine(t, x, v, NULL, ATTEND_IN_OUT), targets, part);
    }
    return at_add(t, at_scale(t, one, 3), two);
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    return build(t, s, true);
}

static at_tensor *reference(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    return build(t, s, false);
}

const at_op at_op_linear_cross_entropy = {
    .name = "linear_cross_entropy",
    .formula = "cross_entropy(x W^T + b), in blocks",
    .backward = backward,
    .sample = sample,
    .reference = reference,
};

/* ---- mixture ----------------------------------------------------------------------------- */

/* targets 5 and 6 are the other one's; a row where it has nothing; smoothing */
static at_tensor *sample_mixture(at_tape *t, at_path s, const void *arg)
{
    static const int id[] = {1, -1, 5, 0, 2, 6};
    static const real some[] = {1, 1, 1, 0, 1, 0};
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 3, 4), INIT_NORMAL(1));
    at_tensor *w = at_param(t, s, "weight", SHAPE(5, 4), INIT_NORMAL(1));
    at_tensor *b = at_param(t, s, "bias", SHAPE(5), INIT_NORMAL(1));
    at_tensor *gate = at_param(t, s, "gate", SHAPE(2, 3), INIT_NORMAL(1));
    at_tensor *raw = at_param(t, s, "other", SHAPE(2, 3), INIT_NORMAL(1));
    at_tensor *other = at_multiply(t, at_sigmoid(t, raw), at_input(t, SHAPE(2, 3), some));
    at_mixed_with with = {.gate = gate, .other = other};
    at_ids targets = {SHAPE(2, 3), id};
    at_cross_entropy_options mean = {.smoothing = (real)0.1, .ignore = -1};
    at_cross_entropy_options part = {.ignore = -1, .divisor = 7};
    at_tensor *one = at_linear_mixture(t, x, w, b, ATTEND_OUT_IN, with, targets, mean);
    at_tensor *two = at_linear_mixture(t, x, w, NULL, ATTEND_OUT_IN, with, targets, part);
    return at_add(t, at_scale(t, one, 3), two);
}

const at_op at_op_linear_mixture = {
    .name = "linear_mixture",
    .formula = "-log(g softmax(x W^T + b)_y + (1 - g) o_y), in blocks",
    .backward = backward,
    .sample = sample_mixture,
};
