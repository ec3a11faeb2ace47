/* What attend_fit makes, and what attend_pooling_* read. */
#ifndef ATTEND_API_POOLING_H
#define ATTEND_API_POOLING_H

#include "models/pooling.h"

struct attend_pooling {
    at_pooling *model;
    at_pooling_way kernel;
    bool learned;
    double *weight; /* [columns], in the units of the data */
};

/* what is to be made of points */
typedef struct {
    bool learned, each; /* is w learned, and one for every column? */
    const at_kernel *kernel;
    double width; /* 0: not known yet */
} at_pooling_plan;

/* from names as in attend_fit_options; what cannot be is refused with the reason */
attend_status at_pooling_plan_read(const char *attention, const char *kernel, double width,
                                   at_pooling_plan *plan, attend_error *err);

/* a pooling with w as it starts */
attend_status at_pooling_wrap(size_t rows, int columns, const double *x, const double *y,
                              const at_pooling_plan *plan, attend_pooling **out, attend_error *err);

#endif
