/* The reference page of the attention mechanisms, made from the library's own list. */
#ifndef ATTEND_CLI_REFERENCE_H
#define ATTEND_CLI_REFERENCE_H

#include "cli/cli.h"

/* Writes folder/attention.md, a picture of each score, scope and pick into folder/attention, and
 * the weights that the pictures show into folder/attention/weights.json. */
attend_status at_reference_write(const char *folder, attend_error *err);

/* ---- the example that all pictures share ---- */

enum { ATTEND_REFERENCE_WORDS = 12 };

/* Fills in queries, keys, values, and what shows a mechanism well: parameters, and an attention
 * where the one that is there would not do. data is room for the numbers. */
typedef struct {
    double queries[ATTEND_REFERENCE_WORDS * 4], keys[ATTEND_REFERENCE_WORDS * 4];
    double values[ATTEND_REFERENCE_WORDS * 4];
} at_reference_data;
void at_reference_example(at_reference_data *data, const char *mechanism, attend_read_options *o);

/* what its picture shows, or NULL for a mechanism that has no words here yet */
const char *at_reference_shows(const char *mechanism);

#endif
