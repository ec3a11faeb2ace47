/* oracle-check: our numbers against numbers that other people's programs computed.
 *
 * A case is a folder: inputs.safetensors and model.safetensors go in, expected.safetensors and
 * expected.json say what must come out. A family is a kind of case (ops, rnn, mha, ...): one file
 * family_NAME.c with a function at_check_NAME, and one line in families.def. Such a function
 * builds the case's computation on c->tape and hands over what it computed:
 *
 *     at_tensor *x = at_case_input(c, "x");
 *     at_tensor *w = at_case_param(c, "weight");
 *     at_case_output(c, "y", at_affine(c->tape, x, w, NULL, ATTEND_OUT_IN));
 *     at_case_gradients(c);
 *
 * The rest is done here: the loss is the sum of cot.<output> * output, and every expected tensor,
 * gradient and scalar has to have been compared, or the case fails. */
#ifndef ATTEND_TESTS_ORACLE_H
#define ATTEND_TESTS_ORACLE_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>

#include "base/arena.h"
#include "grad/ops.h"
#include "store/safetensors.h"

/* ---- finding cases ---------------------------------------------------------------------- */

typedef struct {
    char *name; /* "family/case", a part of path */
    char *path; /* of the case's folder, or of its one file */
} at_found;

typedef struct {
    char root[PATH_MAX]; /* of the whole set */
    at_found *item;      /* by name */
    int count, room;
} at_finds;

/* Every case below folder, which is a set, one family of it or one case. */
attend_status at_find_cases(at_finds *f, const char *folder, attend_error *err);
void at_finds_free(at_finds *f);

/* ---- comparing -------------------------------------------------------------------------- */

/* |got - expected| <= absolute + relative * max|expected| over the tensor */
typedef struct {
    double absolute, relative;
} at_tolerance;

extern const at_tolerance at_tolerance_output, at_tolerance_gradient, at_tolerance_norm,
    at_tolerance_loss, at_tolerance_optimiser;

typedef enum {
    ATTEND_CASE_OK,
    ATTEND_CASE_FAIL,
    ATTEND_CASE_UNKNOWN, /* nobody here knows how to compute it: a failure too */
    ATTEND_CASE_SKIPPED, /* known, and knowingly left out */
} at_verdict;

/* the comparison that came closest to its bound, or went furthest beyond it */
typedef struct {
    char what[160];
    double error, tolerance, got, expected;
    size_t element;
} at_worst;

/* ---- one case --------------------------------------------------------------------------- */

enum { ATTEND_CASE_NAME = 128 };

typedef struct {
    char name[ATTEND_CASE_NAME];
    at_tensor *tensor;
} at_named;

typedef struct {
    at_named *item;
    int count, room;
} at_named_list;

typedef struct at_case {
    const char *root, *path, *name;            /* borrowed from the finds */
    json_t *json;                              /* expected.json */
    at_safetensors *inputs, *model, *expected; /* NULL where there is no such file */
    at_params *params;
    at_tape *tape;
    at_arena memory;         /* ids, masks: until the case is closed */
    at_named_list variables; /* "input.x", "param.weight": may be asked for their gradient */
    at_named_list outputs;   /* what enters the loss */
    json_t *seen_tensors;    /* names of the expected tensors that were compared */
    json_t *seen_numbers;    /* "scalars.loss", "grads.input.x": those of expected.json */
    int comparisons, exceeded;
    at_worst worst;
    at_verdict verdict;
    char reason[400]; /* of a verdict other than OK; empty where worst tells it */
} at_case;

/* Opens what there is at the path; a file that cannot be read is a verdict, not an error. */
void at_case_open(at_case *c, const char *root, const at_found *found);
void at_case_close(at_case *c);

/* What was expected and never compared, and a tape that failed, become a verdict. */
void at_case_finish(at_case *c);

/* The first verdict other than OK stays. */
void at_case_fail(at_case *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void at_case_unknown(at_case *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void at_case_skip(at_case *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- what goes in ----------------------------------------------------------------------- */

void at_named_add(at_case *c, at_named_list *list, const char *name, at_tensor *x);

/* From inputs.safetensors and model.safetensors, as variables whose gradients can be compared;
 * the same name gives the same tensor. Absent: the first two fail the tape, the others return
 * NULL. */
at_tensor *at_case_input(at_case *c, const char *name);
at_tensor *at_case_param(at_case *c, const char *name);
at_tensor *at_case_input_or_null(at_case *c, const char *name);
at_tensor *at_case_param_or_null(at_case *c, const char *name);

/* All of model.safetensors at once, for layers that find their parameters by name; a layer that
 * asks for another one fails. */
void at_case_params(at_case *c);

/* Gives layers the tensor x as their parameter of that name, which is copied. */
void at_case_bind(at_case *c, const char *name, at_tensor *x);

/* integers of inputs.safetensors; id is NULL where they are absent, or bad and the case failed */
at_ids at_case_ids(at_case *c, const char *name);

/* a mask of inputs.safetensors, nonzero where it says true (or, in floats, minus infinity);
 * NULL where it is absent, or bad and the case failed */
const unsigned char *at_case_mask(at_case *c, const char *name, at_shape *shape);

/* A mask of floats, which are added to scores; NULL where it is absent or not of floats. */
const real *at_case_added(at_case *c, const char *name, at_shape *shape);

/* any tensor of a file as reals; NULL where it is absent, or bad and the case failed */
const real *at_case_reals(at_case *c, const at_safetensors *file, const char *name,
                          at_shape *shape);

/* A value of expected.json by dotted place: "config.A", "eps"; NULL where there is none. */
json_t *at_case_json(const at_case *c, const char *place);
double at_case_number(const at_case *c, const char *place, double otherwise);
int at_case_int(const at_case *c, const char *place, int otherwise);
const char *at_case_text(const at_case *c, const char *place); /* "" where there is none */

/* ---- what comes out --------------------------------------------------------------------- */

bool at_case_expects(const at_case *c, const char *name); /* is it in expected.safetensors? */

/* Compares with the expected tensor of that name, if there is one, and keeps the tensor for the
 * loss. */
void at_case_output(at_case *c, const char *name, at_tensor *x);

/* Runs backward from the loss; compares the loss and the gradients of all variables. Clears the
 * tape afterwards: the same case can then be computed in another way. */
void at_case_gradients(at_case *c);

/* The same for a case whose model has a loss of its own; its gradients are called after the
 * parameters alone. */
void at_case_loss(at_case *c, at_tensor *loss);

/* Compares with the expected tensor of that name, which must exist. */
void at_case_compare(at_case *c, const char *name, at_shape shape, const real *got,
                     at_tolerance tolerance);

/* Compares numbers from expected.json. */
void at_case_compare_numbers(at_case *c, const char *what, size_t n, const double *got,
                             const double *expected, at_tolerance tolerance);

/* scalars.NAME of expected.json; nothing where it has none */
void at_case_compare_scalar(at_case *c, const char *name, double got, at_tolerance tolerance);

/* ---- families --------------------------------------------------------------------------- */

typedef void at_check_family(at_case *c);

#define FAMILY(name) at_check_family at_check_##name;
#include "families.def"
#undef FAMILY

#endif
