/* The weights of a run's last validations, each a file of its own:
 *
 *     training/step-000500.safetensors
 *
 * The oldest goes when a new one comes. Their mean may make a better model than any of them. */
#ifndef ATTEND_TRAIN_RETAINED_H
#define ATTEND_TRAIN_RETAINED_H

#include "base/error.h"
#include "grad/params.h"

enum { ATTEND_RETAINED_MAX = 100 };

/* Writes those of a step and removes all but the last `keep` up to it; folder is "model/training".
 * Files of later steps, which a run that was killed has left, go too. */
attend_status at_retained_save(const char *folder, int64_t step, at_params *params, int keep,
                               attend_error *err);

/* The steps whose weights are there, the last one first; returns how many of at most `most`. */
int at_retained_steps(const char *folder, int64_t *step, int most);

/* Removes all of them. */
void at_retained_clear(const char *folder);

/* The mean of these; out is an empty set. */
attend_status at_retained_average(const char *folder, const int64_t *step, int count,
                                  at_params *out, attend_error *err);

#endif
