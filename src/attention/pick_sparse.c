/* w = sparsemax(e): the point of the simplex nearest to e (Martins and Astudillo 2016, alg. 1).
 * With the scores sorted, the support is the longest head with 1 + k e_(k) > sum of it; tau makes
 * the rest sum to one, and w = max(e - tau, 0). Backward: inside the support, dy minus its mean. */
#include <stdlib.h>
#include <string.h>

#include "attention/attention.h"
#include "grad/mask.h"

static int descending(const void *a, const void *b)
{
    real x = *(const real *)a, y = *(const real *)b;
    return (x < y) - (x > y);
}

/* one row; sorted is room for n numbers */
static void sparse_row(int n, int end, const unsigned char *hidden, const real *e, real *w,
                       real *sorted)
{
    int count = 0;
    for (int j = 0; j < end; j++)
        if (!hidden || !hidden[j])
            sorted[count++] = e[j];
    memset(w, 0, (size_t)n * sizeof *w);
    if (count == 0)
        return;
    qsort(sorted, (size_t)count, sizeof *sorted, descending);
    double sum = 0, tau = 0;
    for (int k = 0; k < count; k++) {
        sum += (double)sorted[k];
        if (1 + (k + 1) * (double)sorted[k] > sum)
            tau = (sum - 1) / (k + 1);
    }
    for (int j = 0; j < end; j++)
        if ((!hidden || !hidden[j]) && (double)e[j] > tau)
            w[j] = (real)((double)e[j] - tau);
}

static at_tensor *sparsemax(at_tape *t, at_tensor *scores, const at_mask *mask)
{
    at_mask_view v;
    if (at_failed(t) || !at_mask_fit(t, "sparse", mask, scores->shape, &v))
        return at_poison(t);
    at_tensor *y = at_new(t, scores->shape);
    real *sorted = at_scratch_reals(t, (size_t)v.keys);
    if (at_failed(t))
        return at_poison(t);
    size_t n = (size_t)v.keys;
    for (int row = 0; row < v.batch * v.heads * v.queries; row++) {
        int i = row % v.queries, h = row / v.queries % v.heads, b = row / v.queries / v.heads;
        sparse_row(v.keys, at_mask_end(&v, b, i), at_mask_row(&v, b, h, i),
                   scores->value + (size_t)row * n, y->value + (size_t)row * n, sorted);
    }
    if (at_recording(t, INPUTS(scores)))
        at_record(t, &at_op_sparsemax, INPUTS(scores), OUTPUTS(y), NULL);
    return y;
}

static void backward(const at_node *n)
{
    size_t size = (size_t)at_shape_last(n->out[0]->shape);
    const real *y = n->out[0]->value, *dy = at_grad_out(n, 0);
    real *dx = at_grad_add(n, 0);
    for (size_t row = 0; dx && row < at_shape_rows(n->out[0]->shape); row++) {
        double mean = 0, count = 0;
        for (size_t j = row * size; j < (row + 1) * size; j++)
            if (y[j] > 0) {
                mean += (double)dy[j];
                count++;
            }
        for (size_t j = row * size; j < (row + 1) * size; j++)
            if (y[j] > 0)
                dx[j] += dy[j] - (real)(mean / count);
    }
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    static const int lengths[] = {5, 0};
    static const unsigned char hidden[] = {0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 3, 5), INIT_NORMAL(1));
    at_mask mask = {.lengths = lengths, .hidden = hidden, .hidden_shape = SHAPE(3, 5)};
    return at_concat(t, 2, (at_tensor *[]){sparsemax(t, x, &mask), sparsemax(t, x, NULL)}, 0);
}

const at_op at_op_sparsemax = {
    .name = "sparsemax",
    .formula = "w = argmin over the simplex of |w - e|^2",
    .backward = backward,
    .sample = sample,
};

static at_picked pick(at_tape *t, const at_how *how, at_tensor *scores, const at_mask *mask)
{
    (void)how;
    return (at_picked){.weights = sparsemax(t, scores, mask)};
}

const at_pick at_pick_sparse = {
    .about = {.name = "sparse",
              .formula = "w = argmin over the simplex of |w - e|^2",
              .source = "Martins and Astudillo 2016, alg. 1",
              .use = "weights with exact zeros: easier to read, still trained by gradients",
              .cost = "n^2 log n",
              .parameters = "none"},
    .pick = pick,
};
