/* What one measure says about systems: the statistics of every segment, and their sums. */
#ifndef ATTEND_MEASURE_RESULTS_H
#define ATTEND_MEASURE_RESULTS_H

#include <stdatomic.h>

#include "measure/measure.h"

typedef struct {
    at_measurement task;
    double *statistics;   /* systems x segments x task.width */
    double *sums;         /* systems x task.sum_width */
    atomic_bool compared; /* by randomisation, which the signature then says */
} at_results;

/* The options of attend_measure_defaults. */
void at_measure_defaults(attend_measure_options *o);

/* as attend_measure; options are whole, as attend_measure_defaults makes them */
attend_status at_results_new(const char *measure, const attend_measure_options *options,
                             int systems, const attend_lines *hypotheses, int references,
                             const attend_lines *reference, at_results **out, attend_error *err);
void at_results_free(at_results *s);

const double *at_results_statistics(const at_results *s, int system, size_t segment);
const double *at_results_sum(const at_results *s, int system);

/* sum += times * statistics */
void at_results_add(const at_results *s, const double *statistics, double times, double *sum);

double at_results_of_sum(const at_results *s, const double *sum);
double at_results_of_segment(const at_results *s, int system, size_t segment, double *sum);

/* "nrefs:1|..." */
void at_results_signature(const at_results *s, at_str *out);

/* ---- chance: bootstrap.c ---------------------------------------------------------------- */

/* By task.o.resamples and task.o.seed; the same bits for any number of threads. */
attend_status at_results_interval(const at_results *s, int system, attend_interval *out,
                                  attend_error *err);
attend_status at_results_compare(const at_results *s, int system, int baseline,
                                 attend_comparison *out, attend_error *err);

#endif
