/* One position gets weight 1 (Xu et al. 2015, section 4.1). While training it is drawn from
 * p = softmax(e), else it is the one with the highest score (the first of equals).
 *
 * The weights pass no gradient to the scores. Learning goes through log p(s) and the entropy H,
 * which the read gives beside them: REINFORCE adds to the loss, for each draw,
 *     stop(G_t - baseline) log p(s_t) - lambda H_t        (train/reinforce.h)
 * hard:straight-through forwards the draw and sends gradients back as if it were p. */
#include <string.h>

#include "attention/attention.h"
#include "grad/mask.h"
#include "grad/softmax_row.h"
#include "tensor/vector.h"

typedef struct {
    real *p;     /* [rows,K] */
    int *picked; /* [rows], -1 where nothing is visible */
    bool through;
} drawn;

/* the first j with u < p_0 + .. + p_j; the last visible one where rounding leaves a gap */
static int draw(int n, const real *p, double u)
{
    double sum = 0;
    int last = -1;
    for (int j = 0; j < n; j++) {
        if (p[j] <= 0)
            continue;
        sum += (double)p[j];
        last = j;
        if (u < sum)
            return j;
    }
    return last;
}

static int highest(int n, const real *p)
{
    int best = -1;
    for (int j = 0; j < n; j++)
        if (p[j] > 0 && (best < 0 || p[j] > p[best]))
            best = j;
    return best;
}

/* the first visible position with the highest score: p may round two scores to one */
static int highest_score(int end, const unsigned char *hidden, const real *e, const real *p, int n)
{
    int best = -1;
    for (int j = 0; j < end; j++)
        if ((!hidden || !hidden[j]) && (best < 0 || e[j] > e[best]))
            best = j;
    return best >= 0 ? best : highest(n, p);
}

static void entropy_row(int n, const real *p, int picked, real *log_p, real *entropy)
{
    double h = 0;
    for (int j = 0; j < n; j++)
        if (p[j] > 0)
            h -= (double)p[j] * log((double)p[j]);
    *log_p = picked >= 0 ? (real)log((double)p[picked]) : 0;
    *entropy = (real)h;
}

static void pick_rows(at_tape *t, const at_mask_view *v, const real *e, drawn *d, real *w,
                      real *log_p, real *entropy)
{
    at_random key = at_tape_random(t);
    bool sample = at_tape_mode(t) == ATTEND_TRAIN;
    size_t K = (size_t)v->keys;
    for (int row = 0; row < v->batch * v->heads * v->queries; row++) {
        int i = row % v->queries, h = row / v->queries % v->heads, b = row / v->queries / v->heads;
        int end = at_mask_end(v, b, i);
        const unsigned char *hidden = at_mask_row(v, b, h, i);
        real *p = d->p + (size_t)row * K;
        at_random mine = key;
        mine.sentence += (uint32_t)b;
        at_softmax_row(v->keys, end, hidden, e + (size_t)row * K, p);
        int s = sample ? draw(v->keys, p, at_random_uniform(mine, (uint32_t)(h * v->queries + i)))
                       : highest_score(end, hidden, e + (size_t)row * K, p, v->keys);
        d->picked[row] = s;
        memset(w + (size_t)row * K, 0, K * sizeof *w);
        if (s >= 0)
            w[(size_t)row * K + (size_t)s] = 1;
        entropy_row(v->keys, p, s, log_p + row, entropy + row);
    }
}

static at_picked hard_pick(at_tape *t, at_tensor *scores, const at_mask *mask, bool through)
{
    at_picked poison = {at_poison(t), at_poison(t), at_poison(t)};
    at_mask_view v;
    if (at_failed(t) || !at_mask_fit(t, "hard", mask, scores->shape, &v))
        return poison;
    at_shape rows = scores->shape;
    rows.rank--;
    at_picked r = {at_new(t, scores->shape), at_new(t, rows), at_new(t, rows)};
    drawn *d = at_scratch(t, sizeof *d);
    if (at_failed(t))
        return poison;
    *d = (drawn){at_scratch_reals(t, scores->len), at_scratch(t, r.log_p->len * sizeof(int)),
                 through};
    if (at_failed(t))
        return poison;
    pick_rows(t, &v, scores->value, d, r.weights->value, r.log_p->value, r.entropy->value);
    if (at_recording(t, INPUTS(scores)))
        at_record(t, &at_op_hard_pick, INPUTS(scores), OUTPUTS(r.weights, r.log_p, r.entropy), d);
    return r;
}

/* d log p(s) = 1_s - p;  dH = -p (log p + H);  straight-through: softmax's own */
static void backward(const at_node *n)
{
    const drawn *d = n->saved;
    const real *dw = at_grad_out(n, 0), *dl = at_grad_out(n, 1), *dh = at_grad_out(n, 2);
    size_t K = (size_t)at_shape_last(n->in[0]->shape);
    real *dx = at_grad_add(n, 0);
    for (size_t row = 0; dx && row < n->out[1]->len; row++, dx += K) {
        const real *p = d->p + row * K;
        if (d->picked[row] < 0)
            continue;
        if (dw && d->through)
            at_vector()->softmax_back(K, p, dw + row * K, 1, dx);
        if (dl) {
            at_vector()->axpy(K, -dl[row], p, 1, dx);
            dx[d->picked[row]] += dl[row];
        }
        for (size_t j = 0; dh && j < K; j++)
            if (p[j] > 0)
                dx[j] -= dh[row] * p[j] * (real_log(p[j]) + n->out[2]->value[row]);
    }
}

/* the weights have no derivative: what is checked is log p and H */
static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    static const int lengths[] = {4, 3};
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 3, 4), INIT_NORMAL(1));
    at_mask mask = {.lengths = lengths};
    at_picked r = hard_pick(t, x, &mask, false);
    return at_concat(t, 2, (at_tensor *[]){r.log_p, r.entropy}, 0);
}

const at_op at_op_hard_pick = {
    .name = "hard_pick",
    .formula = "w = 1_s, s ~ softmax(e) or argmax e",
    .backward = backward,
    .sample = sample,
};

static bool is_straight_through(const at_how *how) { return how->pick_values.given > 0; }

static bool needs_reward(const at_how *how) { return !is_straight_through(how); }

static at_picked pick(at_tape *t, const at_how *how, at_tensor *scores, const at_mask *mask)
{
    return hard_pick(t, scores, mask, is_straight_through(how));
}

const at_pick at_pick_hard = {
    .about = {.name = "hard",
              .values = "straight-through",
              .value = {{.kind = ATTEND_VALUE_WORD}},
              .formula = "w = 1_s, s ~ softmax(e) in training, argmax e after it",
              .source = "Xu et al. 2015, section 4.1",
              .use = "one place at a time, plainly readable; noisy to train",
              .cost = "n^2",
              .parameters = "none"},
    .draws = true,
    .needs_reward = needs_reward,
    .pick = pick,
};
