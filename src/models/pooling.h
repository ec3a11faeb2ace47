/* Attention pooling for regression: Nadaraya 1964, Watson 1964.
 *
 *     f(x) = sum_j a_j y_j
 *
 * The keys are the x of the data, the values are their y. The weights a come from a kernel of a
 * given width (attention/pool.h; the constant kernel gives the average), or from the score
 * gaussian-w,
 *
 *     a = softmax_j(-1/2 sum_c (w_c (x_c - x_jc))^2)
 *
 * whose w, one number or one for each column, is learned: w = 0 is the average of all y, a large w
 * the y of the nearest key. What is judged is the leave-one-out error: each point is predicted from
 * all others.
 *
 * Sizes: N points, C columns of x, Q queries. */
#ifndef ATTEND_MODELS_POOLING_H
#define ATTEND_MODELS_POOLING_H

#include "attention/pool.h"
#include "base/error.h"
#include "grad/ops.h"
#include "grad/tape.h"
#include "models/model.h"

/* the settings of a model of this kind: what is to be made of points */
typedef struct {
    bool learned, each; /* is w learned, and one for every column? */
    const at_kernel *kernel;
    double width; /* of the kernel; 0: not known yet */
} at_pooling_settings;

/* From names as in attend_fit_options; an attention, kernel or width that cannot be is refused with
 * the reason. */
attend_status at_pooling_settings_read(const char *attention, const char *kernel, double width,
                                       at_pooling_settings *settings, attend_error *err);

/* The network: the data, and w as the parameter "score.width" [C], or [1] for one that all columns
 * share. All of it is the model's memory.
 *
 * Inside, x and y are counted from their mean, in units of a kernel width that suits the data
 * (Silverman 1986, eq. 3.28) and of their spread: then w starts near its goal, whatever the data
 * are measured in, and float keeps its digits far from zero. */
typedef struct {
    at_pooling_settings *settings;
    at_params *params;
    int rows, columns;
    double *x, *y;                           /* as given: [N][C], [N] */
    double *center, *unit, y_center, y_unit; /* [C]: inside = (given - center) / unit */
    real *key, *value;                       /* inside: [N][C], [N] */
    at_how how;                              /* gaussian-w, or gaussian-w:vector */
    double *weight;                          /* [C]: w in the units of the data, where learned */
    const char *const *names;                /* [C + 1]: of the columns of x, and of y; or NULL */
} at_pooling;

/* A model of these points, which are copied, with w as it starts; release it with at_model_free. At
 * least two points, all numbers finite. */
attend_status at_pooling_new(size_t rows, int columns, const double *x, const double *y,
                             const at_pooling_settings *settings, at_model **out,
                             attend_error *err);

/* Copies names[C + 1], which must be UTF-8. */
attend_status at_pooling_set_names(at_model *m, const char *const *names, attend_error *err);

/* w [C] in the units of the data; where the columns share one, all numbers are the same */
attend_status at_pooling_set_weight(at_pooling *p, const double *weight, attend_error *err);
void at_pooling_weight(const at_pooling *p, double *weight);

/* false when training has driven w to where scores overflow */
bool at_pooling_sound(const at_pooling *p);

/* ---- on a tape ---- */

/* which of the poolings: a kernel of a width in the units of the data, or what is learned */
typedef struct {
    const at_kernel *kernel; /* NULL: the learned w */
    double width;
} at_pooling_way;

/* queries [Q][C], inside -> context [1,Q,1] and weights [1,1,Q,N]; mask (or NULL) hides keys */
at_reading at_pooling_read(at_tape *t, const at_pooling *p, at_pooling_way way, int queries,
                           const real *query, const at_mask *mask);

/* mean leave-one-out squared error of n of the points, inside */
at_tensor *at_pooling_loss(at_tape *t, const at_pooling *p, at_pooling_way way, int n,
                           const uint32_t *rows);

/* ---- in the units of the data, a block of points at a time ---- */

/* f at rows other points; weights (or NULL) receives [rows][N] */
attend_status at_pooling_predict(const at_pooling *p, at_pooling_way way, size_t rows,
                                 const double *x, double *y, double *weights, attend_error *err);

/* n of the points (which NULL: all N of them), each predicted from all others */
attend_status at_pooling_left_out(const at_pooling *p, at_pooling_way way, size_t n,
                                  const uint32_t *which, double *y, attend_error *err);

/* the mean square of what that misses, over the same points */
attend_status at_pooling_error(const at_pooling *p, at_pooling_way way, size_t n,
                               const uint32_t *which, double *error, attend_error *err);

/* The same of a kernel of some width; of very many points, a sample is predicted. */
attend_status at_pooling_error_at(const at_pooling *p, const at_kernel *kernel, double width,
                                  double *error, attend_error *err);

/* The width of a kernel for which that is least. The same data give the same width. */
attend_status at_pooling_best_width(const at_pooling *p, const at_kernel *kernel, double *width,
                                    attend_error *err);

/* Sets w to where its descent starts: the same number for all columns, inside, with the least
 * error. */
attend_status at_pooling_start(at_pooling *p, attend_error *err);

/* widths worth trying, in the units of the data: from one that sees hardly a point to one that sees
 * them all */
void at_pooling_widths(const at_pooling *p, double *least, double *most);

#endif
