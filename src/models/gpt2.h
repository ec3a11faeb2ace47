/* GPT-2 (Radford et al. 2019), a language model of Transformer decoder blocks:
 *
 *     x = wte[token] + wpe[position]
 *     x = x + W_o attention(W_qkv LN(x) + b_qkv) + b_o       every block; a token sees those before
 *     x = x + W_2 act(W_1 LN(x) + b_1) + b_2
 *     logits = wte LN(x)
 *
 * Names and layouts of the parameters are Hugging Face's. Sizes: B texts, T tokens, V tokens of the
 * vocabulary, D the width. */
#ifndef ATTEND_MODELS_GPT2_H
#define ATTEND_MODELS_GPT2_H

#include "attention/cache.h"
#include "nn/layers.h"

typedef struct {
    int vocabulary, positions; /* V, the longest text */
    int width, layers, heads;
    int inner; /* of the feed-forward network */
    real epsilon;
    at_activation *activation;
} at_gpt2;

/* A cache for texts of this model: keys and values of every layer. NULL without memory. */
at_cache *at_gpt2_cache(const at_gpt2 *m);

/* The states [B,T,D] that the next tokens are predicted from. Without a cache (NULL), texts begin
 * here. With one, tokens continue its B rows: counts[b] of them (NULL: T each) and padding; their
 * keys and values are appended. */
at_tensor *at_gpt2_states(at_tape *t, at_path s, const at_gpt2 *m, at_ids tokens, at_cache *cache,
                          const int *counts);

/* The states [B,D] of the last tokens. */
at_tensor *at_gpt2_last(at_tape *t, at_tensor *states, const int *counts);

/* states [.., D] -> [.., V] */
at_tensor *at_gpt2_logits(at_tape *t, at_path s, const at_gpt2 *m, at_tensor *states);

/* The mean negative log-likelihood of the targets [B,T]. */
at_tensor *at_gpt2_loss(at_tape *t, at_path s, const at_gpt2 *m, at_tensor *states, at_ids targets,
                        at_cross_entropy_options options);

#endif
