/* The mean of several weights of one model, parameter by parameter: checkpoints near each other
 * average to a better model than any of them (Junczys-Dowmunt et al. 2016). */
#ifndef ATTEND_STORE_AVERAGE_H
#define ATTEND_STORE_AVERAGE_H

#include "base/error.h"
#include "grad/params.h"

/* Files of weights (weights.h) or checkpoints of a run, at least one, all of the same names and
 * shapes; out is an empty set. Sums are of double numbers, in the order of the files. */
attend_status at_weights_average(const char *const *path, int count, at_params *out,
                                 attend_error *err);

#endif
