/* Beam search over several sentences at once, through any model that can continue them.
 *
 * A step has `width` rows for each sentence, row s * width + k for the k-th hypothesis of the s-th:
 * one in the first step, where all begin alike, then as many as the beam is wide. Rows that run
 * nothing are computed and not looked at, until so many sentences are done that it pays to go on
 * without them. A sentence's result does not depend on the others: neither does the model's, row by
 * row. Greedy search is a beam of 1. */
#ifndef ATTEND_DECODE_SEARCH_H
#define ATTEND_DECODE_SEARCH_H

#include <stdint.h>

#include "decode/beam.h"
#include "decode/sample.h"
#include "models/generation.h"

typedef struct {
    void *self;
    int sentences, vocabulary;
    int start;         /* the word before the first, */
    const int *starts; /* [sentences]: or of each its own; NULL: start */
    int source;        /* positions that a row of weights has; 0: there are none */

    /* Continues sentences * width rows: row i was row from[i] of the step before (of the first:
     * sentence from[i]), and words[i] is its last word. log_p receives [rows,V], weights
     * [rows,source] where it is not 0; both are borrowed until the next step, and log_p may be
     * changed. */
    attend_status (*step)(void *self, int width, const int *from, const int *words, real **log_p,
                          const real **weights, attend_error *err);

    bool logits; /* log_p are logits: who looks at a row normalises it while it is near */

    const int *lengths; /* [sentences]: places of each that are no padding; NULL: all are */

    /* The attention of a row in the last step, in the arena; NULL: none is recorded. */
    attend_status (*recorded)(void *session, int row, at_arena *memory, at_attention_rows *out,
                              attend_error *err);
    void *session;

    /* The others are done: from now on there are `count` sentences, which[i], rising, of those
     * before; `from` of the next step counts the rows there were. NULL: all go on to the end. */
    attend_status (*keep)(void *self, int count, const int *which, attend_error *err);
} at_searched;

typedef struct {
    at_beam_options beam;
    const int *most;          /* [sentences]: words at most of each; NULL: beam.most for all */
    int no_repeat;            /* n: no sequence of n words comes twice; 0: off */
    const int *const *prefix; /* [sentences]: words that a hypothesis must begin with, ended by -1;
                                 or NULL */
    const at_sampling *sampling; /* words are drawn, for `width` hypotheses of each sentence that
                                    know nothing of each other; or NULL */
    bool draw_from_logits; /* sampling sees a model's logits, else log-probabilities: these are
                              rounded, and more words may be equal */
    uint64_t seed;         /* of drawing */
    bool words_alone; /* what a hypothesis scores is of no interest: greedy search takes the largest
                         logit, and log_p mean nothing */
    const size_t *number; /* [sentences]: whose random numbers each has; NULL: 0, 1, .. */
    const char *use;      /* of random numbers; NULL: "sample" */

    /* [sentences] words that came before the first, ended by -1: the repetition penalty of sampling
     * and no_repeat count them; NULL: none. Words never[nevers] cannot come. */
    const int *const *history;
    double repetition; /* of at_sampling_repetition, with and without sampling; 0 or 1: off */
    const int *never;
    int nevers;

    const int *begun; /* [sentences]: steps that were made before the first, for drawing; NULL: 0 */
    const int *given; /* [sentences]: as beam.given, of each; NULL: that for all */

    /* After each step, for every sentence that is not done: 1 ends it. May be NULL. */
    int (*stepped)(void *user, int sentence, const at_beam *beam, attend_error *err);
    void *user;

    /* Tokens that must and must not come, of a model's folder (barred, first, last, bad); or NULL.
     * The probability of a token that must come is 1; that of those that must not is not shared,
     * but for `barred` in a beam. */
    const at_generation *rules;
} at_search_options;

/* beams has room for one of each sentence; at_beam_free every one of them, on failure too. */
attend_status at_search(const at_searched *m, const at_search_options *options, at_beam *beams,
                        attend_error *err);

#endif
