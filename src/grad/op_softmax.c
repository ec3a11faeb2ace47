/* y_j = exp(x_j - max x) / sum_k exp(x_k - max x) over the visible positions of each row; hidden
 * ones get exactly 0, a row that sees nothing is all 0. */
#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "grad/mask.h"
#include "grad/ops.h"
#include "grad/softmax_row.h"
#include "tensor/vector.h"

/* the first and one past the last place that is not hidden; begin == end: all are */
static void cut_hidden(const unsigned char *hidden, int *begin, int *end)
{
    while (*end > 0 && hidden[*end - 1])
        --*end;
    while (*begin < *end && hidden[*begin])
        ++*begin;
}

/* The sum's order counts from the first place that is seen to the last, so that nothing but these
 * decides its last bit: neither padding nor where a part of the keys was cut. */
void at_softmax_row(int n, int end, const unsigned char *hidden, const real *x, real *y)
{
    int begin = 0;
    if (hidden)
        cut_hidden(hidden, &begin, &end);
    memset(y, 0, (size_t)begin * sizeof *y);
    memset(y + end, 0, (size_t)(n - end) * sizeof *y);
    for (int j = begin; hidden && j < end; j++)
        y[j] = hidden[j] ? -(real)INFINITY : x[j];
    x = (hidden ? y : x) + begin;
    y += begin;
    size_t seen = (size_t)(end - begin);
    real max = at_vector()->max(seen, x);
    if (max == -(real)INFINITY) { /* nothing to see, or nothing that is a number */
        for (size_t j = 0; j < seen; j++)
            y[j] = isnan(x[j]) ? x[j] : 0;
        return;
    }
    real sum = at_vector()->exp_sum(seen, x, max, y);
    at_vector()->axpy(seen, 1 / sum, y, 0, y);
}

typedef struct {
    const at_mask_view *view;
    const real *x, *dy;
    real beta;
    real *y;
} rows;

static void forward_rows(void *arg, ptrdiff_t row, ptrdiff_t end)
{
    const rows *r = arg;
    const at_mask_view *v = r->view;
    for (; row < end; row++) {
        int i = (int)(row % v->queries), h = (int)(row / v->queries % v->heads);
        int b = (int)(row / v->queries / v->heads);
        at_softmax_row(v->keys, at_mask_end(v, b, i), at_mask_row(v, b, h, i), r->x + row * v->keys,
                       r->y + row * v->keys);
    }
}

static ptrdiff_t grain(int n) { return ATTEND_VECTOR_GRAIN / 4 / (n ? n : 1) + 1; }

at_tensor *at_softmax(at_tape *t, at_tensor *scores, const at_mask *mask)
{
    at_mask_view v;
    if (at_failed(t) || !at_mask_fit(t, "softmax", mask, scores->shape, &v))
        return at_poison(t);
    at_tensor *y = at_new(t, scores->shape);
    if (at_failed(t))
        return y;
    rows r = {.view = &v, .x = scores->value, .y = y->value};
    if (v.keys)
        at_parallel_for((ptrdiff_t)at_shape_rows(y->shape), grain(v.keys), forward_rows, &r);
    if (at_recording(t, INPUTS(scores)))
        at_record(t, &at_op_softmax, INPUTS(scores), OUTPUTS(y), NULL);
    return y;
}

static void backward_rows(void *arg, ptrdiff_t row, ptrdiff_t end)
{
    const rows *r = arg;
    int n = r->view->keys;
    for (; row < end; row++)
        at_vector()->softmax_back((size_t)n, r->x + row * n, r->dy + row * n, r->beta,
                                  r->y + row * n);
}

/* hidden positions have y = 0, so no gradient passes them */
static void backward(const at_node *n)
{
    at_mask_view v = {.keys = at_shape_last(n->out[0]->shape)};
    rows r = {.view = &v, .x = n->out[0]->value, .dy = at_grad_out(n, 0)};
    r.y = at_grad_in(n, 0, &r.beta);
    if (r.y && v.keys)
        at_parallel_for((ptrdiff_t)at_shape_rows(n->out[0]->shape), grain(v.keys), backward_rows,
                        &r);
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    static const int lengths[] = {5, 0};
    static const unsigned char hidden[] = {0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0};
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 2, 3, 5), INIT_NORMAL(1));
    at_mask mask = {.lengths = lengths,
                    .hidden = hidden,
                    .hidden_shape = SHAPE(3, 5),
                    .causal = true,
                    .offset = 2};
    at_tensor *both[] = {at_softmax(t, x, &mask), at_softmax(t, x, NULL)};
    return at_concat(t, 2, both, 0);
}

const at_op at_op_softmax = {
    .name = "softmax",
    .formula = "y_j = exp x_j / sum_k exp x_k over visible k",
    .backward = backward,
    .sample = sample,
};
