/* The recurrent translators: an encoder, a decoder, and what one reads of the other.
 *
 *     fixed context          Sutskever et al. 2014, Cho et al. 2014
 *     read before the step   Bahdanau et al. 2014; d2l's and Keras' tutorials
 *     read after the step    Luong et al. 2015
 *
 * One function decodes T steps: training gives it a whole sentence, searching one word at a time,
 * so that both compute the same bits.
 *
 * Sizes: B sentences, S words of the source, T of the target, E and H the widths of words and
 * states, C of what the encoder gives for each word: H, or 2H in two directions. */
#ifndef ATTEND_MODELS_SEQ2SEQ_H
#define ATTEND_MODELS_SEQ2SEQ_H

#include "attention/attention.h"
#include "models/model.h"
#include "nn/layers.h"

/* where the decoder reads */
typedef enum {
    ATTEND_PLACE_NONE,   /* a fixed context: the decoder starts from the encoder's last state */
    ATTEND_PLACE_BEFORE, /* c_t from h_{t-1}, then the step on [e(y_{t-1}); c_t] */
    ATTEND_PLACE_AFTER,  /* the step, then c_t from h_t and h~_t = tanh(W_c [c_t; h_t]) */
} at_place;

/* the decoder's first states */
typedef enum {
    ATTEND_START_COPY,     /* the encoder's last ones, of its top layers */
    ATTEND_START_BACKWARD, /* tanh(W h<-), from the backward direction's (Bahdanau) */
    ATTEND_START_BOTH,     /* tanh(W [h->; h<-]) */
} at_start;

/* what the prediction is made from */
typedef enum {
    ATTEND_READOUT_STATE,  /* h_t, or h~_t with ATTEND_PLACE_AFTER */
    ATTEND_READOUT_DEEP,   /* tanh(W [h_t; c_t; e(y_{t-1})]) */
    ATTEND_READOUT_MAXOUT, /* pairwise maximum of W [h_t; c_t; e(y_{t-1})] (Bahdanau, A.2.2) */
    ATTEND_READOUT_ALL,    /* [h_t; c_t; e(y_{t-1})] as it is */
} at_readout;

typedef struct {
    int source_vocabulary, target_vocabulary;
    int source_features; /* not 0: the source is vectors of this width, not words */
    /* [source_features]: they are read as (x - mean) * scale; NULL: as they are */
    const real *feature_mean, *feature_scale;
    int embedding, hidden;
    int layers, decoder_layers; /* the encoder's, and the decoder's: at most as many */
    at_cell cell;
    bool bidirectional;
    bool reversed;          /* the source is read from its end (Sutskever) */
    bool reads_padding;     /* the encoder runs over padding, as d2l's code does; for comparison */
    bool context_each_step; /* place none: the fixed context joins every input (Cho) */
    bool context_first;     /* inputs are [c; e], not [e; c] (d2l) */
    bool feeding;           /* place after: h~_{t-1} joins the input */
    at_start start;
    at_place place;
    at_readout readout;
    at_how attention;        /* unless place is none */
    const at_output *output; /* words or copy */
    int unknown;             /* copy: the word that is fed for those the vocabulary lacks */
    real dropout;            /* of words, between layers, and of what is predicted from, */
    bool spare_readout;      /* unless this */
    bool variational;        /* one dropout mask for all steps of a sentence */
    bool tied;               /* the output layer is the target's embedding */
    bool shared;             /* source and target have one embedding */
} at_seq2seq;

/* How far the words' vectors spread at first: N(0,1), as PyTorch's do. A tenth of it, which an
 * output layer that is tied to them needs to begin with small logits, learns much slower in their
 * first epoch (Multi30k, Bahdanau of 256: BLEU 4 instead of 17). */
static inline real at_seq2seq_words_scale(const at_seq2seq *m) { return m->tied ? (real)0.1 : 1; }

/* The parameter that has the vectors of the source's words. */
static inline const char *at_seq2seq_source_words(const at_seq2seq *m)
{
    return m->shared ? "embedding.weight" : "encoder.embedding.weight";
}

