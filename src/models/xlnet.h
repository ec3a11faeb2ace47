/* XLNet (Yang et al. 2019), a Transformer that is trained to predict tokens in any order:
 *
 *     max E_z sum_t log p(x_{z_t} | x_{z_<t})             z: a permutation of the positions
 *
 * Two streams read the text. The content stream h knows the token at its position; the query stream
 * g knows the position alone, and predicts the token there:
 *
 *     h^0 = E[x],  g^0 = mask_emb
 *     h_i <- LN(h_i + W_o attention(h_i; keys and values of all j with z before i, and of i))
 *     g_i <- LN(g_i + W_o attention(g_i; keys and values of all j with z before i))
 *     each followed by LN(y + W_2 act(W_1 y + b_1) + b_2);   both have the same weights
 *
 * Attention is relative (grad/ops.h, at_relative_attention): content, distance and segment. A layer
 * also attends to the states that it had for the segment of text before this one, its memory
 * (Dai et al. 2019), which gets no gradient.
 *
 * Names and layouts of the parameters are Hugging Face's. Sizes: B texts, T tokens, M states of the
 * memory, K = M + T keys, P targets, V tokens of the vocabulary, D the width, C labels. */
#ifndef ATTEND_MODELS_XLNET_H
#define ATTEND_MODELS_XLNET_H

#include "models/preset.h"
#include "nn/layers.h"

/* ---- settings ------------------------------------------------------------------------------- */

/* as BERT's; PRETRAINED, with the next sentence, is refused */
typedef enum {
    ATTEND_XLNET_NONE, /* states alone */
    ATTEND_XLNET_TOKENS,
    ATTEND_XLNET_PRETRAINED,
    ATTEND_XLNET_CLASSES,
    ATTEND_XLNET_TAGS,
    ATTEND_XLNET_SPAN,
} at_xlnet_head;

typedef enum { ATTEND_SUMMARY_LAST, ATTEND_SUMMARY_FIRST, ATTEND_SUMMARY_MEAN } at_xlnet_summary;
typedef enum { ATTEND_XLNET_BI, ATTEND_XLNET_UNI } at_xlnet_type;

typedef struct {
    const char *preset;
    int head, labels; /* at_xlnet_head, at_label_use */
    int hidden, layers, heads, head_width, ffn;
    int attn_type; /* at_xlnet_type */
    int clamp;
    int memory, reuse;
    bool same_length, two_ways;
    const char *activation;
    double norm_epsilon, dropout;
    int summary; /* at_xlnet_summary */
    bool summary_projects;
    const char *summary_activation;
    double summary_first_dropout, summary_last_dropout;
    int window;
    int tokens; /* 0: of the tokenizer */
} at_xlnet_settings;

/* ---- the network ---------------------------------------------------------------------------- */

typedef struct {
    int vocabulary;
    int width, layers, heads, head_width, inner;
    at_activation *activation;
    real epsilon, dropout;
    int memory;       /* states that a memory keeps at most; 0: all */
    int reuse;        /* tokens of a segment, from its first one on, that enter it; 0: all */
    int clamp;        /* distances beyond count as this one; 0: none do */
    bool causal;      /* attn_type uni: no token sees a later one */
    bool same_length; /* causal, and no token sees more than M before it */
    bool two_ways;    /* bi_data: texts with direction 1 run backwards */

    at_xlnet_head head;
    at_label_use labels;
    int classes; /* C */
    int cls;     /* the token of a whole text, whose segment is 2; -1: none */
    at_xlnet_summary summary;
    bool summary_projects;             /* W x + b, */
    at_activation *summary_activation; /* and f of it; NULL: none */
    real summary_first_dropout, summary_last_dropout;
} at_xlnet;

/* texts, and who sees whom; the caller's memory, alive until the tape is reset */
typedef struct {
    at_ids ids;          /* [B,T] */
    const int *lengths;  /* [B]: tokens from lengths[b] on are padding; NULL: T each */
    const int *segments; /* [B,T]: of each token, any numbers; NULL: scores have no segment part */
    const unsigned char *padding; /* [B,T]: nonzero, no other token sees this one; may be NULL */

    /* An order of the tokens: token i sees token j where key_rank[j] < query_rank[i], [B,T] each;
     * or any mask, [B,T,T], nonzero where i does not see j (perm_mask). The content stream always
     * sees its own token. May be NULL. */
    const int *query_rank, *key_rank;
    const unsigned char *hidden;

    const int
        *targets; /* [B,P]: positions of the query stream, -1 for none; NULL: no such stream */
    int P;
    const int *directions;    /* [B]: 1 where a text runs backwards; NULL: none does */
    at_tensor *const *memory; /* [layers] of [B,M,D], of at_xlnet_remember; or NULL */
    const int *remembered;    /* [B]: so many of its newest states count; NULL: M */

    /* Of a causal model, instead of all that is between ids and here: tokens continue the rows of a
     * cache, counts[b] of them (NULL: T each) and padding. May be NULL. */
    at_cache *cache;
    const int *counts;

    at_attention_record *record;  /* kinds content and query; may be NULL */
    at_tensor **content, **query; /* [layers + 1]: receive embeddings and the states after each
                                     layer; may be NULL */
} at_xlnet_input;

typedef struct {
    at_tensor *content; /* [B,T,D] */
    at_tensor *query;   /* [B,P,D], or NULL */
} at_streams;

/* A cache for texts of a causal model: keys and values of every layer. NULL without memory. */
at_cache *at_xlnet_cache(const at_xlnet *m);

/* Both streams after the last layer, with its dropout. */
at_streams at_xlnet_read(at_tape *t, const at_xlnet *m, const at_xlnet_input *in);

/* The memory of a layer for the next segment of the texts: old [B,M,D] or NULL, and the content
 * states [B,T,D] that entered the layer (at_xlnet_input.content). */
at_tensor *at_xlnet_remember(at_tape *t, const at_xlnet *m, at_tensor *old, at_tensor *states);

/* Tokens from states [.., D]: logits [.., V]; the mean negative log-likelihood of targets [..]. */
at_tensor *at_xlnet_logits(at_tape *t, const at_xlnet *m, at_tensor *states);
at_tensor *at_xlnet_loss(at_tape *t, const at_xlnet *m, at_tensor *states, at_ids targets,
                         at_cross_entropy_options options);

/* [B,T,D] -> [B,D]: one vector for each text; lengths [B] or NULL */
at_tensor *at_xlnet_summarise(at_tape *t, const at_xlnet *m, at_tensor *states, const int *lengths);

/* Heads: classes [B,C] of summaries [B,D], tags [.., C], starts and ends of answers [.., 2]. */
at_tensor *at_xlnet_classes(at_tape *t, const at_xlnet *m, at_tensor *summary);
at_tensor *at_xlnet_tags(at_tape *t, const at_xlnet *m, at_tensor *states);
at_tensor *at_xlnet_span(at_tape *t, const at_xlnet *m, at_tensor *states);

#endif
