/* A language model of a case and its batch, for the families gpt2, train and real. */
#ifndef ATTEND_TESTS_LM_CASE_H
#define ATTEND_TESTS_LM_CASE_H

#include "models/model.h"
#include "oracle.h"

enum { ATTEND_LM_IGNORED = -100 }; /* a label that does not count */

typedef struct {
    json_t *config;
    at_model *model; /* its parameters are the case's */
    int B, T;
    int *ids, *targets; /* [B,T]: rows begin with their first token; targets of their tokens */
    int *first;         /* [B]: padding on the left that was moved away */
    int *counts;        /* [B]: tokens */
    int n_targets;
    bool labels; /* there are targets */
} at_lm;

/* What cannot be read, or is not known here, becomes a verdict. */
void at_lm_open(at_case *c, at_lm *lm);
void at_lm_close(at_lm *lm);

/* The mean over the targets; states may be NULL: they are computed. */
at_tensor *at_lm_loss(at_tape *t, const at_lm *lm, at_tensor *states);

at_check_family at_check_nano_sort;

#endif
