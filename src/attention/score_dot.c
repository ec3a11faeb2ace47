/* e_j = q . k_j (Luong et al. 2015, 3.1, "dot"). */
#include "attention/attention.h"

static at_tensor *score(at_tape *t, at_path s, const at_how *how, const at_query *q,
                        const at_memory *m)
{
    (void)s, (void)how;
    return at_matmul(t, q->query, false, m->keys, true, 1);
}

static real dot_scale(int d)
{
    (void)d;
    return 1;
}

const at_score at_score_dot = {
    .about = {.name = "dot",
              .formula = "e_j = q . k_j",
              .source = "Luong et al. 2015, 3.1 (dot)",
              .use = "query and keys of one size that live in one space; the cheapest",
              .cost = "n^2 d time, n^2 memory (linear in n without weights)",
              .parameters = "none"},
    .one_width = true,
    .dot_scale = dot_scale,
    .score = score,
};
