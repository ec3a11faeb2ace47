/* What attend_fit makes, and what attend_pooling_* read. */
#ifndef ATTEND_API_POOLING_H
#define ATTEND_API_POOLING_H

#include "attend_pooling.h"
#include "models/pooling.h"

struct attend_pooling {
    at_model *model;
    at_pooling *net; /* of the model */
};

/* The handle of a model, which it takes, on failure too. */
attend_status at_pooling_wrap(at_model *model, attend_pooling **out, attend_error *err);

#endif
