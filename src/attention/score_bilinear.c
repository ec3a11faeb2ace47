/* e_j = q^T W k_j (Luong et al. 2015, 3.1, "general"). W k_j depends on the source alone.
 *
 * Where query and keys are of one width, W begins as the identity, and the score as a dot product.
 * From a random W a translator learns long without attention before it finds out what that is for:
 * docs/results.md has both. */
#include "attention/attention.h"

static at_tensor *prepare(at_tape *t, at_path s, const at_how *how, const at_memory *m)
{
    (void)how;
    int width = at_shape_last(m->keys->shape);
    at_tensor *w = at_param(t, s, "weight", SHAPE(m->width, width),
                            m->width == width ? INIT_IDENTITY : INIT_GLOROT);
    return at_affine(t, m->keys, w, NULL, ATTEND_OUT_IN); /* [B,K,dq] */
}

static at_tensor *score(at_tape *t, at_path s, const at_how *how, const at_query *q,
                        const at_memory *m)
{
    (void)s, (void)how;
    return at_matmul(t, q->query, false, m->prepared, true, 1);
}

const at_score at_score_bilinear = {
    .about = {.name = "bilinear",
              .aliases = "general",
              .formula = "e_j = q^T W k_j",
              .source = "Luong et al. 2015, 3.1 (general)",
              .use = "query and keys from different spaces; Luong's best with local attention",
              .cost = "n d^2 once per source, then n^2 d time, n^2 memory",
              .parameters = "W [dq,dk]"},
    .linear = true,
    .prepare = prepare,
    .score = score,
};
