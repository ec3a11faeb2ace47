/* Named parameters: the weights of a model, found by dotted name.
 *
 * at_param (tape.h) creates a parameter on first use; a loaded and sealed set refuses names it
 * does not know. Values are shared by every tape; gradients live in the tapes. */
#ifndef ATTEND_GRAD_PARAMS_H
#define ATTEND_GRAD_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/real.h"
#include "tensor/shape.h"

/* how a fresh parameter starts */
typedef enum {
    ATTEND_INIT_ZERO,
    ATTEND_INIT_ONE,
    ATTEND_INIT_NORMAL,   /* N(0, scale^2) */
    ATTEND_INIT_UNIFORM,  /* U(-scale, scale) */
    ATTEND_INIT_GLOROT,   /* U(+-sqrt(6 / (rows + columns))) */
    ATTEND_INIT_IDENTITY, /* 1 where row and column are the same, else 0 */
    ATTEND_INIT_CONSTANT, /* scale */
    ATTEND_INIT_NOT,      /* not at all: its numbers come from elsewhere, at once */
} at_init_kind;

typedef struct {
    at_init_kind kind;
    real scale;
} at_init;

#define INIT_ZERO ((at_init){ATTEND_INIT_ZERO, 0})
#define INIT_ONE ((at_init){ATTEND_INIT_ONE, 1})
#define INIT_NORMAL(s) ((at_init){ATTEND_INIT_NORMAL, (s)})
#define INIT_UNIFORM(s) ((at_init){ATTEND_INIT_UNIFORM, (s)})
#define INIT_GLOROT ((at_init){ATTEND_INIT_GLOROT, 0})
#define INIT_IDENTITY ((at_init){ATTEND_INIT_IDENTITY, 1})
#define INIT_NOT ((at_init){ATTEND_INIT_NOT, 0})
#define INIT_CONSTANT(s) ((at_init){ATTEND_INIT_CONSTANT, (s)})

typedef struct {
    const char *name;
    at_shape shape;
    size_t len;
    real *value;
    bool frozen; /* gets no gradient and no update */
    int index;   /* its place in the set, in order of creation */
} at_parameter;

typedef struct at_params at_params;

at_params *at_params_new(uint64_t seed); /* seed of the initial values; NULL without memory */
void at_params_free(at_params *p);

int at_params_count(const at_params *p);
at_parameter *at_params_at(const at_params *p, int index);
at_parameter *at_params_find(const at_params *p, const char *name); /* or NULL */
size_t at_params_len(const at_params *p);                           /* numbers in all */

/* Adds a parameter; its initial value depends on the seed and its name alone.
 * Fails on a name that exists, on a sealed set, without memory. */
attend_status at_params_add(at_params *p, const char *name, at_shape shape, at_init how,
                            at_parameter **out, attend_error *err);

/* No parameter can be added any more. */
void at_params_seal(at_params *p);

#endif
