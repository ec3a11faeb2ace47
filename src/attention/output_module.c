/* y = f(W [q; c] + b): what a read that stands alone says (classification, regression). */
#include "attention/output.h"

at_tensor *at_output_module_apply(at_tape *t, at_path s, at_tensor *query, at_tensor *context,
                                  int out, at_activation *f)
{
    if (at_failed(t))
        return at_poison(t);
    at_tensor *both = at_concat(t, 2, (at_tensor *[]){query, context}, query->shape.rank - 1);
    if (at_failed(t))
        return both;
    at_tensor *w = at_param(t, s, "weight", SHAPE(out, at_shape_last(both->shape)), INIT_GLOROT);
    at_tensor *b = at_param(t, s, "bias", SHAPE(out), INIT_ZERO);
    at_tensor *y = at_affine(t, both, w, b, ATTEND_OUT_IN);
    return f ? f(t, y) : y;
}

const at_output at_output_module = {
    .about = {.name = "module",
              .formula = "y = f(W [q; c] + b)",
              .source = "the generic output of an attention module",
              .use = "classification, regression, pooling",
              .cost = "n d",
              .parameters = "W [out, dq + dv], b [out]"},
};
