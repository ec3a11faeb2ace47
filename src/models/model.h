/* A model: its kind, settings, weights, tokenizers and labels, and what it can do.
 *
 *     at_model *m = at_model_new(&at_model_translator, seed)   or store/model_folder.h opens one
 *     m->settings, m->source, m->target, m->labels ..          are set,
 *     at_model_describe(m, err)                                and make the network
 *
 * A kind is a line of models.def and a constant at_model_NAME in the file of its network. It has a
 * table of functions for each thing that its models can do; who uses a model asks for the
 * capability and calls its functions, and knows nothing of the network.
 *
 * An open model does not change, and any number of threads share it: all that a call changes is the
 * caller's, a tape and a cache. Sizes: B texts, S tokens of the source, T of the target, V tokens
 * of the vocabulary. */
#ifndef ATTEND_MODELS_MODEL_H
#define ATTEND_MODELS_MODEL_H

#include "attend.h"
#include "attention/cache.h"
#include "attention/output.h"
#include "attention/record.h"
#include "base/option.h"
#include "models/generation.h"
#include "text/copying.h"
#include "text/tokenizer.h"

typedef struct at_model_kind at_model_kind;

typedef struct {
    const at_model_kind *kind;
    void *settings; /* kind->settings_size bytes, of kind->options */
    void *net;      /* kind->net_size bytes: what describe made of the settings */
    at_params *params;
    at_tokenizer *source, *target; /* one and the same where there is one; source is NULL where the
                                      model reads vectors, both where it has no text */
    at_copying *copying;           /* of these, where the output is copy; else NULL */
    at_vocab *labels;              /* ids of classes and their names, or NULL */
    int source_size, target_size;  /* of the vocabularies; 0: those of the tokenizers */
    int width;                     /* numbers of a vector that the model reads; 0: it reads text */
    double *mean, *spread;         /* [width], in the arena; NULL: vectors are not scaled */
    bool adapts; /* its weights are those of a model with another head: parameters that are missing
                    in the file start anew, others are left out */
    at_generation *generation; /* defaults of searching, of a folder of the hub; or NULL */
    struct at_hub_folder *hub; /* store/hub.h: the folder of the hub that it was opened from, a
                                  thing of `params`; or NULL */
    at_arena memory;           /* of all this, and of the strings of the settings */
} at_model;

/* ---- what models can do --------------------------------------------------------------------- */

/* texts on their way into an encoder; the caller's memory, alive until the tape is reset */
typedef struct {
    at_ids ids;                  /* [B,S]; of vectors the shape alone counts */
    const real *vectors;         /* [B,S,width], or NULL: ids */
    const int *lengths;          /* [B]; NULL: S each */
    const int *segments;         /* [B,S]: 0 in the first text, 1 in the second; NULL: 0. Models
                                    without segments ignore them */
    const at_mask *mask;         /* of models with encodes, instead of lengths; NULL: lengths */
    at_attention_record *record; /* receives the encoder's attention that it wants; may be NULL */
    at_tensor **states;          /* of models with encodes: [layers + 1], receives the embeddings
                                    and the states after each layer; NULL: not wanted */
} at_inputs;

/* tokens on their way into a decoder */
typedef struct {
    void *source;      /* of encode, or NULL: the model has none */
    at_cache *cache;   /* whose rows are continued; NULL: rows begin here */
    at_ids tokens;     /* [rows,T] */
    const int *counts; /* [rows]: tokens of each; NULL: T */
    int width;         /* rows for each sentence of the source, one after the other */
    int position;      /* tokens that were decoded before these, of a model with a source */
    at_attention_record *record; /* attention that is wanted, or NULL */
} at_decode_input;

typedef struct {
    at_tensor *features;        /* [rows,T,R]: the output layer's input */
    at_tensor *weights;         /* [rows,heads,T,S]: cross-attention that the output or the record
                                   needs; else NULL */
    at_tensor *gate;            /* [rows,T,1]: copy output, before its sigmoid; else NULL */
    at_tensor *log_p, *entropy; /* [rows,heads,T]: sampled attention while training; else NULL */
} at_decoded;

