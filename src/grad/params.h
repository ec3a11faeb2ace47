/* Named parameters: the weights of a model, found by dotted name.
 *
 * at_param (tape.h) creates a parameter on first use; a loaded and sealed set refuses names it
 * does not know. Values are shared by every tape; gradients live in the tapes.
 *
 * A set that is trained owns its values. A model that only runs borrows them from the mapped file,
 * in the type that they have there. While a set is shared (at_params_share), its values do not
 * change; tapes of any number of threads then share the matrices that are packed for products,
 * which take the place of borrowed ones in memory. */
#ifndef ATTEND_GRAD_PARAMS_H
#define ATTEND_GRAD_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/real.h"
#include "tensor/element.h"
#include "tensor/gemm.h"
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

typedef struct at_params at_params;
typedef struct at_parameter at_parameter;

/* Where borrowed numbers come from. Each function may be NULL; any thread calls them. */
typedef struct {
    void *user;
    /* Called once, before the first use: are the numbers undamaged? */
    attend_status (*verify)(void *user, const at_parameter *v, attend_error *err);
    /* Called before every step of inference: are the numbers still those that were verified? */
    attend_status (*unchanged)(void *user, attend_error *err);
    /* The numbers are packed now and hardly ever read again: their pages may leave the memory. */
    void (*retire)(void *user, const at_parameter *v);
} at_lender;

struct at_parameter {
    const char *name;
    at_shape shape;
    size_t len;
    at_element type;         /* of data: real, unless it is borrowed */
    const void *data;        /* the numbers as they lie in memory; those of the set are `value` */
    real *value;             /* NULL while the numbers are borrowed and of another type than real;
                              * never written while they are borrowed */
    const at_lender *lender; /* NULL: the set owns the numbers */
    bool frozen;             /* gets no gradient and no update */
    int index;               /* its position in the set, in order of creation */
};

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

/* From here on parameters are added without numbers: names and shapes alone, for a dry tape. */
void at_params_outline(at_params *p);

/* No parameter can be added any more. */
void at_params_seal(at_params *p);

/* ---- borrowed values ---------------------------------------------------------------------- */

/* Adds a parameter whose numbers outlive the set, and so does the lender. They are used as they
 * lie; where that cannot be (they are not aligned, or `real` is double), verified and copied. */
attend_status at_params_borrow(at_params *p, const char *name, at_shape shape, at_element type,
                               const void *data, const at_lender *lender, attend_error *err);

/* Copies all borrowed numbers into memory of the set, as reals: for training. The set is not shared
 * after that. */
attend_status at_params_take(at_params *p, attend_error *err);

/* Frees `thing` with the set: the file that parameters are borrowed from. */
typedef void at_release(void *thing);
attend_status at_params_own(at_params *p, void *thing, at_release *release, attend_error *err);

/* The numbers as reals: those of another type are widened once, for all users of the set. Any
 * thread. NULL without memory. */
real *at_parameter_reals(at_params *p, at_parameter *v);

/* Verifies borrowed numbers, once; any thread. */
attend_status at_parameter_verify(at_parameter *v, attend_error *err);

/* Fails where numbers of a lender have changed. */
attend_status at_params_check_unchanged(const at_params *p, attend_error *err);

/* ---- shared values ------------------------------------------------------------------------ */

/* From here on the values do not change, and matrices that are packed for products (weight.h) are
 * kept with the set for all tapes that infer. */
void at_params_share(at_params *p);

/* Values may change again; packed matrices are freed. No tape of another thread is in use. */
void at_params_unshare(at_params *p);
bool at_params_shared(const at_params *p);

/* When a matrix of a shared set is packed for products. */
typedef enum {
    ATTEND_PACK_NOT,    /* not for this product: its few rows would not pay for it */
    ATTEND_PACK_SECOND, /* from the second product on */
    ATTEND_PACK_NOW,
} at_pack_when;

/* The matrix v [r,c], or W^T where `turned`, as panels that all threads share; NULL: multiply with
 * it as it lies. Panels that exist are always given. Matrices of another type than real have none:
 * they would take more memory. */
const at_packed *at_parameter_packed(at_params *p, at_parameter *v, bool turned, at_pack_when when);

size_t at_params_bytes(const at_params *p); /* memory used, without borrowed numbers */

#endif
