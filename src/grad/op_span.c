/* Extractive question answering (Devlin et al. 2019, 4.2): where an answer starts and where it ends
 * are two classifications over the positions of a text.
 *
 *     y = (cross_entropy(start, first) + cross_entropy(end, last)) / 2
 *
 * each the mean over the texts whose answer lies inside. */
#include <string.h>

#include "grad/cross_entropy.h"

typedef struct {
    at_targets *targets[2]; /* of start and end, with half of the weight */
    at_softmax_norm *norm;  /* [2][B] */
    const int *lengths;     /* [B]: positions that count */
} saved;

/* the classification of one text: over its own positions */
static at_targets of_text(const saved *s, int which, size_t text)
{
    at_targets one = *s->targets[which];
    one.classes = s->lengths[text];
    return one;
}

static const int *checked_lengths(at_tape *t, const int *lengths, int B, int T)
{
    int *copy = at_scratch(t, (size_t)B * sizeof *copy);
    for (int b = 0; copy && b < B; b++) {
        copy[b] = lengths ? lengths[b] : T;
        if (copy[b] < 0 || copy[b] > T) {
            at_fail(t, "span: length %d of text %d is outside 0..%d", copy[b], b, T);
            return NULL;
        }
    }
    return copy;
}

/* T stands for an answer that is not in the text */
static at_targets *targets_of(at_tape *t, const int *positions, const int *lengths, int B, int T,
                              real divisor)
{
    int *id = at_scratch(t, (size_t)B * sizeof *id);
    for (int b = 0; id && b < B; b++) {
        id[b] = positions[b] < 0 ? 0 : positions[b];
        id[b] = id[b] >= lengths[b] ? T : id[b];
    }
    if (!id)
        return NULL;
    at_targets *c = at_targets_new(t, "span", (at_ids){SHAPE(B), id}, (size_t)B, T,
                                   (at_cross_entropy_options){.ignore = T, .divisor = divisor});
    if (c)
        c->weight /= 2;
    return c;
}

at_tensor *at_span_loss(at_tape *t, at_tensor *start, at_tensor *end, at_span_targets targets,
                        real divisor)
{
    if (at_failed(t))
        return at_poison(t);
    if (start->shape.rank != 2 || start->shape.dim[1] < 1
        || !at_shape_equal(start->shape, end->shape))
        return at_fail(t, "span: logits of start %s and end %s must be [texts, positions] alike",
                       at_shape_print(start->shape).text, at_shape_print(end->shape).text);
    int B = start->shape.dim[0], T = start->shape.dim[1];
    at_tensor *y = at_new(t, SCALAR), *in[2] = {start, end};
    saved *s = at_scratch(t, sizeof *s);
    at_softmax_norm *norm = at_scratch(t, 2 * (size_t)B * sizeof *norm);
    const int *lengths = checked_lengths(t, targets.lengths, B, T);
    if (at_failed(t))
        return at_poison(t);
    *s = (saved){{targets_of(t, targets.first, lengths, B, T, divisor),
                  targets_of(t, targets.last, lengths, B, T, divisor)},
                 norm,
                 lengths};
    if (at_failed(t))
        return at_poison(t);
    double sum = 0;
    for (int i = 0; i < 2 * B; i++) {
        at_targets one = of_text(s, i / B, (size_t)(i % B));
        sum += at_cross_entropy_row(&one, (size_t)(i % B),
                                    in[i / B]->value + (size_t)(i % B) * (size_t)T, norm + i);
    }
    y->value[0] = (real)sum;
    if (at_recording(t, INPUTS(start, end)))
        at_record(t, &at_op_span, INPUTS(start, end), OUTPUTS(y), s);
    return y;
}

static void backward(const at_node *n)
{
    const saved *s = n->saved;
    size_t B = (size_t)n->in[0]->shape.dim[0], T = (size_t)n->in[0]->shape.dim[1];
    for (int k = 0; k < 2; k++) {
        real *grad = n->in[k]->wants_grad ? at_scratch_reals(n->tape, B * T) : NULL;
        for (size_t b = 0; grad && b < B; b++) {
            at_targets one = of_text(s, k, b);
            size_t used = (size_t)one.classes;
            at_cross_entropy_grad(&one, b, n->in[k]->value + b * T, s->norm[(size_t)k * B + b],
                                  *at_grad_out(n, 0), grad + b * T);
            memset(grad + b * T + used, 0, (T - used) * sizeof *grad);
        }
        if (grad)
            at_grad_give(n, k, grad);
    }
}

/* an answer in the padding, one outside, one before the text */
static const int first[5] = {1, 3, 5, -1, 0}, last[5] = {3, 4, 5, 1, 0},
                 lengths[5] = {5, 3, 5, 2, 1};

static at_tensor *logits(at_tape *t, at_path s, const char *name)
{
    return at_param(t, s, name, SHAPE(5, 5), INIT_NORMAL(2));
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *a = logits(t, s, "start"), *b = logits(t, s, "end");
    at_tensor *whole = at_span_loss(t, at_scale(t, b, 2), a, (at_span_targets){first, last, NULL},
                                    3);
    return at_add(t, whole, at_span_loss(t, a, b, (at_span_targets){first, last, lengths}, 0));
}

/* sum of - log softmax at the positions that `at` marks */
static at_tensor *by_softmax(at_tape *t, at_tensor *x, const real *at, bool masked)
{
    real hidden[25] = {0};
    for (int i = 0; i < 25; i++)
        hidden[i] = masked && i % 5 >= lengths[i / 5] ? -1000 : 0;
    at_tensor *p = at_log_softmax(t, at_add(t, x, at_input(t, x->shape, hidden)));
    return at_sum(t, at_multiply(t, p, at_input(t, x->shape, at)));
}

static at_tensor *reference(at_tape *t, at_path s, const void *arg)
{
    const real sixth = -(real)1 / 6; /* three answers count: the divisor, and inside the texts */
    (void)arg;
    at_tensor *a = logits(t, s, "start"), *b = logits(t, s, "end");
    real mark[4][25] = {{0}};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 2; k++) {
            int at = k ? last[i] : first[i];
            at = at < 0 ? 0 : at;
            if (at < 5)
                mark[k][5 * i + at] = sixth;
            if (at < lengths[i])
                mark[2 + k][5 * i + at] = sixth;
        }
    at_tensor *whole = at_add(t, by_softmax(t, at_scale(t, b, 2), mark[0], false),
                              by_softmax(t, a, mark[1], false));
    return at_add(t, whole,
                  at_add(t, by_softmax(t, a, mark[2], true), by_softmax(t, b, mark[3], true)));
}

const at_op at_op_span = {
    .name = "span",
    .formula = "y = (xent(start, first) + xent(end, last)) / 2",
    .backward = backward,
    .sample = sample,
    .reference = reference,
};