/* Models that continue texts token by token: translators and language models. */
typedef struct {
    /* The sources on the tape, as at_decode_input takes them; and sentences which [count] of them.
     * NULL functions: the model reads no source. */
    void *(*encode)(at_tape *t, const at_model *m, const at_inputs *in);
    void *(*keep)(at_tape *t, const at_model *m, void *source, at_ids which);

    /* A cache for the rows of a session; and their first states, a row for each sentence of the
     * source, which must have joined it. start is NULL where rows begin with nothing. */
    at_cache *(*cache)(const at_model *m);
    void (*start)(at_tape *t, const at_model *m, void *source, at_cache *cache);

    at_decoded (*decode)(at_tape *t, const at_model *m, const at_decode_input *in);

    int (*vocabulary)(const at_model *m); /* V */

    /* [.., R] -> [.., V] */
    at_tensor *(*logits)(at_tape *t, const at_model *m, at_tensor *features);

    /* The mean negative log-likelihood of targets [..] from features [.., R], without the logits
     * ever existing as a whole; where the model copies, `copying` has the gate and the mass. */
    at_tensor *(*loss)(at_tape *t, const at_model *m, at_tensor *features, at_mixed_with copying,
                       at_ids targets, at_cross_entropy_options options);

    /* Copy output, else NULL: the probability that targets [B,T] have by copying, [B,T]; and for
     * searching log p of all tokens, [rows*T, V + copies->max]. */
    at_tensor *(*copied)(at_tape *t, const at_model *m, const at_decoded *d, at_ids copied,
                         at_ids targets);
    at_tensor *(*copy_log_p)(at_tape *t, const at_model *m, const at_decoded *d,
                             const at_copies *copies);

    bool (*draws)(const at_model *m);    /* attention is hard: positions are drawn, */
    bool (*samples)(const at_model *m);  /* and trained by a reward */
    bool (*reversed)(const at_model *m); /* keys count from the end of the source; may be NULL */
    bool (*reads_padding)(const at_model *m); /* results depend on the batch; may be NULL */
} at_decodes;

typedef struct {
    at_tensor *logits;  /* [B,K] */
    at_tensor *weights; /* [B,S]: how much each token counts; NULL where not asked for */
} at_classified;

/* One text, or a pair as two segments, -> classes; `weights` asks for the weights. */
typedef at_classified at_classifies(at_tape *t, const at_model *m, const at_inputs *in,
                                    bool weights);

/* How the states of a text become its vector: parts of D numbers each, in this order. */
enum {
    ATTEND_SENTENCE_CLS = 1,
    ATTEND_SENTENCE_MAX = 2,
    ATTEND_SENTENCE_MEAN = 4,
    ATTEND_SENTENCE_MEAN_SQRT = 8
}; /* the sum divided by the square root of the length */

typedef struct {
    unsigned parts;
    bool normalize, lower; /* to length 1; texts are lower-cased first */
    int length;            /* tokens of a text that are read; 0: as many as there are positions */
} at_sentence;

/* "cls,mean": sets the parts alone. */
attend_status at_sentence_parse(at_sentence *s, const char *text, attend_error *err);

/* Models that encode whole texts, and the heads on the states of their tokens. encode and width are
 * always there; a head is NULL where no model of the kind has it, and works where at_model_can has
 * its capability. D: width of the states, K: labels. */
typedef struct {
    int (*width)(const at_model *m);  /* D */
    int (*layers)(const at_model *m); /* for at_inputs.states */
    at_tensor *(*encode)(at_tape *t, const at_model *m, const at_inputs *in); /* [B,S,D] */

    at_sentence (*sentence)(const at_model *m); /* NULL: the mean */

    at_tensor *(*pool)(at_tape *t, const at_model *m, at_tensor *states); /* [B,S,D] -> [B,D] */
    at_tensor *(*tags)(at_tape *t, const at_model *m, at_tensor *states); /* [..,D] -> [..,K] */

    /* Start and end of an answer: [B,S,D] -> [B,S,2]. */
    at_tensor *(*span)(at_tape *t, const at_model *m, at_tensor *states);

    /* Masked tokens: [..,D] -> [..,V]; and the mean negative log-likelihood of targets [..],
     * without the logits ever existing as a whole. */
    at_tensor *(*tokens)(at_tape *t, const at_model *m, at_tensor *states);
    at_tensor *(*tokens_loss)(at_tape *t, const at_model *m, at_tensor *states, at_ids targets,
                              at_cross_entropy_options options);

    /* Does the second text follow the first (0), or is it another one (1): [B,S,D] -> [B,2]. NULL
     * where a model is trained without. */
    at_tensor *(*next)(at_tape *t, const at_model *m, at_tensor *states);
} at_encodes;

