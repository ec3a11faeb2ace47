/* Answers of questions as spans of their contexts, by a model with a span head.
 *
 *     score of a span   = start[first] + end[last]     logits of one window
 *     score of "none"   = the lowest of start[none] + end[none] over the windows
 *
 * The span with the highest score is the answer, unless that of "none" is higher by more than a
 * threshold. A question's answer does not depend on the batch that it was in. */
#ifndef ATTEND_DECODE_ANSWER_H
#define ATTEND_DECODE_ANSWER_H

#include "data/span_windows.h"
#include "models/model.h"

typedef struct {
    at_span_options windows;
    int batch;                  /* windows at a time */
    int best;                   /* answers of a question, at least 1 */
    int max_answer;             /* tokens of an answer */
    double threshold;           /* of "no answer"; INFINITY: never */
    at_attention_record wanted; /* attention to record; kinds 0: none */
} at_answer_options;

typedef struct {
    at_text text, context; /* the question */
} at_question;

typedef struct {
    size_t begin, end; /* bytes of the context */
    double score;
    double probability; /* among these answers and "none" */
} at_answer_span;

typedef struct {
    size_t index;
    int count; /* of spans, the best first; 0: no token of the context can be one */
    const at_answer_span *span;
    double none, none_probability;
    bool answered; /* span[0] is the answer; else there is none */
    int windows;
    bool cut;                    /* the question was longer */
    const at_tokens *tokens;     /* of the window with the best span, where attention is wanted */
    int second;                  /* where its context begins */
    at_attention_rows attention; /* of it */
} at_answered;

/* Called for question after question; a negative status ends the work. */
typedef attend_status at_answered_function(void *user, const at_answered *a, attend_error *err);

/* Fails at a question whose context is empty. */
attend_status at_answer_questions(const at_model *m, const at_answer_options *o, size_t count,
                                  const at_question *question, at_answered_function *give,
                                  void *user, attend_error *err);

/* The largest window that the model can read, `window` at most. */
int at_answer_window(const at_model *m, int window);

#endif
