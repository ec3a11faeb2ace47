/* Inputs of a read from a file, as they come in. */
#ifndef ATTEND_API_LOADER_H
#define ATTEND_API_LOADER_H

#include "api/reading.h"
#include "base/json.h"

enum { ATTEND_READ_AXES = 4, ATTEND_READ_FARTHEST = 1 << 28 };

typedef struct {
    const char *file; /* for messages */
    at_read_inputs *in;
    attend_error *err;
} at_loader;

/* scores, weights, context, centre: what a saved reading has beside its inputs */
bool at_loader_is_result(const char *name);

/* the array that goes by this name, of which q, k and v are short for three; or NULL */
attend_array *at_loader_array(at_loader *l, const char *name);

/* count elements, at least one, of the inputs; NULL without memory */
void *at_loader_memory(at_loader *l, size_t count, size_t size);
const char *at_loader_text(at_loader *l, const char *text); /* a copy, or NULL */

/* the mask, from what is hidden */
attend_status at_loader_hide(at_loader *l, attend_array hidden);

/* {"queries": [..], "keys": [..]}, or one list for both */
attend_status at_loader_labels(at_loader *l, const json_t *labels);

/* all of a JSON file */
attend_status at_loader_json(at_loader *l, const char *bytes, size_t size);

#endif
