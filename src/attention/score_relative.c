/* e_j = [(q + u) . k_j + (q + w) . (W_r R_{i-j})] / sqrt(d): content and distance (Dai et al. 2019,
 * section 3.3). R_r = [sin(r f) | cos(r f)], f_m = 10000^(-2m/d), the two halves side by side; i
 * and j are positions, so that keys of an earlier segment have larger distances. */
#include "attention/attention.h"
#include "attention/parts.h"
#include "tensor/vector.h"

/* ---- the op: x [B,Q,n+K-1] -> [B,Q,K], y[i,j] = x[i, a_i+K-1-j], a_i < n -------------------- */

/* a [B,Q]: how far each query stands ahead of the first one of all */
static void shift_row(int K, int i, const real *x, real *y)
{
    for (int j = 0; j < K; j++)
        y[j] = x[i + K - 1 - j];
}

static at_tensor *relative_shift(at_tape *t, at_tensor *x, int K, int *ahead)
{
    if (at_failed(t))
        return at_poison(t);
    int B = x->shape.dim[0], Q = x->shape.dim[1], wide = x->shape.dim[2];
    at_tensor *y = at_new(t, SHAPE(B, Q, K));
    if (at_failed(t))
        return y;
    for (int row = 0; row < B * Q; row++)
        shift_row(K, ahead[row], x->value + (size_t)row * (size_t)wide,
                  y->value + (size_t)row * (size_t)K);
    if (at_recording(t, INPUTS(x)))
        at_record(t, &at_op_relative_shift, INPUTS(x), OUTPUTS(y), ahead);
    return y;
}

static void shift_backward(const at_node *n)
{
    int B = n->out[0]->shape.dim[0], Q = n->out[0]->shape.dim[1], K = n->out[0]->shape.dim[2];
    int wide = n->in[0]->shape.dim[2];
    const int *ahead = n->saved;
    const real *dy = at_grad_out(n, 0);
    real *dx = at_grad_add(n, 0);
    for (int row = 0; dx && row < B * Q; row++)
        for (int j = 0; j < K; j++)
            dx[(size_t)row * (size_t)wide + (size_t)(ahead[row] + K - 1 - j)] += *dy++;
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    static int steps[] = {0, 1, 2, 0, 1, 2}, none[6], apart[] = {1, 2, 3, 0, 1, 2};
    (void)arg;
    at_tensor *w = at_param(t, s, "w", SHAPE(2, 3, 7), INIT_NORMAL(1));
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 3, 6), INIT_NORMAL(1));
    at_tensor *z = at_param(t, s, "z", SHAPE(2, 3, 4), INIT_NORMAL(1));
    return at_concat(t, 3,
                     (at_tensor *[]){relative_shift(t, x, 4, steps), relative_shift(t, z, 4, none),
                                     relative_shift(t, w, 4, apart)},
                     1);
}

const at_op at_op_relative_shift = {
    .name = "relative_shift",
    .formula = "y_ij = x_{i, a_i+K-1-j}",
    .backward = shift_backward,
    .sample = sample,
    .forgets_output = true,
};

/* ---- the score ---------------------------------------------------------------------------- */

/* R of the distances from, from + 1, ..: [count, width], the width rounded up to even */
static at_tensor *distances(at_tape *t, int from, int count, int width)
{
    at_tensor *r = at_new(t, SHAPE(count, width));
    int half = width / 2;
    for (int i = 0; !at_failed(t) && i < count; i++)
        for (int m = 0; m < half; m++) {
            double angle = ((double)from + i) * pow(10000, -2.0 * m / width);
            r->value[(size_t)i * (size_t)width + (size_t)m] = (real)sin(angle);
            r->value[(size_t)i * (size_t)width + (size_t)(half + m)] = (real)cos(angle);
        }
    return r;
}

/* where the first of all queries stands, and how far each is ahead of it, [B,Q]; NULL without
 * memory */
static int *positions_of(at_tape *t, const at_query *q, int *first, int *max)
{
    int B = q->query->shape.dim[0], Q = q->query->shape.dim[1];
    int *ahead = at_scratch(t, (size_t)B * (size_t)Q * sizeof *ahead);
    *first = B ? at_mask_first(&q->mask, 0) : 0;
    *max = 0;
    for (int b = 1; q->mask.first && b < B; b++)
        *first = q->mask.first[b] < *first ? q->mask.first[b] : *first;
    for (int row = 0; ahead && row < B * Q; row++) {
        ahead[row] = at_stand(q, row / Q, row % Q) - *first;
        *max = ahead[row] > *max ? ahead[row] : *max;
    }
    return ahead;
}

static at_tensor *score(at_tape *t, at_path s, const at_how *how, const at_query *q,
                        const at_memory *m)
{
    (void)how;
    if (at_failed(t))
        return at_poison(t);
    int d = m->width, even = d + d % 2, K = m->keys->shape.dim[1];
    int first, max, *ahead = positions_of(t, q, &first, &max);
    if (!ahead)
        return at_poison(t);
    at_init small = INIT_NORMAL((real)0.02);
    at_tensor *u = at_param(t, s, "content_bias", SHAPE(d), small);
    at_tensor *w = at_param(t, s, "distance_bias", SHAPE(d), small);
    at_tensor *project = at_param(t, s, "distance", SHAPE(d, even), INIT_GLOROT);
    at_tensor *r = distances(t, first - m->first - (K - 1), max + K, even);
    r = at_affine(t, r, project, NULL, ATTEND_OUT_IN); /* [max+K, d] */
    real scale = 1 / real_sqrt((real)d);
    at_tensor *content = at_matmul(t, at_add(t, q->query, u), false, m->keys, true, scale);
    at_tensor *far = at_matmul(t, at_add(t, q->query, w), false, r, true, scale);
    return at_add(t, content, relative_shift(t, far, K, ahead));
}

const at_score at_score_relative = {
    .about = {.name = "relative",
              .formula = "e_j = [(q + u) . k_j + (q + w) . W_r R_{i-j}] / sqrt(d)",
              .source = "Dai et al. 2019, section 3.3",
              .use = "self-attention where distance counts, not place; long texts in segments",
              .cost = "3 n^2 d time, 3 n^2 memory",
              .parameters = "u [d], w [d], W_r [d,d]"},
    .one_width = true,
    .knows_positions = true,
    .score = score,
};
