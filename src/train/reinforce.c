#include "train/reinforce.h"

void at_baseline_update(at_baseline *b, double nll, double words)
{
    if (words <= 0)
        return;
    b->mean = b->started ? 0.9 * b->mean + 0.1 * nll / words : nll / words;
    b->started = true;
}

/* G_t - b (words left), for one sentence; 0 beyond its end */
static void rewards(int T, int length, const real *nll, double baseline, real *out)
{
    double rest = 0;
    for (int i = T - 1; i >= 0; i--) {
        rest += i < length ? (double)nll[i] - baseline : 0;
        out[i] = i < length ? (real)rest : 0;
    }
}

at_tensor *at_reinforce(at_tape *t, at_tensor *log_p, at_tensor *entropy, const real *nll,
                        const int *lengths, const at_baseline *b, at_reinforce_options options)
{
    if (at_failed(t))
        return at_poison(t);
    at_shape s = log_p->shape;
    if (s.rank != 3 || !at_shape_equal(s, entropy->shape))
        return at_fail(t, "reinforce: log p %s and entropy %s must be [batch, heads, time]",
                       at_shape_print(s).text, at_shape_print(entropy->shape).text);
    int H = s.dim[1], T = s.dim[2];
    at_tensor *reward = at_new(t, s), *counts = at_new(t, s);
    for (int row = 0; !at_failed(t) && row < s.dim[0] * H; row++) {
        int length = lengths ? lengths[row / H] : T;
        rewards(T, length, nll + row / H * T, b->started ? b->mean : 0, reward->value + row * T);
        for (int i = 0; i < T; i++)
            counts->value[row * T + i] = i < length ? -options.entropy : 0;
    }
    at_tensor *drawn = at_sum(t, at_multiply(t, log_p, reward));
    at_tensor *curious = at_sum(t, at_multiply(t, entropy, counts));
    return at_scale(t, at_add(t, drawn, curious), options.weight);
}
