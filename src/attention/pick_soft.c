/* w = softmax(e) over the visible positions. */
#include "attention/attention.h"

static at_picked pick(at_tape *t, const at_how *how, at_tensor *scores, const at_mask *mask)
{
    (void)how;
    return (at_picked){.weights = at_softmax(t, scores, mask)};
}

const at_pick at_pick_soft = {
    .about = {.name = "soft",
              .formula = "w_j = exp e_j / sum_k exp e_k",
              .source = "Bahdanau et al. 2014, eq. 6",
              .use = "the usual one: smooth, trained by plain gradients",
              .cost = "n^2",
              .parameters = "none"},
    .is_softmax = true,
    .pick = pick,
};
