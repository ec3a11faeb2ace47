/* Pointing greedily: the likeliest place at each step, until the end is pointed to. */
#ifndef ATTEND_DECODE_POINT_H
#define ATTEND_DECODE_POINT_H

#include "models/model.h"

typedef struct {
    bool repeat; /* a place may be pointed to more than once */
    int most;    /* places at most; 0: as many as there are items, and twice that with repeat */
} at_point_options;

/* items [n,width], scaled as the model was trained. places [n, or 2n with repeat, or most] receives
 * places from 0 on, *count how many; log_p the sum of their logarithms and the end's. The tape
 * infers, and is reset. */
attend_status at_point(at_tape *t, const at_model *m, int n, const real *items,
                       const at_point_options *options, int *places, int *count, double *log_p,
                       attend_error *err);

#endif
