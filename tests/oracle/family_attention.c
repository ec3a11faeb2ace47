/* Attention score functions. Here: scaled dot-product attention (Vaswani et al. 2017, eq. 1),
 * masked by a tensor, once with the op that returns its weights and once with the blockwise one.
 * q [B,Q,d], k [B,K,d], v [B,K,e]. */
#include <math.h>
#include <string.h>

#include "oracle.h"

static at_mask read_mask(at_case *c)
{
    at_mask mask = {.hidden = NULL};

    mask.hidden = at_case_mask(c, "mask", &mask.hidden_shape);
    if (mask.hidden && mask.hidden_shape.rank == 3) /* the weights are [B,1,Q,K] */
        mask.hidden_shape = SHAPE(mask.hidden_shape.dim[0], 1, mask.hidden_shape.dim[1],
                                  mask.hidden_shape.dim[2]);
    mask.causal = !mask.hidden && json_is_true(at_case_json(c, "config.causal"));
    return mask;
}

static void check_scaled_dot(at_case *c, bool blockwise)
{
    at_tape *t = c->tape;
    at_tensor *q = at_case_input(c, "q"), *k = at_case_input(c, "k"), *v = at_case_input(c, "v");
    real scale = 1 / real_sqrt((real)at_shape_last(q->shape));
    at_mask mask = read_mask(c);
    at_attention_result read = at_attention_weights(t, q, k, v, 1, scale, &mask);
    at_shape w = read.weights->shape;

    at_case_output(c, "scores", at_matmul(t, q, false, k, true, scale));
    if (!at_failed(t))
        at_case_output(c, "weights",
                       at_reshape(t, read.weights, SHAPE(w.dim[0], w.dim[2], w.dim[3])));
    at_case_output(c, "output",
                   blockwise ? at_attention(t, q, k, v, 1, scale, &mask) : read.context);
    at_case_gradients(c);
}

void at_check_attention(at_case *c)
{
    const char *kind = at_case_text(c, "family");

    if (strcmp(kind, "attention.scaled_dot") != 0) {
        at_case_unknown(c, "no check for %s", kind[0] ? kind : "a case that names no family");
        return;
    }
    check_scaled_dot(c, false);
    check_scaled_dot(c, true);
}
