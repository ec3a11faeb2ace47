/* BLEU from its statistics, with everything that stands behind a score. */
#ifndef ATTEND_MEASURE_BLEU_H
#define ATTEND_MEASURE_BLEU_H

#include "measure/measure.h"

/* the statistics of a segment or of a sum of them, as they lie in memory: four parts */
typedef struct {
    double hypothesis_length, reference_length;
    const double *match, *total; /* n-grams of 1 to max_order words */
} at_bleu_sum;

at_bleu_sum at_bleu_sum_of(const at_measurement *t, const double *sum);

typedef struct {
    double score, brevity;
    double match[ATTEND_ORDER_MAX], total[ATTEND_ORDER_MAX]; /* after add-k smoothing */
    double precision[ATTEND_ORDER_MAX];                      /* in per cent */
} at_bleu;

/* effective: orders that the text is too short for are left out */
at_bleu at_bleu_of(const at_measurement *t, const double *sum, bool effective);

#endif
