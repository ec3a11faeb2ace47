/* The Transformer (Vaswani et al. 2017): an encoder and a decoder made of attention alone.
 *
 *     x = s E[token] + P[position]
 *     encoder layer: self-attention, feed-forward
 *     decoder layer: causal self-attention, cross-attention, feed-forward
 *     each sub-layer: x = LN(x + sub(x)), or with pre-norm x = x + sub(LN(x))
 *     logits = E_out x + b
 *
 * Each of the three attentions is any SCORE/SCOPE/PICK/HEADS of attention.h. Names of the
 * parameters are those of Hugging Face's encoder-decoder models (Marian).
 *
 * Sizes: B sentences, S tokens of the source, T of the target, V tokens of a vocabulary, D the
 * width. */
#ifndef ATTEND_MODELS_TRANSFORMER_H
#define ATTEND_MODELS_TRANSFORMER_H

#include "attention/attention.h"
#include "models/preset.h"
#include "nn/layers.h"

/* ---- settings ------------------------------------------------------------------------------- */

typedef struct {
    const char *preset;
    const char *from, *to; /* names of languages, or NULL */
    int hidden, layers, decoder_layers, heads, ffn, decoder_ffn;
    int norm, positions, max_positions, scale;
    bool final_norm, attention_bias;
    const char *activation, *output;
    const char *attention, *encoder_attention, *decoder_attention;
    double dropout, embedding_dropout, attention_dropout, activation_dropout;
    bool tied, shared;
    int scaling; /* of feature vectors: 0 each number by its own mean and deviation, 1 not at all */
} at_transformer_settings;

/* ---- the network ---------------------------------------------------------------------------- */

/* positions: these, or an at_sinusoids */
enum { ATTEND_TRANSFORMER_LEARNED = 3, ATTEND_TRANSFORMER_STORED };

typedef struct {
    int source_vocabulary, target_vocabulary; /* source_vocabulary 0: the source is vectors */
    int width, layers, decoder_layers;
    int inner, decoder_inner; /* of feed-forward layers; decoder_inner 0: as inner */
    at_how encoder_attention, decoder_attention, attention; /* attention: the cross-attention */
    const at_output *output;                                /* words or copy */
    int unknown;     /* copy: the token that is fed for those the vocabulary lacks */
    bool pre_norm;   /* x + sub(LN(x)), not LN(x + sub(x)) */
    bool final_norm; /* a last norm after each stack; always with pre_norm */
    bool bias;       /* the projections of attention have biases */
    int positions, max_positions;
    real scale; /* of embeddings: sqrt(D) or 1 */
    at_activation *activation;
    real epsilon;
    real dropout, embedding_dropout, attention_dropout, activation_dropout;
    bool tied;   /* the output layer is the target's embedding */
    bool shared; /* source and target have one embedding */
    int padding; /* 1 and the token that begins a text and pads batches, as in Marian: its row of
                    the embedding is trained by the output alone; 0: none */
} at_transformer;

/* The states [B,S,D] of the sources x [B,S,D], embeddings with positions; lengths [B] or NULL. The
 * record receives the weights of the encoder's attention that it wants; may be NULL. */
at_tensor *at_transformer_encoder(at_tape *t, const at_transformer *m, at_tensor *x,
                                  const int *lengths, at_attention_record *record);

/* What each layer of the decoder attends to of these states: [decoder_layers], on the tape. */
at_memory *at_transformer_memory(at_tape *t, const at_transformer *m, at_tensor *states,
                                 const int *lengths);

typedef struct {
    at_tensor *x;            /* [rows,T,D]: embeddings with positions */
    const int *counts;       /* [rows]: tokens of each, the rest is padding; NULL: T */
    const at_memory *memory; /* of the sources */
    int width;               /* rows for each source, one after the other; above 1 T is 1 */
    int position;            /* of the first token */
    at_cache *cache;         /* whose rows are continued; NULL: rows begin here */
    at_attention_record *record;
} at_transformer_input;

/* The states [rows,T,D] that tokens are predicted from, and the rest of at_decoded. */
at_decoded at_transformer_decoder(at_tape *t, const at_transformer *m,
                                  const at_transformer_input *in);

/* Keys and values of the decoder's self-attention; NULL without memory. */
at_cache *at_transformer_cache(const at_transformer *m);

#endif
