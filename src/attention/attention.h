/* Attention: one read, described by SCORE/SCOPE/PICK/HEADS, used by every model.
 *
 *     at_how how;
 *     at_how_parse(&how, "bilinear/window:5/soft/8", &err);
 *     at_memory m = at_attention_prepare(t, s, &how, width, keys, values, lengths);  per source
 *     at_reading r = at_attention_read(t, s, &how, &m, (at_query){.query = q});      at every step
 *
 * A read takes queries q [B,Q,dq], keys [B,K,dk], values [B,K,dv] and a mask, and gives weights
 * and the context c = sum_j w_j v_j. Masked positions get weight exactly 0 and no gradient; a row
 * that sees nothing has zero weights and a zero context. Positions count from 0.
 *
 * Each mechanism is one file and one line in a list; everything that shows or tests mechanisms
 * (the command, the tests, the reference page) runs over the lists. */
#ifndef ATTEND_ATTENTION_ATTENTION_H
#define ATTEND_ATTENTION_ATTENTION_H

#include "attention/cache.h"

typedef struct at_how at_how;
typedef struct at_memory at_memory;
typedef struct at_query at_query;

/* ---- what every mechanism says of itself -------------------------------------------------- */

/* A value after the colon of a description: D of window:D, the word of additive:bias. */
typedef struct {
    enum { ATTEND_VALUE_NONE, ATTEND_VALUE_WORD, ATTEND_VALUE_WHOLE, ATTEND_VALUE_REAL } kind;
    double min, max;          /* of a number; both 0: any */
    bool optional;            /* a number may be left out, as a word always may */
    const char *default_text; /* its value if it is left out; NULL: it counts as not given */
    const char *what;         /* for errors: "the reach to each side"; or NULL */
} at_value;

enum { ATTEND_VALUES = 4 };

/* The values of one mechanism in a description: the first `given` of its table. */
typedef struct {
    int given;
    double number[ATTEND_VALUES]; /* 1 for a word */
} at_values;

typedef struct {
    const char *name;
    const char *aliases;           /* separated by blanks, or NULL */
    const char *values;            /* names of the values: "D", "m,w"; NULL for none */
    at_value value[ATTEND_VALUES]; /* a row for each name in `values` */
    const char *example; /* the name with values that suit a dozen keys; NULL: the name alone */
    const char *formula;
    const char *source;     /* paper and equation */
    const char *use;        /* when to take it */
    const char *cost;       /* time and memory for n queries and n keys of width d */
    const char *parameters; /* learned, or "none" */
} at_about;

/* ---- scores ------------------------------------------------------------------------------- */

typedef struct {
    at_about about;
    bool knows_positions; /* permuting keys and values does more than permute the weights */
    bool one_width;       /* queries and keys must be as wide as each other, without heads */
    bool has_hidden;      /* a hidden layer: prepared keys are how->size wide; 0: like q */
    bool linear;          /* what prepare does to a mean of keys is the mean of what it does */
    bool limits_length;   /* its first value is the number of positions that it knows */
    bool of_distance;     /* a kernel of |q - k_j|: attention pooling can fit points with it */
    bool learns_width;    /* and the kernel's width is learned */

    /* Scores are q . k_j times this number of the (head's) width d: with a global scope and softmax
     * one op computes the whole read. NULL: they are something else. */
    real (*dot_scale)(int d);

    /* What depends on the source alone: kept in m->prepared; NULL where there is nothing. */
    at_tensor *(*prepare)(at_tape *t, at_path s, const at_how *how, const at_memory *m);

    /* scores [B,Q,K] */
    at_tensor *(*score)(at_tape *t, at_path s, const at_how *how, const at_query *q,
                        const at_memory *m);
} at_score;

/* ---- scopes ------------------------------------------------------------------------------- */

typedef struct at_reading at_reading;

