/* e_j = -|w o (q - k_j)|^2 / 2: Nadaraya-Watson pooling with a learned width, one for all
 * dimensions or one for each. */
#include "attention/gaussian.h"

static at_tensor *score(at_tape *t, at_path s, const at_how *how, const at_query *q,
                        const at_memory *m)
{
    bool vector = how->score_values.given > 0;
    at_tensor *w = at_param(t, s, "width", SHAPE(vector ? m->width : 1), INIT_ONE);
    return at_gaussian_score(t, q->query, m->keys, w);
}

const at_score at_score_gaussian_w = {
    .about = {.name = "gaussian-w",
              .values = "vector",
              .value = {{.kind = ATTEND_VALUE_WORD}},
              .formula = "e_j = -|w o (q - k_j)|^2 / 2",
              .source = "Nadaraya 1964; Watson 1964, with learned width",
              .use = "regression: how near is near is learned from the data",
              .cost = "n^2 d time, n^2 memory",
              .parameters = "w, one number, or one for each dimension"},
    .one_width = true,
    .of_distance = true,
    .learns_width = true,
    .score = score,
};
