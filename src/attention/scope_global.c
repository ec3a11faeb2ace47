/* All valid positions (Luong et al. 2015, 3.1). */
#include "attention/attention.h"
#include "attention/parts.h"

static at_reading read(at_tape *t, at_path s, const at_how *how, const at_query *q,
                       const at_memory *m)
{
    at_mask mask = at_read_mask(q, m);
    return at_read_masked(t, s, how, q, m, &mask);
}

const at_scope at_scope_global = {
    .about = {.name = "global",
              .formula = "all valid positions",
              .source = "Luong et al. 2015, 3.1",
              .use = "the usual one",
              .cost = "n^2 d",
              .parameters = "none"},
    .sees_all = true,
    .read = read,
};