typedef struct {
    at_about about;
    bool sees_all;       /* every position that the mask leaves, one by one */
    bool is_local;       /* can be LOCAL in hybrid:LOCAL */
    bool needs_position; /* lies around the position of its query */
    bool has_hidden;     /* a hidden layer, how->size wide; 0: like q */
    bool loses_mass;     /* weights can sum to less than one */
    bool has_blocks;     /* positions of a block share one weight and have no score of their own */

    /* Instead of the table of values, where the description is not a list of numbers and words:
     * both or none. print writes the name as well. */
    attend_status (*parse)(at_how *how, int n, const char *const *texts, attend_error *err);
    void (*print)(const at_how *how, char *text, size_t size);

    /* the whole read of one head: scores, visible positions, pick, context; its values are
     * how->scope_values */
    at_reading (*read)(at_tape *t, at_path s, const at_how *how, const at_query *q,
                       const at_memory *m);
} at_scope;

/* ---- picks -------------------------------------------------------------------------------- */

typedef struct {
    at_tensor *weights;         /* [B,Q,K] */
    at_tensor *log_p, *entropy; /* [B,Q] where a position was drawn (hard), else NULL */
} at_picked;

typedef struct {
    at_about about;
    bool is_softmax; /* weights are the softmax of the scores: above 0 wherever the query sees */
    bool draws;      /* draws one position while training, and gives log_p and entropy */
    /* Does a draw need a reward to train it, with these values? NULL: never. */
    bool (*needs_reward)(const at_how *how);
    at_picked (*pick)(at_tape *t, const at_how *how, at_tensor *scores, const at_mask *mask);
} at_pick;

#define SCORE(name) extern const at_score at_score_##name;
#define SCOPE(name) extern const at_scope at_scope_##name;
#define PICK(name) extern const at_pick at_pick_##name;
#define OP(name) extern const at_op at_op_##name;
#include "attention/ops.def"
#include "attention/picks.def"
#include "attention/scopes.def"
#include "attention/scores.def"
#undef SCORE
#undef SCOPE
#undef PICK
#undef OP

extern const at_score *const at_scores[];
extern const at_scope *const at_scopes[];
extern const at_pick *const at_picks[];
extern const at_op *const at_attention_ops[];
extern const int at_score_count, at_scope_count, at_pick_count, at_attention_op_count;

/* ---- the description ---------------------------------------------------------------------- */

struct at_how {
    const at_score *score;
    const at_scope *scope;
    const at_pick *pick;
    int heads; /* 0: no projections */
    int size;  /* of the hidden layers, see has_hidden; 0: the query's width */

    at_values score_values, scope_values, pick_values;
    const at_scope *local; /* of hybrid:LOCAL; NULL without */
    at_values local_values;
};

/* the scope, or LOCAL of hybrid:LOCAL */
static inline const at_scope *at_how_local(const at_how *how)
{
    return how->local ? how->local : how->scope;
}

/* Does the pick draw positions that only a reward can train? */
static inline bool at_how_needs_reward(const at_how *how)
{
    return how->pick->needs_reward && how->pick->needs_reward(how);
}

/* SCORE[/SCOPE[/PICK[/HEADS]]], parts left out from the right are global, soft and no heads.
 * Refuses unknown names (with the nearest known one) and combinations that make no sense (with
 * the reason). */
attend_status at_how_parse(at_how *how, const char *text, attend_error *err);

/* Can queries, keys and values of that width be cut into its heads? */
attend_status at_how_check_width(const at_how *how, int width, attend_error *err);

/* Can it compare queries with keys of an encoder that reads in both directions? They are twice as
 * wide. */
attend_status at_how_check_keys(const at_how *how, bool bidirectional, attend_error *err);

/* How much of a source it can read: `longest` (0: any number), or as many positions as its score
 * knows where they are fewer. `max_length` for a description that is still all zeros. */
int at_how_max_length(const at_how *how, int max_length);

/* A whole number from min to max; `what` names it in errors. */
attend_status at_how_whole(const char *text, const char *what, int min, int max, int *value,
                           attend_error *err);

/* the description of how, parts that are defaults left out from the right */
void at_how_print(const at_how *how, char *text, size_t size);

/* ---- one read ----------------------------------------------------------------------------- */

struct at_memory {
    at_tensor *keys, *values; /* [B,K,dk], [B,K,dv]; projected where there are heads */
    at_tensor *prepared;      /* by the score, or NULL */
    const int *lengths;       /* [B]: keys from lengths[b] on are padding; or NULL */
    int first;                /* position of the first key: not 0 in a part of a source */
    int width;                /* dq of the queries (of one head) */
    at_memory *heads;         /* how->heads of them, each with its slices; or NULL */
    const at_cache *cache;    /* not NULL: keys and values are its streams `stream` and the next */
    int stream;
};

