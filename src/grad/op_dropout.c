/* y = x m / (1 - p), m = 1 with probability 1 - p (Srivastava et al. 2014, inverted).
 * The mask is a function of (seed, step, sentence, place in the sentence, which dropout of the
 * step): the same for any number of threads and shards. */
#include "grad/ops.h"

#include "base/threads.h"

typedef struct {
    at_random place;
    uint32_t threshold; /* a 32-bit word below it drops */
    real scale;
    size_t per_sentence;
    const real *x;
    real *y;
    unsigned char *kept;
} dropping;

static void drop_sentence(void *arg, int sentence)
{
    const dropping *d = arg;
    at_random place = d->place;
    place.sentence += (uint32_t)sentence;
    size_t begin = (size_t)sentence * d->per_sentence, end = begin + d->per_sentence;
    for (size_t i = begin; i < end; i += 4) {
        uint32_t words[4];
        at_random_words(place, (uint32_t)((i - begin) / 4), words);
        for (size_t j = i; j < i + 4 && j < end; j++) {
            d->kept[j] = words[j - i] >= d->threshold;
            d->y[j] = d->kept[j] ? d->x[j] * d->scale : 0;
        }
    }
}

typedef struct {
    real scale;
    unsigned char *kept;
} dropped;

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
    unsigned char *kept = at_scratch(t, x->len);
    if (at_failed(t))
        return at_poison(t);
    int sentences = x->shape.rank ? x->shape.dim[0] : 1;
    dropping d = {at_tape_random(t),
                  (uint32_t)((double)p * 4294967296.0),
                  1 / (1 - p),
                  sentences ? x->len / (size_t)sentences : 0,
                  x->value,
                  y->value,
                  kept};
    at_parallel_each(sentences, 10.0 * (double)d.per_sentence, drop_sentence, &d);
    *saved = (dropped){d.scale, kept};
    if (at_recording(t, INPUTS(x)))
        at_record(t, &at_op_dropout, INPUTS(x), OUTPUTS(y), saved);
    return y;
}

static void backward(const at_node *n)
{
    const dropped *saved = n->saved;
    const real *dy = at_grad_out(n, 0);
    real *dx = at_grad_add(n, 0);
    for (size_t i = 0; dx && i < n->in[0]->len; i++)
        dx[i] += saved->kept[i] ? dy[i] * saved->scale : 0;
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
