/* y = x m / (1 - p), m = 1 with probability 1 - p (Srivastava et al. 2014, inverted).
 * The mask is a function of (seed, step, sentence, position in the sentence, which dropout of the
 * step): the same for any number of threads and shards. Backward draws it again. */
#include "grad/dropout.h"
#include "grad/ops.h"

#include "base/threads.h"

typedef struct {
    at_dropping use;
    size_t per_sentence;
} dropped;

typedef struct {
    const dropped *how;
    const real *x;
    real beta, *y;
} dropping;

/* elements begin .. end - 1 of the batch: of one sentence, or of several */
static void drop_part(void *arg, ptrdiff_t begin, ptrdiff_t end)
{
    const dropping *d = arg;
    size_t per_sentence = d->how->per_sentence;
    for (size_t i = (size_t)begin, n; i < (size_t)end; i += n) {
        size_t first = i % per_sentence, left = (size_t)end - i;
        n = per_sentence - first < left ? per_sentence - first : left;
        at_dropout_row(&d->how->use, (int)(i / per_sentence), first, n, d->x + i, d->beta,
                       d->y + i);
    }
}

static void drop(const dropped *how, size_t n, const real *x, real beta, real *y)
{
    enum { GRAIN = 8192 };
    dropping d = {how, x, beta, y};
    at_parallel_for((ptrdiff_t)n, GRAIN, drop_part, &d);
}

at_tensor *at_dropout(at_tape *t, at_tensor *x, real p)
{
    if (at_failed(t))
        return at_poison(t);
    if (p < 0 || p >= 1)
        return at_fail(t, "dropout: the probability must be in [0, 1), it is %g", (double)p);
    if (p == 0 || at_tape_mode(t) != ATTEND_TRAIN)
        return x;
    at_tensor *y = at_new(t, x->shape);
    dropped *saved = at_scratch(t, sizeof *saved);
    if (at_failed(t))
        return at_poison(t);
    size_t sentences = x->shape.rank && x->len ? (size_t)x->shape.dim[0] : 1;
    *saved = (dropped){at_dropout_start(t, p), x->len / sentences};
    drop(saved, x->len, x->value, 0, y->value);
    if (at_recording(t, INPUTS(x)))
        at_record(t, &at_op_dropout, INPUTS(x), OUTPUTS(y), saved);
    return y;
}

static void backward(const at_node *n)
{
    real beta, *dx = at_grad_in(n, 0, &beta);
    if (dx)
        drop(n->saved, n->in[0]->len, at_grad_out(n, 0), beta, dx);
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    return at_dropout(t, at_param(t, s, "x", SHAPE(3, 9), INIT_NORMAL(1)), (real)0.4);
}

const at_op at_op_dropout = {
    .name = "dropout",
    .formula = "y = x m / (1 - p), m ~ Bernoulli(1 - p)",
    .backward = backward,
    .sample = sample,
    .forgets_output = true,
};
