/* The ops: every function that computes a tensor from tensors. One file each: op_add.c, ...;
 * forward and backward side by side. ops.def lists them.
 *
 * All of them may be given the poison tensor and then return it. Shapes are checked; what does
 * not fit fails the tape with a message that names the op and the sizes. */
#ifndef ATTEND_GRAD_OPS_H
#define ATTEND_GRAD_OPS_H

#include "grad/tape.h"

/* the list, in the order of ops.def */
extern const at_op *const at_ops[];
extern const int at_op_count;
#define OP(name) extern const at_op at_op_##name;
#include "grad/ops.def"
#undef OP

/* integers: ids of words, targets, lengths; the caller's memory, alive until the tape is reset */
typedef struct {
    at_shape shape;
    const int *id;
} at_ids;

/* ---- elementwise ------------------------------------------------------------------------ */

at_tensor *at_add(at_tape *t, at_tensor *a, at_tensor *b);      /* sizes of 1 repeat, as in NumPy */
at_tensor *at_multiply(at_tape *t, at_tensor *a, at_tensor *b); /* likewise */
at_tensor *at_scale(at_tape *t, at_tensor *x, real factor);

at_tensor *at_exp(at_tape *t, at_tensor *x);
at_tensor *at_tanh(at_tape *t, at_tensor *x);
at_tensor *at_sigmoid(at_tape *t, at_tensor *x);
at_tensor *at_relu(at_tape *t, at_tensor *x);
at_tensor *at_gelu(at_tape *t, at_tensor *x);      /* x Phi(x), with erf */
at_tensor *at_gelu_tanh(at_tape *t, at_tensor *x); /* its tanh approximation: gelu_new, gelu_fast */
at_tensor *at_quick_gelu(at_tape *t, at_tensor *x); /* x sigmoid(1.702 x) */
at_tensor *at_silu(at_tape *t, at_tensor *x);       /* x sigmoid(x) */
at_tensor *at_mish(at_tape *t, at_tensor *x);       /* x tanh(log(1 + e^x)) */
at_tensor *at_gelu_10(at_tape *t, at_tensor *x);    /* gelu cut to [-10, 10] */

/* An activation by Hugging Face's name: gelu, gelu_python, gelu_new, gelu_fast, gelu_pytorch_tanh,
 * gelu_10, quick_gelu, silu, swish, mish, relu, tanh, sigmoid, linear. NULL for an unknown name. */
typedef at_tensor *at_activation(at_tape *t, at_tensor *x);
at_activation *at_activation_find(const char *name);

/* Zeroes each element with probability p and scales the rest by 1/(1-p); on a tape that does not
 * train it returns x itself. The first axis is the sentence. */
at_tensor *at_dropout(at_tape *t, at_tensor *x, real p);

/* ---- products --------------------------------------------------------------------------- */

typedef enum {
    ATTEND_OUT_IN, /* weight [out,in], y = x W^T + b: PyTorch's Linear */
    ATTEND_IN_OUT, /* weight [in,out], y = x W + b: GPT-2's Conv1D, and the papers */
} at_layout;

/* x [.., in], bias [out] or NULL -> [.., out] */
at_tensor *at_affine(at_tape *t, at_tensor *x, at_tensor *weight, at_tensor *bias,
                     at_layout layout);

/* f(at_affine(..)), with the same bits. What is kept for backward beside y is the pre-activation,
 * and not even that where the slope follows from y (relu, tanh, sigmoid) or the tape does not
 * record. f is at_exp .. at_gelu_10 or at_activation_find's; any other function is called. */
at_tensor *at_affine_act(at_tape *t, at_tensor *x, at_tensor *weight, at_tensor *bias,
                         at_layout layout, at_activation *f);

/* alpha op(a) op(b), op transposing the last two axes or not; leading axes equal, or absent in
 * one of the two */
at_tensor *at_matmul(at_tape *t, at_tensor *a, bool ta, at_tensor *b, bool tb, real alpha);

/* ---- shape ------------------------------------------------------------------------------ */

at_tensor *at_reshape(at_tape *t, at_tensor *x, at_shape shape);        /* shares the memory */
at_tensor *at_transpose(at_tape *t, at_tensor *x, int axis, int other); /* a copy */
at_tensor *at_concat(at_tape *t, int n, at_tensor *const *parts, int axis);

/* at_concat of one member of n structures in an array, which are `stride` bytes apart; first: that
 * member of the first structure. NULL if it is NULL there, itself if n is 1. */
