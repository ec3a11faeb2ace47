/* p(position) = the attention weights, averaged over the heads (Vinyals et al. 2015, eq. 3). */
#include "attention/output.h"

at_tensor *at_output_point(at_tape *t, at_tensor *weights) { return at_mean_axis(t, weights, 1); }

/* Has every place some weight, and all of them 1? A window does not, but beside a global read. */
static bool reaches_all(const at_how *how)
{
    const at_scope *local = how->local;
    if (!local)
        return how->scope->sees_all;
    bool is_all_local = how->scope_values.given && how->scope_values.number[0] == 0; /* the gate */
    return !local->loses_mass && !local->has_blocks && !is_all_local;
}

static const char *refuses(const at_how *how)
{
    if (!how->pick->is_softmax)
        return "the answer may get weight 0, whose logarithm is infinite; use the soft pick";
    return reaches_all(how) ? NULL
                            : "the answer may lie outside, with weight 0, or some of the weight be "
                              "lost; use the global scope, or hybrid:window with a gate above 0";
}

const at_output at_output_pointer = {
    .about = {.name = "pointer",
              .formula = "p(position j) = w_j",
              .source = "Vinyals et al. 2015, eq. 3",
              .use = "answers that are places in the input: sorting, hulls, spans",
              .cost = "none beyond the read",
              .parameters = "none"},
    .refuses = refuses,
};
