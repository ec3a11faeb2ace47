/* What attend_fit makes, and what attend_pooling_* read. */
#ifndef ATTEND_API_POOLING_H
#define ATTEND_API_POOLING_H

#include <jansson.h>

#include "base/str.h"
#include "models/pooling.h"

struct attend_pooling {
    at_pooling *model;
    at_pooling_way kernel;
    bool learned;
    double *weight; /* [columns], in the units of the data */
    json_t *names;  /* of the columns of x and of y, or NULL */
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

/* The names as a note of a file, empty where there are none, and back. False without memory. */
bool at_pooling_write_names(const attend_pooling *p, at_str *note);
attend_status at_pooling_read_names(attend_pooling *p, const char *note, const char *path,
                                    attend_error *err);

#endif