at_tensor *at_concat_members(at_tape *t, int n, at_tensor *const *first, size_t stride, int axis);
at_tensor *at_slice(at_tape *t, at_tensor *x, int axis, int begin, int end);
at_tensor *at_sum(at_tape *t, at_tensor *x); /* of all elements, a scalar */
at_tensor *at_mean(at_tape *t, at_tensor *x);
at_tensor *at_sum_axis(at_tape *t, at_tensor *x, int axis);
at_tensor *at_mean_axis(at_tape *t, at_tensor *x, int axis);

/* x [B,T,D] -> [B,D]: the maximum over the positions of each sentence; lengths [B] or NULL. where,
 * unless it is NULL, receives [B,D]: the position that had it, or -1; memory of the tape. */
at_tensor *at_max_time(at_tape *t, at_tensor *x, const int *lengths, const int **where);

/* x [B,T,D] -> [B,T,D*width]: each position with its neighbours, (width - 1) / 2 of them before it;
 * column d*width + k is neighbour k's d. Zeros outside a sentence; lengths [B] or NULL. */
at_tensor *at_unfold(at_tape *t, at_tensor *x, int width, const int *lengths);

/* ---- rows ------------------------------------------------------------------------------- */

/* Which keys a query may attend to: scores are [B,Q,K] or [B,H,Q,K]. A key is visible when all of
 * these allow it; a query that sees no key has weights 0 and passes no gradient. The arrays are the
 * caller's and stay until the tape is reset. */
typedef struct {
    const int *lengths;          /* [B]: keys from lengths[b] on are padding; may be NULL */
    const unsigned char *hidden; /* nonzero: not visible; may be NULL */
    at_shape hidden_shape;       /* of hidden: broadcasts against the scores */
    const real *added;    /* added to the scaled scores, -inf hides; may be NULL; at_attention
                           * and reads through attention.h take it */
    at_shape added_shape; /* of added: broadcasts against the scores */
    bool causal;          /* query i of sentence b sees keys j <= first[b] + i */
    const int *first;     /* [B]: position of each sentence's first query; NULL: offset */
    int offset;
} at_mask;

at_tensor *at_softmax(at_tape *t, at_tensor *scores, const at_mask *mask); /* mask may be NULL */
at_tensor *at_log_softmax(at_tape *t, at_tensor *x);

/* (x - mean) / sqrt(var + eps) * weight + bias over the last axis */
at_tensor *at_layer_norm(at_tape *t, at_tensor *x, at_tensor *weight, at_tensor *bias, real eps);

/* The same of s = x + r, with the bits of at_add and at_layer_norm. *sum receives s, which can
 * carry a gradient too; sum may be NULL. */
at_tensor *at_residual_norm(at_tape *t, at_tensor *x, at_tensor *r, at_tensor *weight,
                            at_tensor *bias, real eps, at_tensor **sum);

/* table [V,D], ids [..] -> [.., D]; ids out of range fail */
at_tensor *at_embedding(at_tape *t, at_tensor *table, at_ids ids);

/* The same where the row `fixed` gets no gradient: PyTorch's padding_idx. ATTEND_ROWS_ALL: no row
 * gets one, ATTEND_ROWS_NONE: all rows do. */
enum { ATTEND_ROWS_NONE = -1, ATTEND_ROWS_ALL = -2 };
at_tensor *at_embedding_fixed(at_tape *t, at_tensor *table, at_ids ids, int fixed);

/* Rows which [n] of x [B,..]: [n,..] */
at_tensor *at_take(at_tape *t, at_tensor *x, at_ids which);

/* ---- losses ----------------------------------------------------------------------------- */

typedef struct {
    real smoothing; /* of the labels, as in PyTorch: the rest is spread over all classes */
    int ignore;     /* targets with this value do not count */
    bool sum;       /* the sum over the targets that count, not their mean */
    real divisor;   /* not 0: divide the sum by this instead (shards of one batch) */
} at_cross_entropy_options;

/* logits [.., V], targets [..] -> scalar. Holds no second copy of the logits: when nothing else
 * reads them, backward turns them into their gradient in place. */
at_tensor *at_cross_entropy(at_tape *t, at_tensor *logits, at_ids targets,
                            at_cross_entropy_options options);

/* how a loss over elements becomes one number: by default the mean */
typedef struct {
    bool sum;     /* the sum */
    real divisor; /* not 0: divide the sum by this instead (shards of one batch) */
} at_reduction;

/* what each of n elements is multiplied with; 0 where there is none */
static inline real at_reduction_weight(at_reduction how, size_t n)
{
    return how.divisor != 0 ? 1 / how.divisor : how.sum ? 1 : n ? 1 / (real)n : 0;
}

