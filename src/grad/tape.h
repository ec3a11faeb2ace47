/* The tape: every tensor of one step, and how each came to be.
 *
 * Ops run at once. While recording, each leaves a node behind, and at_backward walks the nodes
 * in reverse. A tape that does not record runs the same functions for inference.
 *
 *     at_tape *t = at_tape_new(params, ATTEND_TRAIN);
 *     at_tensor *y = at_tanh(t, at_linear(t, at_in(root, "layer"), x, 256));
 *     at_tensor *loss = at_cross_entropy(t, y, targets, options);
 *     if (!at_backward(t, loss)) ... at_tape_error(t)->message
 *     at_tape_reset(t);                       // forgets the step, keeps the memory
 *
 * Errors are sticky: the first failure is kept, later ops return the poison tensor and compute
 * nothing, and the caller asks once, at the end. */
#ifndef ATTEND_GRAD_TAPE_H
#define ATTEND_GRAD_TAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/random.h"
#include "base/real.h"
#include "grad/params.h"
#include "tensor/shape.h"

typedef struct at_tape at_tape;
typedef struct at_op at_op;
typedef struct at_node at_node;
typedef struct at_tensor at_tensor;

struct at_tensor {
    at_shape shape;
    size_t len;
    real *value;
    real *grad;               /* NULL until one reaches it; only at_grad_* below touch it */
    at_node *from;            /* NULL for a leaf */
    at_tensor *base;          /* whose memory this one shares (reshape), or NULL */
    bool wants_grad;          /* a parameter, or computed from one, on a recording tape */
    int uses;                 /* how many recorded nodes read it */
    struct at_weight *weight; /* of a parameter: see weight.h */
};

struct at_node {
    const at_op *op;
    at_tape *tape;
    int n_in, n_out;
    at_tensor **in, **out; /* an input may be NULL where it is optional */
    void *saved;           /* what backward needs beyond the values */
    at_node *before;       /* the one recorded before it */
};

/* ---- the op: one row of ops.def --------------------------------------------------------- */

typedef struct {
    char text[160];
    bool too_long;
} at_path;

/* builds something from parameters below s; arg is what its list row needs */
typedef at_tensor *at_build(at_tape *t, at_path s, const void *arg);

struct at_op {
    const char *name, *formula;
    void (*backward)(const at_node *n); /* any output may carry a gradient; adds into the inputs' */
    at_build *sample;                   /* a small instance, for the gradient check */
    at_build *reference; /* the same from primitives, with the same parameters, or NULL */
    bool forgets_output; /* backward reads no output value: it may be overwritten */
};

/* ---- tape ------------------------------------------------------------------------------- */

typedef enum {
    ATTEND_INFER, /* records nothing */
    ATTEND_GRAD,  /* records, no dropout: gradients of the evaluated function */
    ATTEND_TRAIN, /* records, with dropout */
} at_mode;

at_tape *at_tape_new(at_params *params, at_mode mode); /* NULL without memory */
void at_tape_free(at_tape *t);
void at_tape_reset(at_tape *t); /* fails the next step where borrowed parameters have changed */
at_mode at_tape_mode(const at_tape *t);
void at_tape_set_mode(at_tape *t, at_mode mode); /* on an empty tape */

/* Memory inside a step. A model marks the tape before a layer and releases it after the layer, all
 * but the results that later layers read: then inference holds one layer at a time.
 *
 *     at_mark m = at_tape_mark(t);
 *     for (int i = 0; i < layers; i++) {
 *         x = layer(t, at_in(s, "h.%d", i), x);
 *         at_tape_release(t, m, &x, 1);
 *     }
 *
 * On a tape that records, releasing does nothing: the backward pass needs everything. */
typedef struct {
    at_arena_mark memory;
    struct at_binding *bound;
} at_mark;
at_mark at_tape_mark(at_tape *t);

/* Forgets every tensor made since the mark but the n in `keep`, which are replaced by tensors with
 * the same values; a NULL stays NULL. Parameters stay valid. */
void at_tape_release(at_tape *t, at_mark m, at_tensor **keep, int n);

/* A dry tape finds every parameter and checks every shape, but reads no matrix: products are zeros.
 * For checking a large file without reading it. */
void at_tape_dry(at_tape *t);
bool at_tape_is_dry(const at_tape *t);

size_t at_tape_bytes(const at_tape *t); /* memory held */
size_t at_tape_used(const at_tape *t);  /* what this step has needed of it */

/* Where this tape's random numbers start: seed, step, and the number of its first sentence in
 * the whole batch, so that a batch cut into shards draws what the whole would. */
void at_tape_seed(at_tape *t, uint64_t seed, uint32_t step, uint32_t first_sentence);
at_random at_tape_random(at_tape *t); /* a fresh place; sentence is the first one's number */

/* ---- errors ----------------------------------------------------------------------------- */

