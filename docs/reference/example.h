/* The example that all pictures of the reference page share. */
#ifndef ATTEND_DOCS_EXAMPLE_H
#define ATTEND_DOCS_EXAMPLE_H

#include "attend.h"

enum { ATTEND_EXAMPLE_WORDS = 12 };

/* Fills in queries, keys, values, and what shows a mechanism well: parameters, and an attention
 * where the one that is there would not do. data is room for the numbers. */
typedef struct {
    double queries[ATTEND_EXAMPLE_WORDS * 4], keys[ATTEND_EXAMPLE_WORDS * 4];
    double values[ATTEND_EXAMPLE_WORDS * 4];
} at_example_data;
void at_example_fill(at_example_data *data, const char *mechanism, attend_read_options *o);

/* what its picture shows, or NULL for a mechanism that has no words here yet */
const char *at_example_shows(const char *mechanism);

#endif