/* texts whose tokens are predicted in an order; the caller's memory, alive until the tape is reset
 */
typedef struct {
    at_ids ids;                       /* [B,T] */
    const int *lengths;               /* [B] */
    const int *segments;              /* [B,T] */
    const int *query_rank, *key_rank; /* [B,T]: token i sees token j where key_rank[j] <
                                         query_rank[i]; NULL in one direction */
    const int *targets;               /* [B,P]: positions that are predicted, -1 for none */
    int P;                            /* 0 in one direction: the token after each is predicted */
    const int *directions;            /* [B]: 1 where a text runs backwards; NULL: none does */

    /* States of the segments of text before these, for layer l from l*layer_size on: [B,M,D], the
     * newest last. `next` receives those for the segments that follow. Both NULL: there are none.
     */
    const real *old;
    real *next;
    size_t layer_size;
    const int *remembered; /* [B]: so many of the newest count */

    at_attention_record *record; /* kinds content and query; or NULL */
} at_permuted;

/* Models that predict tokens of a text in any order, or in one direction alone; they have encodes,
 * whose width and layers tell how large a memory is. */
typedef struct {
    int (*memory)(const at_model *m); /* M; 0: none */

    /* Tokens of a segment, from its first one on, that enter the memory, and after which the next
     * one begins; 0: all. */
    int (*reuse)(const at_model *m);
    bool (*two_ways)(const at_model *m); /* half of the texts run backwards */
    bool (*causal)(const at_model *m);   /* in one direction */

    /* [B,P,D]; in one direction [B,T,D] */
    at_tensor *(*predict)(at_tape *t, const at_model *m, const at_permuted *in);
    at_tensor *(*logits)(at_tape *t, const at_model *m, at_tensor *features); /* [..,D] -> [..,V] */

    /* The mean negative log-likelihood of targets [..] from features [..,D]. */
    at_tensor *(*loss)(at_tape *t, const at_model *m, at_tensor *features, at_ids targets,
                       at_cross_entropy_options options);
} at_permutes;

/* What the logits of classes mean, and their loss. */
typedef enum {
    ATTEND_LABELS_ONE,     /* one of the labels: softmax, cross-entropy */
    ATTEND_LABELS_SEVERAL, /* any of them: sigmoids, binary cross-entropy */
    ATTEND_LABELS_NUMBER,  /* numbers instead of labels: squared error */
} at_label_use;

/* Models that point to items of their input, one after the other. */
typedef struct {
    void *(*read)(at_tape *t, const at_model *m, at_tensor *items, const int *lengths);
    at_tensor *(*point)(at_tape *t, const at_model *m, void *state, at_ids before);
    attend_status (*check_items)(const at_model *m, size_t items, attend_error *err);
} at_points;

/* ---- kinds ---------------------------------------------------------------------------------- */

/* what the folder of a model has beside settings and weights */
typedef enum {
    ATTEND_PART_TOKENIZER = 1, /* one for all text: tokenizer/ */
    ATTEND_PART_SIDES = 2,     /* source/ and target/, or tokenizer/ for both */
    ATTEND_PART_LABELS = 4,    /* id2label */
    ATTEND_PART_VECTORS = 8,   /* width, mean and spread of the vectors that are read */
    ATTEND_PART_ITEMS = 16,    /* the same of items, always scaled */
    ATTEND_PART_FILE = 32,     /* none of these: the model is one file, and no folder */
} at_model_part;

/* the vectors of the tokens of the source, as the network has them */
typedef struct {
    const char *name; /* of the parameter */
    int width;
    real scale; /* their spread at first */
} at_embedding_info;

struct at_model_kind {
    const char *name; /* "translator" */
    const char *type; /* model_type of config.json: "attend-translator" */
    const char *use;  /* the command that uses such models: "translate" */
    unsigned can;     /* attend_capability: what models of this kind can do with some settings */
    unsigned parts;   /* at_model_part */
    const at_option *options;
    size_t settings_size, net_size;

    /* The network from everything else. Fails, with the setting to change, where it does not go
     * together. With `try`, sizes of data that is not there yet are assumed. NULL, like trial: the
     * model is a file. */
    attend_status (*describe)(at_model *m, attend_error *err);

    /* Runs it once on the smallest input, so that all of its weights take part. */
    void (*trial)(at_tape *t, const at_model *m);

