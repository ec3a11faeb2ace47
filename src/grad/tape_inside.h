/* The tape, for tape*.c alone. */
#ifndef ATTEND_GRAD_TAPE_INSIDE_H
#define ATTEND_GRAD_TAPE_INSIDE_H

#include "base/memory.h"
#include "grad/tape.h"
#include "grad/weight.h"

/* a name that stands for a tensor of the step */
typedef struct at_binding {
    const char *name;
    at_tensor *tensor;
    struct at_binding *before;
} at_binding;

enum { ATTEND_MAX_SPARE = 64, ATTEND_MAX_BLOCKS = 32 };

typedef struct {
    real *memory;
    size_t len;
} at_spare;

struct at_tape {
    at_params *params;
    at_mode mode;
    at_arena memory;
    at_node *last;
    bool gone_back;      /* through these nodes, which have given their memory away */
    at_tensor **leaves;  /* of the parameters used in this step, by index */
    at_weight **weights; /* of the parameters, by index */
    int leaf_count;
    at_arena kept, panels; /* leaves and what is known of weights; packed weights: of the step */
    at_arena brief;        /* of one op's backward */
    at_spare spare[ATTEND_MAX_SPARE], block[ATTEND_MAX_BLOCKS]; /* tape_spare.c */
    int spares, blocks;
    bool dry;      /* computes no product */
    bool wasteful; /* for tests: nothing is used again */
    bool keeps_values;
    at_binding *bound;
    at_random random;
    bool failed;
    attend_error error;
    at_tensor poison;
    at_watch *watch;
    void *watch_user;
};

/* ---- tape_spare.c ---- */

void at_spare_nothing(at_tape *t);
void at_spare_gradient(at_tape *t, real *memory, size_t len);
real *at_spare_take(at_tape *t, size_t len); /* NULL where nothing fits */

/* A tensor around memory that somebody else owns. */
at_tensor *at_wrap(at_tape *t, at_shape shape, size_t len, real *value);

#endif
