/* cross_entropy(x W^T + b) without ever holding the logits: a block of rows at a time is
 * projected, scored, turned into its gradient and multiplied back. The gradients for a loss of
 * weight 1 are ready when the forward pass ends; backward hands them over. */
#include <string.h>

#include "base/threads.h"
#include "grad/cross_entropy.h"
#include "tensor/gemm.h"
#include "tensor/vector.h"

/* Logits held at a time: each block packs the weights again, so not too few. */
enum { BLOCK_REALS = 16 << 20 };

/* rows of a block: as even as possible */
static size_t block_rows(size_t rows, int classes)
{
    size_t most = BLOCK_REALS / (size_t)classes ? BLOCK_REALS / (size_t)classes : 1;
    size_t blocks = (rows + most - 1) / most;
    return blocks ? (rows + blocks - 1) / blocks : 0;
}

typedef struct {
    at_targets *targets;
    at_layout layout;
    int width;
    const real *x, *weight, *bias;
    real *dx, *dw, *db; /* NULL where not wanted */
    real *logits;       /* [block, classes] */
    double *loss;       /* one per row */
    size_t begin;       /* first row of the block */
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
        w->loss[row] = w->dx || w->dw || w->db
                           ? at_cross_entropy_both(w->targets, row, logits)
                           : at_cross_entropy_row(w->targets, row, logits, &norm);
    }
}

static void project(const work *w, int rows)
{
    int V = w->targets->classes, D = w->width;
    if (w->bias)
        at_rows_fill((size_t)rows, V, w->bias, w->logits);
    bool out_in = w->layout == ATTEND_OUT_IN;
    at_gemm(rows, V, D, 1, matrix(w->x + w->begin * (size_t)D, D, false),
            matrix(w->weight, out_in ? D : V, out_in), w->bias ? 1 : 0, w->logits, V);
}

/* dx = g W, dW += g^T x, db += sum g, where g is the gradient of the block's logits */
static void project_back(const work *w, int rows)
{
    int V = w->targets->classes, D = w->width;
    bool out_in = w->layout == ATTEND_OUT_IN;
    const real *x = w->x + w->begin * (size_t)D;
    real beta = w->begin ? 1 : 0;
    if (w->dx)
        at_gemm(rows, D, V, 1, matrix(w->logits, V, false),
                matrix(w->weight, out_in ? D : V, !out_in), 0, w->dx + w->begin * (size_t)D, D);
    if (w->dw && out_in)
        at_gemm(V, D, rows, 1, matrix(w->logits, V, true), matrix(x, D, false), beta, w->dw, D);
    else if (w->dw)
        at_gemm(D, V, rows, 1, matrix(x, D, true), matrix(w->logits, V, false), beta, w->dw, V);
    if (w->db)
        at_columns_sum((size_t)rows, V, w->logits, beta, w->db);
}

static void run(work *w)
{
    size_t V = (size_t)w->targets->classes, block = block_rows(w->targets->rows, (int)V);
    for (w->begin = 0; w->begin < w->targets->rows; w->begin += block) {
        size_t left = w->targets->rows - w->begin;
        int rows = (int)(left < block ? left : block);
        project(w, rows);
        at_parallel_for(rows, ATTEND_VECTOR_GRAIN / (ptrdiff_t)V + 1, score_rows, w);
        project_back(w, rows);
    }
}

/* memory for the gradients that will be asked for */
static void want(at_tape *t, work *w, at_tensor *const in[3])
{
    real **to[] = {&w->dx, &w->dw, &w->db};
    for (int i = 0; i < 3; i++)
        if (in[i] && in[i]->wants_grad)
            *to[i] = at_scratch_reals(t, in[i]->len);
}

static bool fits(at_tensor *x, at_tensor *weight, at_tensor *bias, at_layout layout)
{
    int in = layout == ATTEND_OUT_IN ? 1 : 0;
    return weight->shape.rank == 2 && weight->shape.dim[in] == at_shape_last(x->shape)
           && (!bias || at_shape_equal(bias->shape, SHAPE(weight->shape.dim[1 - in])));
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
    int classes = weight->shape.dim[layout == ATTEND_OUT_IN ? 0 : 1];
    size_t rows = at_shape_rows(x->shape);
    at_tensor *in[3] = {x, weight, bias};
    work *w = at_scratch(t, sizeof *w);
    at_targets *c = at_targets_new(t, "linear cross entropy", targets, rows, classes, options);
    if (!w || !c)
        return at_poison(t);
    *w = (work){.targets = c,
                .layout = layout,
                .width = at_shape_last(x->shape),
                .x = x->value,
                .weight = weight->value,
                .bias = bias ? bias->value : NULL};
    at_tensor *y = at_new(t, SCALAR);
    if (at_recording(t, 3, in))
        want(t, w, in);
    w->loss = at_scratch(t, rows * sizeof *w->loss);
    at_mark mark = at_tape_mark(t);
    w->logits = at_scratch_reals(t, block_rows(rows, classes) * (size_t)classes);
    if (at_failed(t))
        return at_poison(t);
    run(w);
    at_scratch_release(t, mark);
    double total = 0;
    for (size_t i = 0; i < rows; i++)
        total += w->loss[i];
    y->value[0] = (real)total;
    if (at_recording(t, 3, in))
        at_record(t, &at_op_linear_cross_entropy, 3, in, OUTPUTS(y), w);
    return y;
}

static void backward(const at_node *n)
{
    const work *w = n->saved;
    real scale = *at_grad_out(n, 0), *ready[] = {w->dx, w->dw, w->db};
    for (int i = 0; i < 3; i++)
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
