/* The gradients of one step, from wherever they are: the tapes of a batch's shards, sums kept
 * from earlier batches, other machines.
 *
 *     at_gradients_add(g, tape[i], 1, &err);          for each shard, in order
 *     at_clip_norm(g, 1.0, 2, &norm, &err);           (clip.h)
 *     at_optim_step(optim, g, &err);                  (optim.h)
 *     at_gradients_clear(g);                          now the tapes may be reset
 *
 * Nothing is copied on the way: the gradient of a parameter is
 *
 *     scale * (weight_1 g_1 + weight_2 g_2 + ...)
 *
 * summed in the order of at_gradients_add, block by block, in the same pass that updates the
 * parameter. Gradient accumulation is at_gradients_keep between the batches:
 *
 *     for each of k batches:  ... at_backward ...
 *         at_gradients_add(g, tape, 1, &err);
 *         at_gradients_keep(g, &err);                 sums into own memory
 *         at_tape_reset(tape);
 *     at_gradients_scale(g, 1.0 / k);
 *
 * (The last batch needs no keep: its tape can be read directly.) The order is fixed, and so are
 * the bits, for any number of threads. A parameter that no gradient reached has none, which is
 * not the same as zero: optimisers leave it and its state alone. */
#ifndef ATTEND_TRAIN_GRADIENTS_H
#define ATTEND_TRAIN_GRADIENTS_H

#include "base/error.h"
#include "grad/tape.h"

typedef struct at_gradients at_gradients;

at_gradients *at_gradients_new(at_params *params); /* NULL without memory */
void at_gradients_free(at_gradients *g);

/* Takes a tape's parameter gradients into the sum, times weight. They are borrowed until
 * at_gradients_clear or at_gradients_keep. Frozen parameters are left out. Fails on a failed tape
 * (with its error), on a tape of other parameters, without memory. */
attend_status at_gradients_add(at_gradients *g, at_tape *tape, double weight, attend_error *err);

/* The same from plain arrays: gradient[i] belongs to the i-th parameter, or is NULL. */
attend_status at_gradients_add_arrays(at_gradients *g, const real *const *gradient, double weight,
                                      attend_error *err);

/* Sums what was added into memory of its own, so that the tapes may be reset. */
attend_status at_gradients_keep(at_gradients *g, attend_error *err);

/* Forgets all gradients, and the scale; keeps the memory. */
void at_gradients_clear(at_gradients *g);

/* All gradients, also those added later, are multiplied by factor. */
void at_gradients_scale(at_gradients *g, double factor);

at_params *at_gradients_params(const at_gradients *g);

/* ---- for readers: optimisers, clipping, tests -------------------------------------------- */

/* Elements [offset, offset + n) of the gradient of the index-th parameter, which has one, still to
 * be multiplied by its factor: a place in a tape where that is all there is to it, else summed
 * into buffer (n numbers). */
const real *at_gradients_block(const at_gradients *g, int index, size_t offset, size_t n,
                               real *buffer);
double at_gradients_factor(const at_gradients *g, int index);

/* A copy of the whole gradient of a parameter; false where it has none. */
bool at_gradients_read(const at_gradients *g, int index, real *out);

/* Which parameters have a gradient, in order of the set. */
int at_gradients_count(const at_gradients *g);
int at_gradients_index(const at_gradients *g, int i);

/* All gradients cut into chunks that do not depend on the number of threads: run is called once
 * for each chunk, on all threads, with denormals flushed. */
typedef struct {
    int index;          /* of the parameter */
    size_t offset, len; /* its elements */
    ptrdiff_t number;   /* of the chunk, counted from 0 over all parameters */
} at_gradient_chunk;

typedef void at_gradient_run(void *arg, const at_gradient_chunk *c);
void at_gradients_each(const at_gradients *g, at_gradient_run *run, void *arg);

ptrdiff_t at_gradients_chunks(const at_gradients *g);
double *at_gradients_partial(at_gradients *g); /* room for one number per chunk */

/* what a block is best cut into, so that its buffer stays near the processor */
enum { ATTEND_GRADIENT_BLOCK = 2048 };

#endif
