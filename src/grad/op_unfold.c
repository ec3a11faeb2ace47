/* y_t = [x_{t-l} .. x_{t-l+w-1}], l = (w - 1) / 2: each position with its neighbours, so that a
 * convolution is a product (nn/convolution.c). Columns are ordered as the weights of
 * torch.nn.Conv1d are: y[t][d w + k] = x[t - l + k][d]. What lies outside a sentence is 0, and so
 * are rows behind its end. */
#include <string.h>

#include "grad/ops.h"

typedef struct {
    int B, T, D, width, left;
    int *lengths; /* [B] */
} sizes;

/* positions that both the window of t and the sentence have: from begin to end */
static void window(const sizes *s, int b, int t, int *begin, int *end)
{
    *begin = t - s->left < 0 ? 0 : t - s->left;
    *end = t - s->left + s->width < s->lengths[b] ? t - s->left + s->width : s->lengths[b];
}

static sizes *take_sizes(at_tape *t, const at_tensor *x, int width, const int *lengths)
{
    sizes *s = at_scratch(t, sizeof *s);
    int B = x->shape.dim[0], T = x->shape.dim[1];
    int *kept = at_scratch(t, (size_t)(B ? B : 1) * sizeof *kept);
    if (!s || !kept)
        return NULL;
    for (int b = 0; b < B; b++)
        kept[b] = lengths && lengths[b] < T ? lengths[b] : T;
    *s = (sizes){B, T, x->shape.dim[2], width, (width - 1) / 2, kept};
    return s;
}

at_tensor *at_unfold(at_tape *t, at_tensor *x, int width, const int *lengths)
{
    if (at_failed(t))
        return at_poison(t);
    if (x->shape.rank != 3 || width < 1)
        return at_fail(t, "unfold: windows of %d cannot be taken of %s; it takes [B,T,D]", width,
                       at_shape_print(x->shape).text);
    at_tensor *y = at_zeros(t, SHAPE(x->shape.dim[0], x->shape.dim[1], x->shape.dim[2] * width));
    const sizes *s = at_failed(t) ? NULL : take_sizes(t, x, width, lengths);
    if (!s)
        return at_poison(t);
    size_t D = (size_t)s->D, w = (size_t)width;
    for (int b = 0; b < s->B; b++)
        for (int i = 0; i < s->lengths[b]; i++) {
            int begin, end;
            window(s, b, i, &begin, &end);
            real *row = y->value + (size_t)(b * s->T + i) * D * w;
            for (int j = begin; j < end; j++) {
                const real *from = x->value + (size_t)(b * s->T + j) * D;
                real *to = row + (j - i + s->left);
                for (size_t d = 0; d < D; d++)
                    to[d * w] = from[d];
            }
        }
    if (at_recording(t, INPUTS(x)))
        at_record(t, &at_op_unfold, INPUTS(x), OUTPUTS(y), (void *)s);
    return y;
}

static void backward(const at_node *n)
{
    const sizes *s = n->saved;
    const real *dy = at_grad_out(n, 0);
    real *dx = at_grad_add(n, 0);
    size_t D = (size_t)s->D, w = (size_t)s->width;
    for (int b = 0; dx && b < s->B; b++)
        for (int i = 0; i < s->lengths[b]; i++) {
            int begin, end;
            window(s, b, i, &begin, &end);
            const real *row = dy + (size_t)(b * s->T + i) * D * w;
            for (int j = begin; j < end; j++) {
                real *to = dx + (size_t)(b * s->T + j) * D;
                const real *from = row + (j - i + s->left);
                for (size_t d = 0; d < D; d++)
                    to[d] += from[d * w];
            }
        }
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    static const int lengths[] = {4, 2};
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 4, 2), INIT_NORMAL(1));
    at_tensor *y = at_unfold(t, at_multiply(t, x, x), 3, lengths);
    return at_concat(t, 2, (at_tensor *[]){y, at_unfold(t, x, 2, NULL)}, 2);
}

/* the same from slices: the sentence moved by each of the window's places */
static at_tensor *reference(at_tape *t, at_path s, const void *arg)
{
    static const real inside[] = {1, 1, 1, 1, 1, 1, 0, 0};
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 4, 2), INIT_NORMAL(1)), *parts[3];
    at_tensor *mask = at_input(t, SHAPE(2, 4, 1), inside), *none = at_zeros(t, SHAPE(2, 1, 2));
    at_tensor *square = at_multiply(t, at_multiply(t, x, x), mask);
    at_tensor *before[] = {none, at_slice(t, square, 1, 0, 3)};
    at_tensor *after[] = {at_slice(t, square, 1, 1, 4), none};
    at_tensor *next[] = {at_slice(t, x, 1, 1, 4), none};
    parts[0] = at_multiply(t, at_concat(t, 2, before, 1), mask);
    parts[1] = square;
    parts[2] = at_concat(t, 2, after, 1);
    for (int i = 0; i < 3 && !at_failed(t); i++)
        parts[i] = at_reshape(t, parts[i], SHAPE(2, 4, 2, 1));
    at_tensor *three = at_reshape(t, at_concat(t, 3, parts, 3), SHAPE(2, 4, 6));
    parts[0] = at_reshape(t, x, SHAPE(2, 4, 2, 1));
    parts[1] = at_reshape(t, at_concat(t, 2, next, 1), SHAPE(2, 4, 2, 1));
    at_tensor *two = at_reshape(t, at_concat(t, 2, parts, 3), SHAPE(2, 4, 4));
    return at_concat(t, 2, (at_tensor *[]){three, two}, 2);
}

const at_op at_op_unfold = {
    .name = "unfold",
    .formula = "y_t = [x_{t-l}; ..; x_{t-l+w-1}]",
    .backward = backward,
    .sample = sample,
    .reference = reference,
    .forgets_output = true,
};
