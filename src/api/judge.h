/* How good a model is that is being trained: the metrics of a validation that need the whole
 * library, and a few samples for the user. */
#ifndef ATTEND_API_JUDGE_H
#define ATTEND_API_JUDGE_H

#include "attend.h"
#include "train/run.h"

typedef struct {
    attend_train_function *function; /* who sees samples, or NULL */
    void *user;
} at_judge;

/* at_run_judge, of an at_judge */
attend_status at_judge_run(void *judge, at_run *run, at_metrics *metrics, attend_error *err);

/* How BLEU cuts the references: where no blanks stand between words, by characters; not at all
 * where somebody has cut them before. */
const char *at_tokenization_of(const attend_lines *reference);

#endif
