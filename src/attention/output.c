/* The list of outputs, and the likelihood of a target under a distribution. */
#include "attention/output.h"

#include <string.h>

#include "base/guess.h"

const at_output *const at_outputs[] = {
#define OUTPUT(name) &at_output_##name,
#include "attention/outputs.def"
#undef OUTPUT
};

const int at_output_count = (int)(sizeof at_outputs / sizeof *at_outputs);

attend_status at_output_parse(const at_output **output, const char *name, const at_how *how,
                              attend_error *err)
{
    at_guess guess = {.word = name};
    for (int i = 0; i < at_output_count; i++) {
        const at_output *o = at_outputs[i];
        at_guess_consider(&guess, o->about.name, strlen(o->about.name));
        if (strcmp(o->about.name, name) != 0)
            continue;
        const char *why = o->refuses && how ? o->refuses(how) : NULL;
        *output = o;
        return !why ? ATTEND_OK
                    : at_error(err, ATTEND_OPTION, "output %s does not go with %s: %s", name,
                               how->scope->about.name, why);
    }
    return at_error(err, ATTEND_OPTION,
                    "there is no output '%s'%s%s%s; there are words, pointer, "
                    "copy and module",
                    name, *guess.best ? " (did you mean '" : "", guess.best,
                    *guess.best ? "'?)" : "");
}

/* ---- the op: y_r = -log p[r, target_r] ---------------------------------------------------- */

/* What is less likely counts as this and passes no gradient: a target outside the window or the
 * support of a sparse pick has p = 0, and so has one whose softmax rounds to it. 1/p is a float. */
static const real min = (real)1e-37;

typedef struct {
    size_t rows;
    int *target;
    int ignore;
} kept;

at_tensor *at_likelihood(at_tape *t, at_tensor *p, at_ids targets, int ignore)
{
    size_t rows, n = at_failed(t) ? 0 : (size_t)at_shape_last(p->shape);
    if (at_failed(t))
        return at_poison(t);
    if (p->shape.rank < 1 || !at_shape_len(targets.shape, &rows) || rows * n != p->len)
        return at_fail(t, "likelihood: targets %s do not fit a distribution %s",
                       at_shape_print(targets.shape).text, at_shape_print(p->shape).text);
    at_shape shape = p->shape;
    shape.rank--;
    at_tensor *y = at_new(t, shape);
    kept *k = at_scratch(t, sizeof *k);
    int *target = at_scratch(t, rows * sizeof *target);
    if (at_failed(t))
        return at_poison(t);
    *k = (kept){rows, target, ignore};
    for (size_t r = 0; r < rows; r++) {
        target[r] = targets.id[r];
        if (target[r] != ignore && (target[r] < 0 || (size_t)target[r] >= n))
            return at_fail(t, "likelihood: target %d at place %zu is outside 0..%zu", target[r], r,
                           n - 1);
        real q = target[r] == ignore ? 1 : p->value[r * n + (size_t)target[r]];
        y->value[r] = -real_log(q < min ? min : q);
    }
    if (at_recording(t, INPUTS(p)))
        at_record(t, &at_op_likelihood, INPUTS(p), OUTPUTS(y), k);
    return y;
}

static void backward(const at_node *n)
{
    const kept *k = n->saved;
    const real *p = n->in[0]->value, *dy = at_grad_out(n, 0);
    size_t size = (size_t)at_shape_last(n->in[0]->shape);
    real *dp = at_grad_add(n, 0);
    for (size_t r = 0; dp && r < k->rows; r++)
        if (k->target[r] != k->ignore) {
            size_t at = r * size + (size_t)k->target[r];
            dp[at] -= p[at] < min ? 0 : dy[r] / p[at];
        }
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    static const int id[] = {1, -1, 3, 0};
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 2, 4), INIT_NORMAL(1));
    return at_likelihood(t, at_softmax(t, x, NULL), (at_ids){SHAPE(2, 2), id}, -1);
}

const at_op at_op_likelihood = {
    .name = "likelihood",
    .formula = "y = -log p[target], p not below 1e-37",
    .backward = backward,
    .sample = sample,
    .forgets_output = true,
};
