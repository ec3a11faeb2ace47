/* e_j = (W q)_j (Luong et al. 2015, eq. 8, "location"): scores from the query alone, one row of W
 * for each position. What reads long sources asks at_how_max_length before. */
#include "attention/attention.h"

static at_tensor *score(at_tape *t, at_path s, const at_how *how, const at_query *q,
                        const at_memory *m)
{
    int K = m->keys->shape.dim[1], positions = (int)how->score_values.number[0];
    if (m->first + K > positions)
        return at_fail(t,
                       "location attention knows %d positions, this source has %d; shorten it or "
                       "train with location:%d",
                       positions, m->first + K, m->first + K);
    at_tensor *w = at_param(t, s, "weight", SHAPE(positions, m->width), INIT_GLOROT);
    at_tensor *all = at_affine(t, q->query, w, NULL, ATTEND_OUT_IN); /* [B,Q,positions] */
    return K == positions ? all : at_slice(t, all, 2, m->first, m->first + K);
}

const at_score at_score_location = {
    .about =
        {.name = "location",
         .values = "N",
         .value = {{.kind = ATTEND_VALUE_WHOLE, .min = 1, .max = 1 << 20, .default_text = "128"}},
         .formula = "e_j = (W q)_j",
         .source = "Luong et al. 2015, eq. 8",
         .use = "orders that do not depend on the words; a baseline",
         .cost = "n N d time, n^2 memory",
         .parameters = "W [N,dq], N = 128 positions by default"},
    .knows_positions = true,
    .limits_length = true,
    .score = score,
};
