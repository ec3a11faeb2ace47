/* A session: one model or several (an ensemble) that continue texts token by token, with their
 * tapes and caches. A model is shared; a session is one thread's.
 *
 *     at_session_new(models, count, &s, err)
 *     at_session_start(s, &in, err)                    sentences, a row each
 *     at_session_join(s, &more, err)                   more of them, after those that are there
 *     at_session_step(s, width, from, tokens, &step, err)   every row goes on by a token
 *     at_session_keep(s, count, which, err)            the other sentences leave
 *
 * Searching knows no more of a model than this: at_session_searched. A row's numbers do not depend
 * on the rows beside it. Sizes: V tokens of the vocabulary. */
#ifndef ATTEND_DECODE_SESSION_H
#define ATTEND_DECODE_SESSION_H

#include "decode/ensemble.h"
#include "decode/search.h"
#include "models/model.h"

typedef struct at_session at_session;

/* sentences that begin; the caller's memory, alive while the session goes on with them */
typedef struct {
    int sentences;
    at_inputs source; /* of models that read one */
    at_copies copies; /* of models that copy from it */
    at_ids prompt;    /* [sentences,T] of models without a source, T of 0 or more: what comes before
                         the first token of a step */
    const int *counts;              /* [sentences]: tokens of each prompt; NULL: T */
    bool weights;                   /* of cross-attention, one matrix in every step, */
    at_attention_choice weights_of; /* of this layer and head, which all models have */
    at_attention_record wanted;     /* attention to record in every step; kinds 0: none */
} at_beginning;

/* Models can translate or generate, and share tokenizers; at most ATTEND_ENSEMBLE_MOST. */
attend_status at_session_new(int count, const at_model *const *models, at_session **out,
                             attend_error *err);
void at_session_free(at_session *s); /* may be NULL */

int at_session_models(const at_session *s);
const at_model *at_session_model(const at_session *s, int i);

/* Forgets all rows, and begins. */
attend_status at_session_start(at_session *s, const at_beginning *in, attend_error *err);

/* Adds sentences, between steps, to all models or on failure to none; `weights` and `wanted` are
 * those of the start. */
attend_status at_session_join(at_session *s, const at_beginning *in, attend_error *err);

/* what a step gives, borrowed until the next one */
typedef struct {
    real *log_p;         /* [rows,V], may be changed; */
    const real *weights; /* [rows,source], or NULL */
    int vocabulary;      /* V; where models copy, with the words of all sources */
    bool logits;         /* log_p are logits */
} at_session_numbers;

/* Every sentence has `width` rows, one after the other. Row i continues row from[i] with a token.
 * `from` counts the rows of the step before, those of sentences that have left included, and then
 * one row for each sentence that has joined since. */
attend_status at_session_step(at_session *s, int width, const int *from, const int *tokens,
                              at_session_numbers *out, attend_error *err);

/* The sentences which[count], rising, go on, and the others leave. */
attend_status at_session_keep(at_session *s, int count, const int *which, attend_error *err);

/* The attention of a row in the last step, after the first step of a sentence also its encoder's;
 * in the arena. Of an ensemble there is none. */
attend_status at_session_attention(at_session *s, int row, at_arena *memory, at_attention_rows *out,
                                   attend_error *err);

/* The session for at_search, after its start. start: the token that all sentences begin with;
 * width: rows that a sentence will have. */
attend_status at_session_searched(at_session *s, int start, int width, at_searched *out,
                                  attend_error *err);

#endif
