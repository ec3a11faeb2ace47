/* What one measure says about systems: the statistics of every segment, and their sums. */
#ifndef ATTEND_MEASURE_SCORES_H
#define ATTEND_MEASURE_SCORES_H

#include "measure/measure.h"

typedef struct {
    at_task task;
    double *statistics; /* systems x segments x task.width */
    double *sums;       /* systems x task.sum_width */
} at_scores;

/* as attend_measure; options are whole, as attend_measure_defaults makes them */
attend_status at_scores_new(const char *measure, const attend_measure_options *options, int systems,
                            const attend_lines *hypotheses, int references,
                            const attend_lines *reference, at_scores **out, attend_error *err);
void at_scores_free(at_scores *s);

const double *at_scores_statistics(const at_scores *s, int system, size_t segment);
const double *at_scores_sum(const at_scores *s, int system);

/* sum += statistics */
void at_scores_add(const at_scores *s, const double *statistics, double *sum);

double at_scores_of_sum(const at_scores *s, const double *sum);
double at_scores_of_segment(const at_scores *s, int system, size_t segment, double *sum);

/* "nrefs:1|..." */
void at_scores_signature(const at_scores *s, at_str *out);

/* ---- chance: sample.c ------------------------------------------------------------------- */

/* By task.o.resamples and task.o.seed; the same bits for any number of threads. */
attend_status at_scores_interval(const at_scores *s, int system, attend_interval *out,
                                 attend_error *err);
attend_status at_scores_compare(const at_scores *s, int system, int baseline,
                                attend_comparison *out, attend_error *err);

#endif
