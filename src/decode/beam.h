/* Beam search over one sentence, as a function on arrays: it knows nothing of models.
 *
 *     at_beam beam;
 *     at_beam_start(&beam, &options, vocabulary, 0, &err);
 *     while (!beam.done) {
 *         log_p = the model's, for beam.live rows          [live,V]
 *         at_beam_step(&beam, log_p, NULL, weights, &err);
 *         row k now continues row beam.from[k] with the word beam.word[k]
 *     }
 *     at_beam_finish(&beam);                               best hypothesis first
 *
 * Rules (those of Hugging Face's generate): every step looks at the best 2 * width continuations.
 * One that ends is kept as a hypothesis if it is among the best `width` of them; the others go on
 * until `width` are running. With `width` hypotheses ended, the search stops at once (early) or
 * when the best running one, if it ended now, were no better than the worst of them; with a rule of
 * lengths a longer one might still have overtaken it. Words that run into the limit end there.
 *
 *     score = (sum of log p) / length^penalty         length counts the words and those given
 */
#ifndef ATTEND_DECODE_BEAM_H
#define ATTEND_DECODE_BEAM_H

#include <stdbool.h>

#include "attention/record.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/real.h"

typedef struct {
    int width;
    int end;   /* the word that ends a hypothesis; -1: none does */
    int most;  /* words, the end included */
    int least; /* words before the end may come */
    attend_length_rule rule;
    double penalty;
    double coverage; /* times sum_j log min(sum_t w_tj, 1), added to the score; 0: off */
    int covered;     /* places j of that sum, the sentence's own; 0: all that weights have */
    int given; /* tokens before the first that the rule of lengths counts; 0 is 1, the start */
    bool early;
    int ends;         /* times that `end` must come to end a hypothesis; 0 is 1 */
    int alternatives; /* likeliest words of every step to remember; 0: none */
    bool trace;       /* remember what became of every candidate */
} at_beam_options;

/* a word that might have come, and the logarithm of its probability */
typedef struct {
    int word;
    double log_p;
} at_alternative;

/* what became of a continuation that a step looked at */
typedef struct {
    int from, word; /* row before the step */
    double log_p;   /* the sum up to it, */
    double score;   /* by the rule of lengths; of one that ended, with the coverage */
    attend_trace_fate fate;
    int row; /* of those that run on; else -1 */
} at_beam_candidate;

/* where a running hypothesis came from, its word, and the sum up to it */
typedef struct {
    int from, word;
    double log_p;
} at_beam_link;

typedef struct {
    double score, log_p; /* with and without the rule of lengths */
    int words;           /* the end included, if it came */
    int step, row;       /* the last link before the end; step -1: none */
    bool ended;          /* by the end word, not by the limit */
} at_hypothesis;

typedef struct {
    at_beam_options options;
    int vocabulary, source; /* source: width of the rows of weights */
    int live;               /* running hypotheses */
    int steps;              /* done */
    int *from, *word;       /* [width]: of the last step */
    double *log_p;          /* [width]: sums of the running ones */
    at_hypothesis *found;   /* [width], best first after finish */
    int count;
    bool done;
    /* inside */
    bool closed; /* what is running cannot win any more */
    at_arena memory;
    at_beam_link **link; /* [most] of [width] */
    real **weights;      /* [most] of [width,source], by the row before the step; or NULL */
    void *candidate;     /* [2 width + 1] */
    double *seen;        /* [source]: of coverage */
    int *ends;           /* [2 width]: ends in the running ones, and of those of the next step */
    at_alternative **alternative;  /* [most] of [live,alternatives]; or NULL */
    at_attention_rows **attention; /* [most] of [width]; or NULL */
    at_beam_candidate **tried;     /* [most] of candidates; or NULL */
    int *tries;                    /* [most] */
} at_beam;

/* source: positions of the source that weights have, or 0 where none are given. */
attend_status at_beam_start(at_beam *b, const at_beam_options *options, int vocabulary, int source,
                            attend_error *err);

/* log_p [live,V]; or logits, and norm [live] is the log-sum-exp of each row: else NULL. weights
 * [live,source], or NULL where source is 0. */
attend_status at_beam_step(at_beam *b, const real *log_p, const double *norm, const real *weights,
                           attend_error *err);

/* A step of sampling: every running hypothesis goes on with the word that was drawn for it, word
 * [live]; in the first step `width` of them begin, word [width]. Otherwise as at_beam_step of
 * log_p. */
attend_status at_beam_draw(at_beam *b, const real *log_p, const real *weights, const int *word,
                           attend_error *err);

/* Ends what is still running, and sorts. */
void at_beam_finish(at_beam *b);

/* The words of a hypothesis, without the end: returns how many; to has room for options.most. */
int at_beam_words(const at_beam *b, const at_hypothesis *h, int *to);

/* The words of a running hypothesis so far. */
int at_beam_running(const at_beam *b, int row, int *to);

/* The weights of the step that chose word t of a hypothesis, [source]; t up to and including the
 * end; NULL where none were given. */
const real *at_beam_weights(const at_beam *b, const at_hypothesis *h, int t);

/* The logarithm of the probability of word t of a hypothesis, likewise. */
double at_beam_log_p(const at_beam *b, const at_hypothesis *h, int t);

/* The likeliest words of the step that chose word t of a hypothesis, [options.alternatives], best
 * first; of a word less, -1. NULL where none were remembered. */
const at_alternative *at_beam_alternatives(const at_beam *b, const at_hypothesis *h, int t);

/* Before a step: the attention of a running row in this step, copied; and that of word t of a
 * hypothesis, with a count of 0 where there is none. */
attend_status at_beam_attend(at_beam *b, int row, at_attention_rows rows, attend_error *err);
at_attention_rows at_beam_attention(const at_beam *b, const at_hypothesis *h, int t);

/* What a step tried, best first: options.trace. */
const at_beam_candidate *at_beam_trace(const at_beam *b, int step, int *count);

void at_beam_free(at_beam *b); /* also after a failed start */

#endif
