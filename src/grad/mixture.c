/* Cross-entropy where a softmax s is mixed with something else that says words, o:
 *
 *     p = g s_y + (1 - g) o_y, g = sigmoid(gate)
 *     loss = -(1 - e) log p - e mean_k log s_k
 *
 * With r = g s_y / p, the softmax's share of what was right, all gradients are those of separate
 * losses, weighted:
 *
 *     dlogits = (1 - e) r (s - 1_y) + e (s - 1/V)
 *     do_y    = -(1 - e) (1 - r) / o_y
 *     dgate   = (1 - e) (g - r) */
#include <string.h>

#include "grad/cross_entropy.h"
#include "tensor/vector.h"

/* what is less likely counts as 0: 1/p is a float */
static const real min = (real)1e-37;

static double softplus(double x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }

at_mixed at_mix(real gate, double log_s, real other)
{
    double a = log_s - softplus(-(double)gate), b = -INFINITY;
    if (other >= min)
        b = log((double)other) - softplus((double)gate);
    double top = fmax(a, b), g = exp(-softplus(-(double)gate));
    if (top == -INFINITY)
        return (at_mixed){log((double)min), g, NAN};
    double log_p = top + log1p(exp(fmin(a, b) - top));
    return (at_mixed){log_p, g, exp(a - log_p)};
}

static void put(real *to, size_t row, double value)
{
    if (to)
        to[row] = (real)value;
}

double at_mixture_both(const at_targets *c, const at_mixture *m, size_t row, real *logits,
                       bool gradient)
{
    size_t n = (size_t)c->classes;
    int y = c->target[row];
    put(m->dgate, row, 0);
    put(m->dother, row, 0);
    put(m->nll, row, 0);
    if (y == c->options.ignore) {
        memset(logits, 0, gradient ? n * sizeof *logits : 0);
        return 0;
    }
    double e = (double)c->options.smoothing, w = (double)c->weight;
    real all = e != 0 ? at_vector()->sum(n, logits) : 0, max = at_vector()->max(n, logits);
    double of_target = y < c->classes ? (double)logits[y] : -INFINITY;
    real sum = gradient ? at_vector()->exp_sum(n, logits, max, logits)
                        : at_vector()->sum_exp(n, logits, max);
    double log_sum = (double)max + log((double)sum);
    at_mixed p = at_mix(m->gate[row], of_target - log_sum, m->other[row]);
    double r = isnan(p.share) ? 0 : p.share;
    if (gradient) {
        at_vector()->scale_shift(n, (real)(w * ((1 - e) * r + e) / (double)sum),
                                 (real)(-w * e / (double)n), logits);
        if (y < c->classes)
            logits[y] -= (real)(w * (1 - e) * r);
    }
    if (!isnan(p.share)) {
        put(m->dgate, row, w * (1 - e) * (p.gate - r));
        put(m->dother, row, m->other[row] < min ? 0 : -w * (1 - e) * (1 - r) / m->other[row]);
    }
    put(m->nll, row, -p.log_p);
    return w * (-(1 - e) * p.log_p + e * (log_sum - (double)all / (double)n));
}
