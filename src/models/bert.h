/* BERT (Devlin et al. 2018) and its family, encoders of whole texts:
 *
 *     x = LN(E[token] + P[position] + S[segment])
 *     x = LN(x + W_o attention(W_q x, W_k x, W_v x))      every layer; all tokens see each other
 *     x = LN(x + W_2 act(W_1 x))
 *
 * and one head on the states x: masked tokens (with or without the next sentence), classes of the
 * text, labels of its tokens, or the span of an answer. RoBERTa counts positions from the padding
 * token and has no segments; DistilBERT has neither segments nor a pooler, and classifies through a
 * relu. Names of parameters are those of Hugging Face's
 * BertModel and of its heads, for the whole family.
 *
 * Sizes: B texts, T tokens, V tokens of the vocabulary, D the width, K labels. */
#ifndef ATTEND_MODELS_BERT_H
#define ATTEND_MODELS_BERT_H

#include "models/preset.h"
#include "nn/layers.h"

/* ---- settings ------------------------------------------------------------------------------- */

typedef enum { ATTEND_BERT, ATTEND_ROBERTA, ATTEND_DISTILBERT } at_bert_family;

typedef enum {
    ATTEND_BERT_NONE,       /* states, and the pooled vector */
    ATTEND_BERT_MASKED,     /* masked tokens */
    ATTEND_BERT_PRETRAINED, /* masked tokens and the next sentence */
    ATTEND_BERT_CLASSES,
    ATTEND_BERT_TAGS,
    ATTEND_BERT_SPAN,
} at_bert_head;

typedef struct {
    const char *preset;
    int family, head, labels; /* at_bert_family, at_bert_head, at_label_use */
    int hidden, layers, heads, ffn, max_positions, segments;
    const char *activation;
    double norm_epsilon;
    double dropout, attention_dropout, head_dropout;
    bool tied, pooler, fixed_positions;
    int embedding_rows, pad; /* 0 and -1: of the tokenizer */
    const char *pooling;     /* "mean", "cls,max": how states become the vector of a text */
    bool normalize, lower;
    int sentence_length; /* 0: all positions */
} at_bert_settings;

/* ---- the network ---------------------------------------------------------------------------- */

typedef struct {
    at_bert_family family;
    at_bert_head head;
    at_label_use labels;
    int vocabulary, positions, segments; /* segments 0: tokens have none */
    int width, layers, heads, inner;
    int classes; /* K */
    int pad;     /* the padding token, whose vector does not learn from the input; -1: none */
    at_activation *activation;
    real epsilon;
    real dropout, attention_dropout, head_dropout;
    bool tied;            /* masked tokens are predicted with E */
    bool pooler;          /* of head NONE: there is a pooler */
    bool fixed_positions; /* P does not learn */
} at_bert;

/* The positions [B,T] of tokens: 0, 1, ..; of RoBERTa pad + 1, pad + 2, .. with padding at pad, by
 * the ids alone. Memory of the tape; NULL and a failed tape where a text is too long. */
const int *at_bert_positions(at_tape *t, const at_bert *m, at_ids ids);

/* The states [B,T,D] of the last layer; and if weights is not NULL, the attention [B,heads,T,T] of
 * the last layer. */
at_tensor *at_bert_encode(at_tape *t, const at_bert *m, const at_inputs *in, at_tensor **weights);

/* states [B,T,D] -> [B,D]: tanh(W x_0 + b) of the first token; relu in DistilBERT */
at_tensor *at_bert_pool(at_tape *t, const at_bert *m, at_tensor *states);

/* Heads on states [B,T,D]: classes [B,K], tags [B,T,K], spans [B,T,2], tokens [B,T,V], next [B,2]
 */
at_tensor *at_bert_classes(at_tape *t, const at_bert *m, at_tensor *states);
at_tensor *at_bert_tags(at_tape *t, const at_bert *m, at_tensor *states);
at_tensor *at_bert_span(at_tape *t, const at_bert *m, at_tensor *states);
at_tensor *at_bert_tokens(at_tape *t, const at_bert *m, at_tensor *states);
at_tensor *at_bert_next(at_tape *t, const at_bert *m, at_tensor *states);

at_tensor *at_bert_tokens_loss(at_tape *t, const at_bert *m, at_tensor *states, at_ids targets,
                               at_cross_entropy_options options);

#endif
