/* The squared-distance op that both Gaussian scores use. */
#ifndef ATTEND_ATTENTION_GAUSSIAN_H
#define ATTEND_ATTENTION_GAUSSIAN_H

#include "attention/attention.h"

/* q [B,Q,D], k [B,K,D], w [1] or [D] or NULL for ones -> [B,Q,K] */
at_tensor *at_gaussian_score(at_tape *t, at_tensor *q, at_tensor *k, at_tensor *w);

#endif
