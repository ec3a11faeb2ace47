/* Attention pooling for regression: Nadaraya 1964, Watson 1964.
 *
 *     f(x) = sum_j a_j y_j,   a = softmax_j(-1/2 sum_c ((x_c - x_jc) w_c)^2)
 *
 * The keys are the x of the data, the values are their y, and w says how fast attention falls with
 * distance along each column of x: w = 0 gives the average of all y, a large w the y of the
 * nearest key. w is learned by the leave-one-out error: each point is predicted from all others.
 *
 * Sizes: N points, C columns of x, Q queries. */
#ifndef ATTEND_MODELS_POOLING_H
#define ATTEND_MODELS_POOLING_H

#include "base/error.h"
#include "grad/ops.h"
#include "grad/tape.h"

/* The data, and w as the parameter "weight" [C].
 *
 * Inside, x and y are counted from their mean, in units of a kernel width that suits the data
 * (Silverman 1986, eq. 3.28) and of their spread: then w starts near its goal, whatever the data
 * are measured in, and float keeps its digits far from zero. */
typedef struct {
    int rows, columns;
    double *x, *y;                           /* as given: [N][C], [N] */
    double *center, *unit, y_center, y_unit; /* [C]: inside = (given - center) / unit */
    real *key, *value;                       /* inside: [C][N], [N] */
    at_params *params;
} at_pooling;

/* Copies the data. At least two points, all numbers finite. */
attend_status at_pooling_new(size_t rows, int columns, const double *x, const double *y,
                             at_pooling **out, attend_error *err);
void at_pooling_free(at_pooling *p); /* NULL is well */

/* w in the units of the data */
attend_status at_pooling_set_weight(at_pooling *p, const double *weight, attend_error *err);
void at_pooling_weight(const at_pooling *p, double *weight);

/* false when training has driven w to where scores overflow */
bool at_pooling_sound(const at_pooling *p);

/* queries [C][Q] and weight [C], inside -> predictions [Q,1]; mask (or NULL) hides keys */
at_tensor *at_pooling_read(at_tape *t, const at_pooling *p, at_tensor *weight, int queries,
                           const real *query, const at_mask *mask);

/* mean leave-one-out squared error of n of the points, inside */
at_tensor *at_pooling_loss(at_tape *t, const at_pooling *p, at_tensor *weight, int n,
                           const uint32_t *rows);

at_tensor *at_pooling_param(at_tape *t, const at_pooling *p); /* the learned weight */

/* ---- in the units of the data, with any w: the three poolings of a fit ---- */

attend_status at_pooling_predict(const at_pooling *p, const double *weight, size_t rows,
                                 const double *x, double *y, attend_error *err);
attend_status at_pooling_error(const at_pooling *p, const double *weight, double *error,
                               attend_error *err);

#endif
