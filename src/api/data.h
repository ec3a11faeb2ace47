/* What src/api/data.c and src/api/check.c share. */
#ifndef ATTEND_API_DATA_H
#define ATTEND_API_DATA_H

#include "attend_data.h"
#include "data/reader.h"

/* The defaults, and over them what the caller's version of the struct has; given may be NULL. */
attend_status at_data_options(attend_data_options *o, const attend_data_options *given,
                              attend_error *err);

/* what a reader makes of them */
at_read_options at_data_read_options(const attend_data_options *o);

#endif
