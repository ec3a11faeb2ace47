/* Cross-entropy from logits, with label smoothing e and ignored targets, as PyTorch defines it:
 *     loss_r = log sum_k exp x_k - (1 - e) x_target - e mean(x)
 * over the rows that count, averaged or summed. Gradient: softmax(x) - (1 - e) 1_target - e/V. */
#include <string.h>

#include "base/threads.h"
#include "grad/cross_entropy.h"
#include "tensor/vector.h"

at_targets *at_targets_new(at_tape *t, const char *op, at_ids targets, size_t rows, int classes,
                           at_cross_entropy_options options)
{
    size_t count, counting = 0;
    if (!at_shape_len(targets.shape, &count) || count != rows || classes < 1) {
        at_fail(t, "%s: targets %s do not fit %zu rows of %d classes", op,
                at_shape_print(targets.shape).text, rows, classes);
        return NULL;
    }
    for (size_t i = 0; i < rows; i++) {
        int id = targets.id[i];
        counting += id != options.ignore;
        if (id != options.ignore && (id < 0 || id >= classes)) {
            at_fail(t, "%s: target %d at place %zu is outside 0..%d", op, id, i, classes - 1);
            return NULL;
        }
    }
    at_targets *c = at_scratch(t, sizeof *c);
    int *copy = at_scratch(t, rows * sizeof *copy);
    if (!c || !copy)
        return NULL;
    if (rows)
        memcpy(copy, targets.id, rows * sizeof *copy);
    *c = (at_targets){options, rows, classes, copy, 1};
    if (options.divisor != 0)
        c->weight = 1 / options.divisor;
    else if (!options.sum)
        c->weight = counting ? 1 / (real)counting : 0;
    return c;
}

/* the loss of a row whose logits sum to `logits`, from what is kept of it */
static double row_loss(const at_targets *c, at_softmax_norm norm, real target, real logits)
{
    double e = (double)c->options.smoothing;
    double loss = log((double)norm.sum) + (1 - e) * (double)(norm.max - target);
    if (e != 0)
        loss += e * ((double)norm.max - (double)logits / (double)c->classes);
    return loss * (double)c->weight;
}

static real sum_if_smoothed(const at_targets *c, const real *logits)
{
    return c->options.smoothing != 0 ? at_vector()->sum((size_t)c->classes, logits) : 0;
}

double at_cross_entropy_row(const at_targets *c, size_t row, const real *logits,
                            at_softmax_norm *norm)
{
    size_t n = (size_t)c->classes;
    int target = c->target[row];
    if (target == c->options.ignore)
        return 0;
    real max = at_vector()->max(n, logits);
    *norm = (at_softmax_norm){max, at_vector()->sum_exp(n, logits, max)};
    return row_loss(c, *norm, logits[target], sum_if_smoothed(c, logits));
}

double at_cross_entropy_both(const at_targets *c, size_t row, real *logits)
{
    size_t n = (size_t)c->classes;
    int target = c->target[row];
    if (target == c->options.ignore) {
        memset(logits, 0, n * sizeof *logits);
        return 0;
    }
    real sum = sum_if_smoothed(c, logits), of_target = logits[target];
    real max = at_vector()->max(n, logits), s = c->weight, e = c->options.smoothing;
    at_softmax_norm norm = {max, at_vector()->exp_sum(n, logits, max, logits)};
    at_vector()->scale_shift(n, s / norm.sum, -s * e / (real)n, logits);
    logits[target] -= s * (1 - e);
    return row_loss(c, norm, of_target, sum);
}

void at_cross_entropy_grad(const at_targets *c, size_t row, const real *logits,
                           at_softmax_norm norm, real scale, real *grad)
{
    size_t n = (size_t)c->classes;
    int target = c->target[row];
    if (target == c->options.ignore) {
        memset(grad, 0, n * sizeof *grad);
        return;
    }
    real s = scale * c->weight, e = c->options.smoothing;
    at_vector()->exp_scale(n, logits, norm.max, s / norm.sum, -s * e / (real)n, grad);
    grad[target] -= s * (1 - e);
}

typedef struct {
    const at_targets *targets;
    const real *logits;
    at_softmax_norm *norm; /* one per row */
    real *grad;
    double *loss; /* one per row, added up in order */
    real scale;
} work;

