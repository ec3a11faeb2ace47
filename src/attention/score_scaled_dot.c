/* e_j = q . k_j / sqrt(d) (Vaswani et al. 2017, eq. 1): the scale keeps the softmax out of its
 * flat ends when d is large. */
#include "attention/attention.h"

static at_tensor *score(at_tape *t, at_path s, const at_how *how, const at_query *q,
                        const at_memory *m)
{
    (void)s, (void)how;
    real d = (real)at_shape_last(q->query->shape);
    return at_matmul(t, q->query, false, m->keys, true, 1 / real_sqrt(d));
}

static real dot_scale(int d) { return 1 / real_sqrt((real)(d ? d : 1)); }

const at_score at_score_scaled_dot = {
    .about = {.name = "scaled-dot",
              .formula = "e_j = q . k_j / sqrt(d)",
              .source = "Vaswani et al. 2017, eq. 1",
              .use = "Transformers, and whenever d is large",
              .cost = "n^2 d time, n^2 memory (linear in n without weights)",
              .parameters = "none"},
    .one_width = true,
    .dot_scale = dot_scale,
    .score = score,
};