    /* tokens, or vectors, of an input that it can read, of `limit` at most (0: any number) */
    int (*max_input)(const at_model *m, int limit);

    /* the same of tokens that it can write for an input, its end included; NULL: any number */
    int (*max_output)(const at_model *m, int limit);

    /* Its attention, in `out`; how many. */
    int (*attention)(const at_model *m, at_attention_layout out[ATTEND_LAYOUT_MAX]);

    at_embedding_info (*embedding)(const at_model *m); /* NULL: none can be set */

    /* Why a setting that was given would change nothing, with the remedy: "has no attention; ..";
     * NULL: it counts. The function may be NULL. */
    const char *(*unused)(const void *settings, const char *name);

    /* Changes settings so that a model of them can do what a task needs; NULL: all models can. */
    void (*aim)(void *settings, unsigned can);

    /* Where a parameter stands: 0 in the embeddings, i + 1 in layer i, and after the last layer
     * above them all. NULL: the kind has no layers that are trained differently. */
    int (*depth)(const at_model *m, const char *parameter);

    /* What this model can do, of `can`; NULL: all of it. */
    unsigned (*able)(const at_model *m);

    /* Makes a tokenizer that is learned for such a model frame texts as it expects; or NULL. */
    void (*frame)(at_tokenizer *t);

    /* What its classes are; NULL: ATTEND_LABELS_ONE. */
    at_label_use (*label_use)(const at_model *m);

    const at_decodes *decodes;   /* translate, generate */
    const at_encodes *encodes;   /* tag, answer, fill, embed, pretrain */
    const at_permutes *permutes; /* permute */
    at_classifies *classify;
    const at_points *points;
};

#define MODEL(name) extern const at_model_kind at_model_##name;
#include "models/models.def"
#undef MODEL
extern const at_model_kind *const at_model_kinds[];
extern const int at_model_kind_count;

/* The kind of a model_type of config.json, or NULL. */
const at_model_kind *at_model_kind_of(const char *type);

/* ---- a model -------------------------------------------------------------------------------- */

/* With settings that are zeros and an empty set of parameters; NULL without memory. */
at_model *at_model_new(const at_model_kind *kind, uint64_t seed);
void at_model_free(at_model *m); /* may be NULL */

/* Memory for mean and spread of m->width. */
attend_status at_model_scaling(at_model *m, attend_error *err);

/* x [width] as the model takes it: (x - mean) / spread */
void at_model_scale(const at_model *m, const real *x, real *to);

/* The network that follows from settings, tokenizers, labels and width. */
attend_status at_model_describe(at_model *m, attend_error *err);

/* Refuses settings that make no sense, before there is any data: of a vocabulary and labels of any
 * size. */
attend_status at_model_check_settings(const at_model_kind *kind, const void *settings,
                                      attend_error *err);

/* All parameters of its network, without numbers; release it with at_params_free. NULL with an
 * error. */
at_params *at_model_outline(const at_model *m, attend_error *err);

static inline unsigned at_model_can(const at_model *m)
{
    return m->kind->able ? m->kind->able(m) : m->kind->can;
}

static inline at_label_use at_model_label_use(const at_model *m)
{
    return m->kind->label_use ? m->kind->label_use(m) : ATTEND_LABELS_ONE;
}

static inline int at_model_max_input(const at_model *m, int limit)
{
    return m->kind->max_input ? m->kind->max_input(m, limit) : limit;
}

static inline int at_model_max_output(const at_model *m, int limit)
{
    return m->kind->max_output ? m->kind->max_output(m, limit) : limit;
}

/* The attention that it has; 0: none. */
static inline int at_model_attention(const at_model *m, at_attention_layout *out)
{
    return m->kind->attention ? m->kind->attention(m, out) : 0;
}

/* Sizes that networks are made for: of the tokenizers, or of data that is not there yet. */
int at_model_source_size(const at_model *m);
int at_model_target_size(const at_model *m);
int at_model_label_count(const at_model *m);

/* at_model_kind.unused of "attention-size": of an attention without a hidden layer. */
const char *at_model_unused_size(const char *attention);

/* The setting newline of models that generate: is a newline a part of their texts? */
#define ATTEND_NEWLINES "end|text"
bool at_model_keeps_newlines(const at_model_kind *kind, const void *settings);

/* Names of settings that all kinds of recurrent models share. */
at_cell at_model_cell(int choice); /* "rnn|relu|lstm|gru" */

#endif