static void forward_rows(void *arg, ptrdiff_t row, ptrdiff_t end)
{
    const work *w = arg;
    for (; row < end; row++)
        w->loss[row] = at_cross_entropy_row(w->targets, (size_t)row,
                                            w->logits + row * w->targets->classes, w->norm + row);
}

typedef struct {
    at_targets *targets;
    at_softmax_norm *norm;
} kept;

static ptrdiff_t grain(int n) { return ATTEND_VECTOR_GRAIN / 4 / n + 1; }

at_tensor *at_cross_entropy(at_tape *t, at_tensor *logits, at_ids targets,
                            at_cross_entropy_options options)
{
    if (at_failed(t))
        return at_poison(t);
    int classes = at_shape_last(logits->shape);
    at_targets *c = at_targets_new(t, "cross entropy", targets, at_shape_rows(logits->shape),
                                   classes, options);
    if (!c)
        return at_poison(t);
    at_tensor *y = at_new(t, SCALAR);
    kept *k = at_scratch(t, sizeof *k);
    work w = {.targets = c,
              .logits = logits->value,
              .norm = at_scratch(t, c->rows * sizeof(at_softmax_norm)),
              .loss = at_scratch(t, c->rows * sizeof(double))};
    if (at_failed(t))
        return at_poison(t);
    at_parallel_for((ptrdiff_t)c->rows, grain(classes), forward_rows, &w);
    double total = 0;
    for (size_t i = 0; i < c->rows; i++)
        total += w.loss[i];
    y->value[0] = (real)total;
    *k = (kept){c, w.norm};
    if (at_recording(t, INPUTS(logits)))
        at_record(t, &at_op_cross_entropy, INPUTS(logits), OUTPUTS(y), k);
    return y;
}

static void backward_rows(void *arg, ptrdiff_t row, ptrdiff_t end)
{
    const work *w = arg;
    for (; row < end; row++) {
        ptrdiff_t at = row * w->targets->classes;
        at_cross_entropy_grad(w->targets, (size_t)row, w->logits + at, w->norm[row], w->scale,
                              w->grad + at);
    }
}

/* Where nothing else reads the logits, their memory becomes the gradient. */
static void backward(const at_node *n)
{
    const kept *k = n->saved;
    at_tensor *x = n->in[0];
    work w = {
        .targets = k->targets, .logits = x->value, .norm = k->norm, .scale = *at_grad_out(n, 0)};
    bool in_place = !x->base && x->uses == 1 && x->from && x->from->op->forgets_output;
    w.grad = in_place ? x->value : at_scratch_reals(n->tape, x->len);
    if (!w.grad)
        return;
    at_parallel_for((ptrdiff_t)k->targets->rows, grain(k->targets->classes), backward_rows, &w);
    at_grad_give(n, 0, w.grad);
}

static const int sample_targets[] = {1, -1, 4, 0};

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 2, 5), INIT_NORMAL(2));
    at_ids targets = {SHAPE(2, 2), sample_targets};
    at_cross_entropy_options mean = {.smoothing = (real)0.1, .ignore = -1};
    at_cross_entropy_options sum = {.ignore = -1, .sum = true};
    return at_add(t, at_cross_entropy(t, at_scale(t, x, 2), targets, mean),
                  at_cross_entropy(t, x, targets, sum));
}

static at_tensor *reference(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 2, 5), INIT_NORMAL(2));
    real smooth[20] = {0}, hard[20] = {0};
    for (int r = 0; r < 4; r++)
        for (int j = 0; j < 5 && sample_targets[r] >= 0; j++) {
            hard[5 * r + j] = j == sample_targets[r] ? -1 : 0;
            smooth[5 * r + j] = ((real)0.9 * hard[5 * r + j] - (real)0.1 / 5) / 3;
        }
    at_tensor *p = at_log_softmax(t, at_scale(t, x, 2)), *q = at_log_softmax(t, x);
    p = at_multiply(t, p, at_input(t, x->shape, smooth));
    q = at_multiply(t, q, at_input(t, x->shape, hard));
    return at_add(t, at_sum(t, p), at_sum(t, q));
}

const at_op at_op_cross_entropy = {
    .name = "cross_entropy",
    .formula = "log sum_k exp x_k - (1 - e) x_target - e mean x",
    .backward = backward,
    .sample = sample,
    .reference = reference,
};