/* Mean squared error of x [..] against targets of the same size, alive until the tape is reset. */
at_tensor *at_mse(at_tape *t, at_tensor *x, const real *targets, at_reduction how);

/* Binary cross-entropy from logits [..], PyTorch's BCEWithLogitsLoss: targets of the same size,
 * each 0, 1 or a probability, alive until the tape is reset. */
at_tensor *at_bce(at_tape *t, at_tensor *logits, const real *targets, at_reduction how);

/* where the answer of each text is */
typedef struct {
    const int *first, *last; /* [B] positions; from the length on: outside, does not count */
    const int *lengths;      /* [B]: positions from lengths[b] on are padding; or NULL */
} at_span_targets;

/* logits of start and end [B,T] -> the mean of two cross-entropies, each over the texts with an
 * answer inside; Hugging Face's question answering where lengths is NULL. A position below 0
 * counts as 0. divisor: not 0, divide the sums by this instead (shards of one batch). */
at_tensor *at_span_loss(at_tape *t, at_tensor *start, at_tensor *end, at_span_targets targets,
                        real divisor);

/* How far attention weights are from links of the same size, constants that outlive the step, whose
 * rows sum to 1 or 0: - 1/divisor sum links log(weights + epsilon). */
at_tensor *at_alignment(at_tape *t, at_tensor *weights, const real *links, real divisor);

/* cross_entropy(affine(x, weight, bias)) a block of rows at a time: the logits never exist as a
 * whole. x [.., D], weight [V,D] or [D,V] by layout, bias [V] or NULL. */
at_tensor *at_linear_cross_entropy(at_tape *t, at_tensor *x, at_tensor *weight, at_tensor *bias,
                                   at_layout layout, at_ids targets,
                                   at_cross_entropy_options options);

/* what else may say a target, with the probability 1 - g, g = sigmoid(gate) */
typedef struct {
    at_tensor *gate, *other; /* of each row; other: the probability that it gives the target */
    real *nll;               /* [rows]: receives - log p of each row, 0 where ignored; or NULL */
} at_mixed_with;

/* The same of a mixture: - log(g softmax(x W^T + b)_y + (1 - g) other); targets from V on are the
 * other one's alone. The labels' smoothing is that of the softmax. */
at_tensor *at_linear_mixture(at_tape *t, at_tensor *x, at_tensor *weight, at_tensor *bias,
                             at_layout layout, at_mixed_with with, at_ids targets,
                             at_cross_entropy_options options);

/* ---- recurrent layers ------------------------------------------------------------------- */

enum { ATTEND_RNN_MAX_DIRECTIONS = 2 };

typedef enum { ATTEND_RNN_TANH, ATTEND_RNN_RELU, ATTEND_LSTM, ATTEND_GRU } at_cell;

/* one direction's weights, with PyTorch's names, layouts and gate order (i,f,g,o and r,z,n);
 * G is 1, 4 or 3 times H, and P is the size of the state that goes round: H, or the LSTM's
 * projection */
typedef struct {
    at_tensor *weight_ih; /* [G,I] */
    at_tensor *weight_hh; /* [G,P] */
    at_tensor *bias_ih;   /* [G] or NULL */
    at_tensor *bias_hh;   /* [G] or NULL */
    at_tensor *weight_hr; /* [P,H] or NULL: LSTM with projection */
    at_tensor *h0;        /* [B,P] or NULL for zeros */
    at_tensor *c0;        /* [B,H] or NULL for zeros, LSTM only */
} at_recurrent_weights;

typedef struct {
    at_tensor *output; /* [B,T,directions*P]; zeros beyond a sentence's length */
    at_tensor *h_n[ATTEND_RNN_MAX_DIRECTIONS]; /* [B,P]: after the last real step */
    at_tensor *c_n[ATTEND_RNN_MAX_DIRECTIONS]; /* [B,H], LSTM only */
} at_recurrent_result;

/* One layer over all steps. x [B,T,I]; directions 1 or 2, the second runs backwards from the
 * last real step; lengths [B] or NULL. Padding changes nothing. */
at_recurrent_result at_recurrent(at_tape *t, at_cell cell, at_tensor *x, int directions,
                                 const at_recurrent_weights *weights, const int *lengths);

/* ---- attention -------------------------------------------------------------------------- */

/* Rows of q, k or v for attention: key (or query) j of sentence b begins at
 * data + column * step + j * ld, where column is which[b * rows + j], or b where which is NULL. */
