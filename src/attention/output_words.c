/* p(w) = softmax(W h + b): a word of the vocabulary. */
#include "attention/output.h"

at_tensor *at_output_word_logits(at_tape *t, at_path s, at_tensor *h, int vocabulary)
{
    if (at_failed(t))
        return at_poison(t);
    at_shape shape = SHAPE(vocabulary, at_shape_last(h->shape));
    at_tensor *w = at_param(t, s, "weight", shape, INIT_GLOROT);
    at_tensor *b = at_param(t, s, "bias", SHAPE(vocabulary), INIT_ZERO);
    return at_affine(t, h, w, b, ATTEND_OUT_IN);
}

const at_output at_output_words = {
    .about = {.name = "words",
              .formula = "p(w) = softmax(W h + b)",
              .source = "Sutskever et al. 2014",
              .use = "translation and generation",
              .cost = "n V d",
              .parameters = "W [V,d], b [V]"},
};
