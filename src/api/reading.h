/* One attention read behind attend.h: what went in, what came out, and the files it comes from and
 * goes to. */
#ifndef ATTEND_API_READING_H
#define ATTEND_API_READING_H

#include <stdbool.h>

#include "attend.h"
#include "attention/attention.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

struct attend_reading {
    at_arena memory;           /* of everything below but the JSON */
    attend_read_options input; /* a copy; values are always there, parameters those in use */
    bool own_values;           /* values were given, and are not the keys */
    bool batched, headed;      /* whether files show those two axes */
    size_t batch, heads, queries, keys;
    attend_array scores, weights, context, centre;
    char attention[200];
    at_str json;
};

enum {
    ATTEND_READ_INPUTS = 6,
    ATTEND_READ_WIDEST =
        1 << 14, /* width of anything, so that no parameter has over 2^28 numbers */
};

/* the arrays among the options by their names, up to a NULL */
typedef struct {
    const char *name;
    size_t offset; /* in attend_read_options */
} at_read_array;
extern const at_read_array at_read_arrays[ATTEND_READ_INPUTS + 1];

static inline attend_array *at_read_array_of(attend_read_options *o, const at_read_array *which)
{
    return (attend_array *)((char *)o + which->offset);
}

/* "(2, 3)" */
typedef struct {
    char text[80];
} at_array_text;
at_array_text at_array_print(attend_array a);

/* the numbers of an array; false when the sizes multiply to more than a size_t */
bool at_array_len(attend_array a, size_t *len);

/* a copy of the numbers in the reading's memory; those that a tensor cannot have are refused */
attend_status at_array_copy(attend_reading *r, const char *name, attend_array *a,
                            attend_error *err);

/* what a read needs beside its tensors */
typedef struct {
    at_how how;
    int *lengths, *centres;
    unsigned char *hidden; /* [B,Q,K] */
    at_params *params;
    at_tape *tape;
} at_read_job;

/* Copies r->input, checks it and fills in the sizes; of the job all but params and tape. */
attend_status at_read_prepare(attend_reading *r, at_read_job *j, attend_error *err);

/* what a file says of a read; the arrays are in the arena, which the caller frees in any case */
typedef struct {
    attend_read_options options;
    at_arena memory;
} at_read_inputs;

/* Inputs from the bytes of a JSON or safetensors file; name stands for it in messages. */
attend_status at_read_parse(const char *name, const char *bytes, size_t size, at_read_inputs *in,
                            attend_error *err);

#endif