/* Computes what depends on the source alone; `width` is the queries' dq. lengths [B] may be NULL;
 * they are read until the tape is reset. With heads, q, k and v are projected to `width`
 * (parameters query, key, value, output) and cut into slices. */
at_memory at_attention_prepare(at_tape *t, at_path s, const at_how *how, int width, at_tensor *keys,
                               at_tensor *values, const int *lengths);

/* Some of its sentences, which [n] of those there are. */
at_memory at_memory_of(at_tape *t, const at_how *how, const at_memory *m, at_ids which);

struct at_query {
    at_tensor *query;   /* [B,Q,dq] */
    at_mask mask;       /* which keys it sees, and where it stands: first and offset are what causal
                         * and the windows count from. lengths: NULL for those of the memory; hidden
                         * and added are [Q,K], [B,Q,K] or [B,H,Q,K]; added is not for expanded */
    bool together;      /* all queries stand at the first position: hypotheses of one step; not if
                         * causal */
    const int *centres; /* [B,Q]: what the windows lie around; NULL: where they stand */
    real dropout;       /* probability of dropping a weight, in training */
    bool weights;       /* weights are wanted; without, the fastest way is taken */
    bool scores;        /* scores are wanted too */
};

struct at_reading {
    at_tensor *context; /* [B,Q,dv] */
    at_tensor *weights; /* [B,H,Q,K], H = 1 without heads; may be NULL if not asked for */
    at_tensor *scores;  /* [B,H,Q,K] as the pick saw them, -inf where it saw nothing; a block's in
                         * each of its positions; no gradient; NULL if not asked for */
    at_tensor *centre;  /* [B,H,Q]: predicted p; else NULL */
    at_tensor *log_p, *entropy; /* [B,H,Q]: hard picks while training; else NULL */
};

at_reading at_attention_read(at_tape *t, at_path s, const at_how *how, const at_memory *m,
                             at_query q);

/* The same on keys and values that the model has projected itself, with how->heads slices. A model
 * whose projections have biases, or that computes queries, keys and values in one product, projects
 * with its own parameters and calls at_attention_slices and at_read_slices (Transformers do);
 * at_attention_prepare and at_attention_read have projections without biases. */
at_memory at_attention_slices(at_tape *t, at_path s, const at_how *how, int width, at_tensor *keys,
                              at_tensor *values, const int *lengths);
at_reading at_read_slices(at_tape *t, at_path s, const at_how *how, const at_memory *m, at_query q);

/* Is it dot products of global soft attention, which the op at_attention computes for all heads? */
bool at_is_fused(const at_how *how);

/* ---- keys that grow: attention on a cache --------------------------------------------------- */

/* Widths of the streams that one attention has in a cache: keys, values and, for scores that have
 * any, prepared keys. keys, values: the widths that are stored, which with at_attention_append and
 * heads is `width`. Returns their number. */
enum { ATTEND_ATTENTION_STREAMS = 3 };
int at_attention_streams(const at_how *how, int width, int keys, int values,
                         int widths[ATTEND_ATTENTION_STREAMS]);

/* Appends keys and values [rows,n,..] of the new positions, projected and prepared, to the streams
 * from `stream` on. The result has all positions, until the cache changes; a query takes
 * .mask = {.causal = true, .first = at_cache_firsts(c)}. No gradient passes through a cache. */
at_memory at_attention_append(at_tape *t, at_path s, const at_how *how, int width, at_tensor *keys,
                              at_tensor *values, at_cache *c, int stream);

/* at_attention_append for keys and values that the model has projected itself; attend to them with
 * at_read_slices. */
at_memory at_append_slices(at_tape *t, at_path s, const at_how *how, int width, at_tensor *keys,
                           at_tensor *values, at_cache *c, int stream);

/* All positions of streams that have been written. */
at_memory at_memory_cached(at_tape *t, const at_how *how, int width, const at_cache *c, int stream);

/* For scopes: scores, pick and context over the keys that mask leaves visible; hidden and added
 * have no axis of heads. */
at_reading at_read_masked(at_tape *t, at_path s, const at_how *how, const at_query *q,
                          const at_memory *m, const at_mask *mask);

#endif
