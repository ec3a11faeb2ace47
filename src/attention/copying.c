/* The copy output where not all probabilities are wanted at once: training asks for that of one
 * word, searching for the logarithms of all. */
#include <string.h>

#include "attention/output.h"
#include "base/threads.h"
#include "grad/cross_entropy.h"
#include "tensor/vector.h"

/* ---- the op: y_bt = sum of w_btj over j with x_bj = target_bt ----------------------------- */

typedef struct {
    int B, T, S;
    const int *source, *target; /* copies on the tape: [B,S], [B,T] */
} kept;

static bool fits(at_tensor *weights, at_ids source, at_ids targets)
{
    at_shape w = weights->shape, s = source.shape, y = targets.shape;
    return w.rank == 3 && s.rank == 2 && y.rank == 2 && w.dim[0] == s.dim[0] && w.dim[2] == s.dim[1]
           && w.dim[0] == y.dim[0] && w.dim[1] == y.dim[1];
}

static int *keep_ids(at_tape *t, at_ids ids)
{
    size_t n = (size_t)ids.shape.dim[0] * (size_t)ids.shape.dim[1];
    int *copy = at_scratch(t, n * sizeof *copy);
    if (copy && n)
        memcpy(copy, ids.id, n * sizeof *copy);
    return copy;
}

static real mass_of(const kept *k, int row, const real *weights)
{
    const int *source = k->source + (size_t)(row / k->T) * (size_t)k->S;
    real sum = 0;
    for (int j = 0; j < k->S && k->target[row] >= 0; j++)
        sum += source[j] == k->target[row] ? weights[j] : 0;
    return sum;
}

at_tensor *at_output_copied_mass(at_tape *t, at_tensor *weights, at_ids source, at_ids targets)
{
    if (at_failed(t))
        return at_poison(t);
    if (!fits(weights, source, targets))
        return at_fail(t, "copied mass: weights %s, source %s and targets %s do not fit",
                       at_shape_print(weights->shape).text, at_shape_print(source.shape).text,
                       at_shape_print(targets.shape).text);
    int B = weights->shape.dim[0], T = weights->shape.dim[1], S = weights->shape.dim[2];
    at_tensor *y = at_new(t, SHAPE(B, T));
    kept *k = at_scratch(t, sizeof *k);
    int *from = keep_ids(t, source), *to = keep_ids(t, targets);
    if (at_failed(t))
        return at_poison(t);
    *k = (kept){B, T, S, from, to};
    for (int row = 0; row < B * T; row++)
        y->value[row] = mass_of(k, row, weights->value + (size_t)row * (size_t)S);
    if (at_recording(t, INPUTS(weights)))
        at_record(t, &at_op_copied_mass, INPUTS(weights), OUTPUTS(y), k);
    return y;
}

static void backward(const at_node *n)
{
    const kept *k = n->saved;
    const real *dy = at_grad_out(n, 0);
    real *dw = at_grad_add(n, 0);
    for (int row = 0; dw && row < k->B * k->T; row++) {
        const int *source = k->source + (size_t)(row / k->T) * (size_t)k->S;
        for (int j = 0; j < k->S && k->target[row] >= 0; j++)
            dw[(size_t)row * (size_t)k->S + (size_t)j] += source[j] == k->target[row] ? dy[row] : 0;
    }
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    static const int source[] = {1, 5, 1, 0, 4, 4}, targets[] = {1, -1, 4, 2};
    (void)arg;
    at_tensor *weights = at_param(t, s, "weights", SHAPE(2, 2, 3), INIT_NORMAL(1));
    return at_output_copied_mass(t, weights, (at_ids){SHAPE(2, 3), source},
                                 (at_ids){SHAPE(2, 2), targets});
}

const at_op at_op_copied_mass = {
    .name = "copied_mass",
    .formula = "y = sum_{j: x_j = target} w_j",
    .backward = backward,
    .sample = sample,
    .forgets_output = true,
};

/* ---- all words ---------------------------------------------------------------------------- */

