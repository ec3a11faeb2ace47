/* Several models as one: the mean of their probabilities, and of their weights.
 *
 *     p(y) = 1/n sum_i p_i(y)
 *
 * All have the same words, and the same positions of the source. Sums run over the models in their
 * order, so a row's result does not depend on the others. A word that cannot come, -infinity, is so
 * in all of them. */
#ifndef ATTEND_DECODE_ENSEMBLE_H
#define ATTEND_DECODE_ENSEMBLE_H

#include "decode/search.h"

enum { ATTEND_ENSEMBLE_MOST = 16 };

typedef struct {
    int count;
    at_searched member[ATTEND_ENSEMBLE_MOST];
    int sentences; /* that go on */
    size_t rows, positions;
    real *log_p, *weights; /* [rows,V], [rows,source] */
    real *row;             /* [V] */
} at_ensemble;

/* One member is given back as it is. at_ensemble_free it, on failure too.
 *
 * width     rows for each sentence
 * all       receives what at_search takes; valid until the ensemble is freed */
attend_status at_ensemble_of(at_ensemble *e, int count, const at_searched *members, int width,
                             at_searched *all, attend_error *err);
void at_ensemble_free(at_ensemble *e);

/* A step of an ensemble of several members, as of at_searched. */
attend_status at_ensemble_step(void *ensemble, int width, const int *from, const int *words,
                               real **log_p, const real **weights, attend_error *err);

#endif
