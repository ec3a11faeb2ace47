/* How likely a model that generates takes a text to be.
 *
 *     log p(x) = sum_t log p(x_t | x_<t)       perplexity = exp(-log p(x) / T)
 *
 * A text begins where another ended: its first token is predicted from the end of a text. Where
 * texts are longer than the context, windows overlap: each adds `stride` tokens to those that the
 * window before has predicted, so that a token is predicted from context - stride tokens at least,
 * except at the beginning. */
#ifndef ATTEND_DECODE_LIKELIHOOD_H
#define ATTEND_DECODE_LIKELIHOOD_H

#include "models/model.h"

typedef struct {
    int context; /* tokens of a window; 0: as many as the model has positions, or else all */
    int stride;  /* tokens that a window adds, at most context; 0: half of the context */
} at_likelihood_options;

/* The options with what the model has in place of 0; context stays 0 where there is no limit. Fails
 * where they do not fit the model. */
attend_status at_likelihood_resolve(const at_model *m, at_likelihood_options *o, attend_error *err);

/* Adds the tokens of a text after the end of another one. Where a newline is the end of a text
 * (at_model_keeps_newlines), every line has its end, the last one too. */
attend_status at_likelihood_tokens(const at_model *m, at_text text, at_tokens *out,
                                   attend_error *err);

/* log_ps[i] = log p(ids[i + 1] | those of ids[0] .. ids[i] that are in its window), of count ids,
 * [count - 1]. The options are resolved. */
attend_status at_text_likelihood(const at_model *m, const at_likelihood_options *o, size_t count,
                                 const int *ids, double *log_ps, attend_error *err);

#endif