typedef struct {
    int V, K, each; /* each: rows of a sentence */
    const at_copies *copies;
    const real *logits, *weights, *gate;
    real *mass; /* [rows,K]: of the word at each place */
    real *log_p;
} mixing;

/* mass[j] = what all places of word x_j have together, summed in row[x_j] */
static void gather(int K, const int *source, const real *weights, real *row, real *mass)
{
    for (int j = 0; j < K && source[j] >= 0; j++)
        row[source[j]] = 0;
    for (int j = 0; j < K && source[j] >= 0; j++)
        row[source[j]] += weights[j];
    for (int j = 0; j < K && source[j] >= 0; j++)
        mass[j] = row[source[j]];
}

static void mix_row(const mixing *m, ptrdiff_t r)
{
    int V = m->V, K = m->K, all = V + m->copies->max;
    ptrdiff_t sentence = r / m->each;
    const int *source = m->copies->source.id + sentence * K;
    const real *logits = m->logits + r * V;
    real *row = m->log_p + r * all, *mass = m->mass + r * K;
    gather(K, source, m->weights + r * K, row, mass);
    real max = at_vector()->max((size_t)V, logits);
    double log_sum = (double)max + log((double)at_vector()->sum_exp((size_t)V, logits, max));
    memcpy(row, logits, (size_t)V * sizeof *row);
    at_vector()->scale_shift((size_t)V, 1, (real)at_mix(m->gate[r], -log_sum, 0).log_p, row);
    for (int i = 0; i < m->copies->max; i++)
        row[V + i] = i < m->copies->extra[sentence] ? (real)at_mix(m->gate[r], -INFINITY, 0).log_p
                                                    : -INFINITY;
    for (int j = 0; j < K && source[j] >= 0; j++) {
        int x = source[j];
        double log_s = x < V ? (double)logits[x] - log_sum : -INFINITY;
        row[x] = (real)at_mix(m->gate[r], log_s, mass[j]).log_p;
    }
}

static void mix_rows(void *arg, ptrdiff_t r, ptrdiff_t end)
{
    for (; r < end; r++)
        mix_row(arg, r);
}

static bool known(at_tape *t, const at_copies *c, int V)
{
    for (int i = 0; i < c->source.shape.dim[0] * c->source.shape.dim[1]; i++)
        if (c->source.id[i] >= V + c->max) {
            at_fail(t, "copy: source word %d at place %d is above %d", c->source.id[i], i,
                    V + c->max - 1);
            return false;
        }
    return true;
}

at_tensor *at_output_copied_log(at_tape *t, at_tensor *logits, at_tensor *weights, at_tensor *gate,
                                const at_copies *copies)
{
    if (at_failed(t))
        return at_poison(t);
    at_shape a = logits->shape, b = weights->shape, s = copies->source.shape;
    bool fit = a.rank == 2 && b.rank == 2 && s.rank == 2 && a.dim[0] == b.dim[0]
               && gate->len == (size_t)a.dim[0] && b.dim[1] == s.dim[1] && s.dim[0] > 0
               && a.dim[0] % s.dim[0] == 0;
    if (!fit)
        return at_fail(t, "copy: logits %s, weights %s, gates %s and source %s do not fit",
                       at_shape_print(a).text, at_shape_print(b).text,
                       at_shape_print(gate->shape).text, at_shape_print(s).text);
    if (!known(t, copies, a.dim[1]))
        return at_poison(t);
    at_tensor *y = at_new(t, SHAPE(a.dim[0], a.dim[1] + copies->max));
    mixing m = {.V = a.dim[1],
                .K = b.dim[1],
                .each = a.dim[0] / s.dim[0],
                .copies = copies,
                .logits = logits->value,
                .weights = weights->value,
                .gate = gate->value,
                .mass = at_scratch_reals(t, weights->len)};
    if (at_failed(t))
        return at_poison(t);
    m.log_p = y->value;
    at_parallel_for(a.dim[0], ATTEND_VECTOR_GRAIN / a.dim[1] + 1, mix_rows, &m);
    return y;
}
