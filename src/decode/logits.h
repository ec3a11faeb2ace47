/* Rows of numbers that a model answers with, before any of them is chosen. Finite weights can
 * overflow, and infinities would otherwise pass for certainty. */
#ifndef ATTEND_DECODE_LOGITS_H
#define ATTEND_DECODE_LOGITS_H

#include <stddef.h>

#include "base/error.h"
#include "base/real.h"

/* ATTEND_NUMBER unless all n are numbers of at most 1e9. */
attend_status at_logits_check(size_t n, const real *logits, attend_error *err);

/* The same for log-probabilities: -INFINITY is allowed, but not for all, and at most one word is
 * likelier than all others together. */
attend_status at_log_p_check(size_t n, const real *log_p, attend_error *err);

#endif
