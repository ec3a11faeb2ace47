/* e_j = a (q . k_j) / sqrt(d) + b (q . v_j) / sqrt(d): what is said counts beside what it is
 * filed under. a starts at 1, b at 0, so that learning starts from scaled-dot. */
#include "attention/attention.h"

static at_tensor *score(at_tape *t, at_path s, const at_how *how, const at_query *q,
                        const at_memory *m)
{
    (void)how;
    real scale = 1 / real_sqrt((real)at_shape_last(q->query->shape));
    at_tensor *a = at_param(t, s, "a", SHAPE(1), INIT_ONE);
    at_tensor *b = at_param(t, s, "b", SHAPE(1), INIT_ZERO);
    at_tensor *by_key = at_matmul(t, q->query, false, m->keys, true, scale);
    at_tensor *by_value = at_matmul(t, q->query, false, m->values, true, scale);
    return at_add(t, at_multiply(t, by_key, a), at_multiply(t, by_value, b));
}

const at_score at_score_key_value = {
    .about = {.name = "key-value",
              .formula = "e_j = a (q . k_j) / sqrt(d) + b (q . v_j) / sqrt(d)",
              .source = "soft addressing with key and value",
              .use = "memories whose values say something about where to look",
              .cost = "2 n^2 d time, 2 n^2 memory",
              .parameters = "scalars a, b"},
    .one_width = true,
    .score = score,
};
