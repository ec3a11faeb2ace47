/* e_j = (W q)_j (Luong et al. 2015, eq. 8, "location"): scores from the query alone, one row of W
 * for each position. What reads long sources asks at_how_longest before. */
#include "attention/attention.h"

enum { DEFAULT_POSITIONS = 128 };

static attend_status parse(at_how *how, int n, const char *const *values, attend_error *err)
{
    how->positions = DEFAULT_POSITIONS;
    if (n == 0)
        return ATTEND_OK;
    return n > 1 ? at_error(err, ATTEND_OPTION, "location:N takes one number")
                 : at_how_whole(values[0], "location:N", 1, 1 << 20, &how->positions, err);
}

static at_tensor *score(at_tape *t, at_path s, const at_how *how, const at_query *q,
                        const at_memory *m)
{
    int K = m->keys->shape.dim[1];
    if (m->first + K > how->positions)
        return at_fail(t,
                       "location attention knows %d positions, this source has %d; shorten it or "
                       "train with location:%d",
                       how->positions, m->first + K, m->first + K);
    at_tensor *w = at_param(t, s, "weight", SHAPE(how->positions, m->width), INIT_GLOROT);
    at_tensor *all = at_affine(t, q->query, w, NULL, ATTEND_OUT_IN); /* [B,Q,positions] */
    return K == how->positions ? all : at_slice(t, all, 2, m->first, m->first + K);
}

const at_score at_score_location = {
    .about = {.name = "location",
              .values = "N",
              .formula = "e_j = (W q)_j",
              .source = "Luong et al. 2015, eq. 8",
              .use = "orders that do not depend on the words; a baseline",
              .cost = "n N d time, n^2 memory",
              .parameters = "W [N,dq], N = 128 positions by default"},
    .knows_positions = true,
    .parse = parse,
    .score = score,
};
