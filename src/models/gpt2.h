/* GPT-2 (Radford et al. 2019), a language model of Transformer decoder blocks:
 *
 *     x = wte[token] + wpe[position]
 *     x = x + W_o attention(W_qkv LN(x) + b_qkv) + b_o       every block; a token sees those before
 *     x = x + W_2 act(W_1 LN(x) + b_1) + b_2
 *     logits = wte LN(x), or with an output layer of its own lm_head LN(x)
 *
 * Dropout while training: of the embeddings with their positions, of attention weights, and of what
 * each half of a block adds. Its attention is any SCORE/SCOPE/PICK/HEADS of attention.h under the
 * causal mask. Names and layouts of the parameters are Hugging Face's, without `transformer.`.
 * Sizes: B texts, T tokens, V tokens of the vocabulary, D the width. */
#ifndef ATTEND_MODELS_GPT2_H
#define ATTEND_MODELS_GPT2_H

#include "attention/attention.h"
#include "attention/record.h"
#include "models/preset.h"
#include "nn/layers.h"

/* ---- settings ------------------------------------------------------------------------------- */

typedef struct {
    const char *preset;
    int hidden, layers, heads, ffn, context, window, newline, embedding_rows;
    const char *activation, *attention;
    double norm_epsilon;
    bool scale_by_layer, tied;
    double dropout, embedding_dropout, attention_dropout;
} at_gpt2_settings;

/* ---- the network ---------------------------------------------------------------------------- */

typedef struct {
    int vocabulary, positions; /* V, the longest text */
    int width, layers;
    int inner; /* of the feed-forward network */
    real epsilon;
    at_activation *activation;
    at_how attention;    /* with heads */
    bool scale_by_layer; /* dot products of layer i, from 0, are divided by i + 1 */
    bool untied;         /* the output layer is lm_head.weight, not wte */
    real dropout, embedding_dropout, attention_dropout;
} at_gpt2;

/* A cache for texts of this model: keys, values and what its score prepares of every layer. NULL
 * without memory. */
at_cache *at_gpt2_cache(const at_gpt2 *m);

typedef struct {
    at_ids tokens;               /* [B,T] */
    at_cache *cache;             /* whose B rows are continued; NULL: texts begin here */
    const int *counts;           /* [B]: tokens of each, the rest is padding; NULL: T */
    at_attention_record *record; /* attention that is wanted; may be NULL */
    at_tensor **hidden; /* [layers + 1] receives the embeddings and the states after each layer, the
                           last after the final norm; may be NULL */
} at_gpt2_input;

/* The states [B,T,D] that the next tokens are predicted from; keys and values are appended to the
 * cache. */
at_tensor *at_gpt2_states(at_tape *t, at_path s, const at_gpt2 *m, const at_gpt2_input *in);

/* The states [B,D] of the last tokens. */
at_tensor *at_gpt2_last(at_tape *t, at_tensor *states, const int *counts);

/* states [.., D] -> [.., V] */
at_tensor *at_gpt2_logits(at_tape *t, at_path s, const at_gpt2 *m, at_tensor *states);

/* The mean negative log-likelihood of the targets [B,T]. */
at_tensor *at_gpt2_loss(at_tape *t, at_path s, const at_gpt2 *m, at_tensor *states, at_ids targets,
                        at_cross_entropy_options options);

#endif