at_tensor *at_fail(at_tape *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
at_tensor *at_fail_memory(at_tape *t);
at_tensor *at_fail_with(at_tape *t,
                        const attend_error *err); /* passes on an error from elsewhere */
at_tensor *at_poison(at_tape *t);
bool at_failed(const at_tape *t);
const attend_error *at_tape_error(const at_tape *t); /* NULL when all is well */
attend_status at_tape_status(const at_tape *t, attend_error *err);

/* ---- parameters ------------------------------------------------------------------------- */

/* a place in the parameter tree: at_in(at_root(), "encoder.%d", 3), then at_in(s, "attention") */
at_path at_root(void);
at_path at_in(at_path p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The parameter p.name as a tensor of this tape: created on first use, then found by name; the
 * same tensor within a step. Another shape than before is an error. */
at_tensor *at_param(at_tape *t, at_path p, const char *name, at_shape shape, at_init how);

/* The same for a matrix that is only multiplied with (at_affine, at_linear_cross_entropy) or looked
 * up in (at_embedding). A borrowed one keeps the type of its file, and has no `value` then. A
 * parameter of rank 3 and more, [r,a,b], is the matrix [r,a*b]. */
at_tensor *at_param_matrix(at_tape *t, at_path p, const char *name, at_shape shape, at_init how);

/* Until the next reset, at_param gives x for this full name instead of a parameter of the set: for
 * weights that are slices of others, or tied to them. The name is borrowed. */
void at_tape_bind(at_tape *t, const char *name, at_tensor *x);

/* Has the index-th parameter been asked for since the tape was reset? */
bool at_param_used(const at_tape *t, int index);

/* gradient of the index-th parameter on this tape, or NULL where none has reached it */
real *at_param_grad(at_tape *t, int index);

at_params *at_tape_params(at_tape *t);

/* ---- tensors ---------------------------------------------------------------------------- */

at_tensor *at_new(at_tape *t, at_shape shape); /* value uninitialised, no gradient */
at_tensor *at_input(at_tape *t, at_shape shape, const real *data); /* a copy, no gradient */
at_tensor *at_zeros(at_tape *t, at_shape shape);

/* Like at_input, but its gradient is wanted: at_grad_of gives it after at_backward. Gradients of
 * what ops made are gone by then: each makes room for others as soon as it is used. */
at_tensor *at_variable(at_tape *t, at_shape shape, const real *data);
const real *at_grad_of(const at_tensor *x); /* NULL where none has reached it */

/* ---- for writers of ops ----------------------------------------------------------------- */

/* memory of this step; NULL and a failed tape when there is none. 64-byte aligned. */
void *at_scratch(at_tape *t, size_t bytes);
real *at_scratch_reals(at_tape *t, size_t len);

/* In backward: memory until the op is done, likewise. What is handed on must not lie in it. */
real *at_brief_reals(at_tape *t, size_t len);

/* Gives back all scratch taken since the mark (no tensor or parameter was made since). */
void at_scratch_release(at_tape *t, at_mark m);

/* is a node worth leaving behind: does the tape record, and does any input want a gradient? */
bool at_recording(const at_tape *t, int n, at_tensor *const *in);

/* Leaves a node behind; outputs now want gradients. Call it only if at_recording. */
#define INPUTS(...)                                                                    \
    (int)(sizeof((at_tensor *[]){__VA_ARGS__}) / sizeof(at_tensor *)), (at_tensor *[]) \
    {                                                                                  \
        __VA_ARGS__                                                                    \
    }
#define OUTPUTS(...) INPUTS(__VA_ARGS__)
void at_record(at_tape *t, const at_op *op, int n_in, at_tensor *const *in, int n_out,
               at_tensor *const *out, void *saved);

/* In backward: the gradient of an output, or NULL where none has reached it. */
const real *at_grad_out(const at_node *n, int output);

/* Memory for packed weights: until backward begins, or ends, or as long as the tape lives: see
 * at_tape_keep_weights. */
real *at_tape_keep(at_tape *t, size_t len);

/* In backward: memory that nobody needs any more, for what comes. It is of at_scratch_reals or
 * at_tape_keep, in this step, and is not given twice. */
void at_tape_spare(at_tape *t, real *memory, size_t len);

/* In backward: where to add an input's gradient (zeros at first); NULL where none is wanted. */
real *at_grad_add(const at_node *n, int input);

/* The same without the zeros: *beta is 0 when nothing is there yet (the memory holds garbage and
 * must be written), else 1 (add to it). */
real *at_grad_in(const at_node *n, int input, real *beta);

/* The same for a tensor that wants a gradient. */
real *at_grad_into(at_tape *t, at_tensor *x, real *beta);

/* Hands over a gradient computed in memory of this step, and of nobody else: becomes the input's,
 * or is added. */
void at_grad_give(const at_node *n, int input, real *gradient);

/* ---- backward --------------------------------------------------------------------------- */

/* Gradients of loss (one element) with respect to all that want one, once for a step: memory of
 * what was gone through is used again. False on a failed tape. */
bool at_backward(at_tape *t, at_tensor *loss);

/* Backward leaves the values of all tensors as they are; else it takes those of large ones that ops
 * made, as soon as the op has gone back, and they are NULL. For counting what a step would need if
 * it gave nothing up, and for looking at values afterwards. */
void at_tape_keep_values(at_tape *t);

/* Called around each node's backward, for tests and profiles. */
typedef void at_watch(void *user, const at_node *n, bool after);
void at_tape_watch(at_tape *t, at_watch *watch, void *user);

#endif