/* Words or frames of a source that it can read, of `longest` at most (0: any number). */
static inline int at_seq2seq_longest(const at_seq2seq *m, int longest)
{
    return m->place == ATTEND_PLACE_NONE ? longest : at_how_max_length(&m->attention, longest);
}

/* Do the parts go together? The message names the option to change. */
attend_status at_seq2seq_check(const at_seq2seq *m, attend_error *err);

/* ---- encoder ------------------------------------------------------------------------------- */

typedef struct {
    const int *lengths; /* [B] */
    at_tensor *states;  /* [B,S,C] */
    at_tensor *context; /* [B,1,C]: the last states; what a fixed context is */
    int width;          /* rows of the decoder for each sentence: 1, or a beam's */
    at_memory memory;   /* the states, prepared for reads; unless place is none */
    at_tensor *mask[2]; /* [B,1,..]: variational dropout of words and of features, or NULL; */
    at_tensor *between[ATTEND_STACK_MAX_STATES]; /* and below each layer of the decoder but one */
    at_tensor *h[ATTEND_STACK_MAX_STATES], *c[ATTEND_STACK_MAX_STATES]; /* the decoder's first */
} at_source;

/* ids [B,S] with lengths [B]; the caller's memory, alive until the tape is reset. */
at_source at_seq2seq_encode(at_tape *t, const at_seq2seq *m, at_ids source, const int *lengths);

/* The same from feature vectors [B,S,source_features]: scaled, and in the place of the words'
 * vectors W x + b, of the embedding's width. */
at_source at_seq2seq_encode_features(at_tape *t, const at_seq2seq *m, at_tensor *features,
                                     const int *lengths);

/* ---- decoder ------------------------------------------------------------------------------- */

typedef struct {
    at_tensor *h[ATTEND_STACK_MAX_STATES], *c[ATTEND_STACK_MAX_STATES]; /* of layers: [B,H] */
    at_tensor *feed; /* h~ of the step before, [B,1,H], with feeding; NULL: zeros */
    int position;    /* steps done */
} at_decoder;

at_decoder at_seq2seq_start(const at_seq2seq *m, const at_source *source);

/* T steps on the words y_{t-1} [B,T], with the copy output also those that the vocabulary lacks;
 * state is moved on. With a width above 1 there are so many
 * rows for each sentence, one after the other, and one step at a time: they read their source
 * together. */
at_decoded at_seq2seq_decode(at_tape *t, const at_seq2seq *m, const at_source *source,
                             at_decoder *state, at_ids words, bool weights);

/* ---- output -------------------------------------------------------------------------------- */

/* [B,T,V] */
at_tensor *at_seq2seq_logits(at_tape *t, const at_seq2seq *m, at_tensor *features);

/* The mean negative log-likelihood of the targets [B,T], without the logits ever existing as a
 * whole. Not for the copy output: it is below. */
at_tensor *at_seq2seq_loss(at_tape *t, const at_seq2seq *m, at_tensor *features, at_ids targets,
                           at_cross_entropy_options options);

/* Copy output: the probability that the targets [B,T] have by copying, [B,T]. copied [B,S] are the
 * words of the sources as numbers of the target's, from V on for those it lacks, -1 from a
 * sentence's end on. */
at_tensor *at_seq2seq_copied(at_tape *t, const at_seq2seq *m, const at_decoded *d, at_ids copied,
                             at_ids targets);

/* Copy output: the loss of rows of features with their gates (at_decoded's) and what
 * at_seq2seq_copied gave; targets may be words that the vocabulary lacks. */
at_tensor *at_seq2seq_copy_loss(at_tape *t, const at_seq2seq *m, at_tensor *features,
                                at_mixed_with copying, at_ids targets,
                                at_cross_entropy_options options);

/* For searching: log p of all words, [B*T,V], with the copy output [B*T,V+most]; copies is NULL
 * without it. */
at_tensor *at_seq2seq_log_p(at_tape *t, const at_seq2seq *m, const at_decoded *d,
                            const at_copies *copies);

#endif