typedef struct {
    at_tensor
        *tensor; /* [B,T,W], holds the rows and receives the gradient; NULL: rows of a cache */
    const real *data;
    int rows, width;    /* T (in a cache: the longest row); heads * d */
    ptrdiff_t ld, step; /* from row to row, from sentence (or column of a cache) to sentence */
    const int *which; /* [B,rows]: the column of a cache that holds position j of sentence b; NULL:
                       * sentence b itself; read where j < mask->lengths[b] alone */
} at_rows;

at_rows at_rows_of(at_tensor *x);                          /* all of x [B,T,W] */
at_rows at_rows_columns(at_tensor *x, int begin, int end); /* columns begin .. end-1 */

typedef struct {
    int heads;
    real scale;
    const at_mask *mask; /* may be NULL */
    real dropout;        /* probability of dropping a weight, in training; 0 for none */
    bool weights;        /* also return the weights */
} at_attention_options;

typedef struct {
    at_tensor *context; /* [B,Q,heads*e] */
    at_tensor *weights; /* [B,heads,Q,K], as they are before dropout; NULL where not asked for */
} at_attention_result;

/* Scaled dot-product attention (Vaswani et al. 2017, eq. 1), per head h:
 *     softmax(scale Q_h K_h^T + mask) V_h
 * q [B,Q,heads*d], k [B,K,heads*d], v [B,K,heads*e]; q, k and v may be columns of one tensor. The
 * sentences are those of q, which has a tensor; which is for rows without one.
 * Memory is linear in Q and K where no weights are asked for: blocks of the weights are computed,
 * used and forgotten, and computed again in backward. The context has the same bits with and
 * without weights, for one query at a time and for all, and for any batch. Both results may carry a
 * gradient. The weight of (b, h, i, j) is dropped by number (h*Q + i)*K + j of its sentence. */
at_attention_result at_attention(at_tape *t, at_rows q, at_rows k, at_rows v,
                                 at_attention_options o);

/* ---- relative attention ----------------------------------------------------------------- */

/* Which keys the query i of a sentence, at position p among the keys, may see. Arrays are the
 * caller's and stay until the tape is reset. */
typedef struct {
    const int *lengths;               /* [B]: keys from lengths[b] on do not exist; may be NULL */
    const int *query_rank, *key_rank; /* [B,Q], [B,K]: key j is hidden unless key_rank[j] <
                                       * query_rank[i]; both or neither */
    const unsigned char *hidden;      /* [B,Q,K]: nonzero hides; may be NULL */
    bool causal;                      /* keys after p are hidden, */
    bool limited;                     /* and those more than `reach` before p */
    int reach;
    bool self; /* the key at p is never hidden */
} at_sight;

typedef struct {
    int heads;
    real scale;
    at_tensor *distances;  /* [G,N,heads*d]: keys of the distances far, far-1, .., far-N+1, for each
                            * of G directions */
    int far;               /* the largest distance */
    const int *directions; /* [B]: which of the G; NULL: the first */
    at_tensor *u, *w;      /* heads*d numbers each: added to queries for content, for distance */
    at_tensor *s, *g;      /* heads*d and 2*heads*d numbers: of segments; both NULL without them */
    const int *query_segment, *key_segment; /* [B,Q], [B,K]; read where there is g */
    const int *positions; /* [B,Q]: of each query among the keys; -1: there is none, its context and
                           * weights are 0. NULL: the queries are the last keys, K - Q + i */
    at_sight sight;
    real dropout; /* probability of dropping a weight, in training; 0 for none */
    bool weights; /* also return the weights */
} at_relative_options;

/* Attention by content, distance and segment (Dai et al. 2019, 3.3; Yang et al. 2019, 2.5), per
 * head, of the query i at position p and the key j:
 *     S_ij = scale [(q_i + u) . k_j + (q_i + w) . r_{p-j} + (q_i + s) . g_c],  C = softmax(S) V
 * r: row of distances; c: 0 where both are of one segment, else 1. A hidden key has the score
 * -1e30, so that a query that sees no key weighs all keys of its sentence equally, and passes the
 * gradient of its weights on to the scores, as Hugging Face's XLNet does.
 * q [B,Q,heads*d]; k and v [B,K,heads*d], tensors or rows of a cache. Memory is linear in Q, K and
 * N where no weights are asked for. The context has the same bits with and without weights, for any
 * batch and padding. Dropout as in at_attention. */
at_attention_result at_relative_attention(at_tape *t, at_tensor *q, at_rows k, at_rows v,
                                          at_relative_options o);

#endif
