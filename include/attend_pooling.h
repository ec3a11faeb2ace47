/* Attention pooling: a curve through points. The rules of attend.h hold.
 *
 *     attend_pooling *curve;
 *     attend_error err;
 *     if (attend_fit(rows, 1, x, y, NULL, &curve, &err) < 0)
 *         fprintf(stderr, "%s\n", err.message);
 *
 * After Nadaraya and Watson (1964): attention with the points' x as keys and their y as values,
 *
 *     f(x) = sum_j a_j y_j
 *
 * Without parameters, a_j = K(u_j) / sum_k K(u_k) with a kernel K and u_j = |x - x_j| / h. With
 * parameters, a = softmax_j(-1/2 sum_c (w_c (x_c - x_jc))^2), where w is learned by predicting each
 * point from all others. */
#ifndef ATTEND_POOLING_H
#define ATTEND_POOLING_H

#include "attend.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct attend_pooling attend_pooling;

typedef enum attend_pooling_kind {
    ATTEND_POOLING_AVERAGE, /* of all y */
    ATTEND_POOLING_KERNEL,  /* without parameters */
    ATTEND_POOLING_LEARNED  /* with w */
} attend_pooling_kind;

/* A step of the training. */
typedef struct attend_fit_event {
    int step, steps; /* steps done, and of the whole training */
    double loss;
} attend_fit_event;

typedef attend_status attend_fit_function(void *user, const attend_fit_event *event,
                                          attend_error *err);

typedef struct attend_fit_options {
    size_t size;           /* of this struct, set by attend_fit_defaults */
    const char *attention; /* "gaussian-w:vector" learns a w for each column, "gaussian-w" one for
                              all; "gaussian" learns nothing; NULL: the first */
    const char *kernel;    /* one of attend_list("kernels", ..); NULL: "gaussian" */
    double width;          /* h of the kernel; 0: the one with the least leave-one-out error */
    int steps;
    double rate;                   /* learning rate at the start; it falls linearly to 0 */
    int batch;                     /* points predicted in a step; 0: as many as are quick, or all */
    unsigned long long seed;       /* of the order of the points, if a step does not take all */
    attend_fit_function *function; /* called after each step; ATTEND_STOPPED ends the training
                                      there, and the fit is returned; may be NULL */
    void *user;                    /* handed to function */
} attend_fit_options;

/* Sets options to their defaults.
 *
 * options   receives them */
ATTEND_API void attend_fit_defaults(attend_fit_options *options);

/* Fits w to points. The same arguments give the same bits. Thread safe.
 *
 * rows      how many points
 * columns   how many numbers x has for each
 * x         rows times columns numbers, row by row; copied
 * y         rows numbers; copied
 * options   may be NULL
 * out       receives the fit, also with ATTEND_STOPPED; release it with attend_pooling_free */
ATTEND_API attend_status attend_fit(size_t rows, int columns, const double *x, const double *y,
                                    const attend_fit_options *options, attend_pooling **out,
                                    attend_error *err);

/* Opens a fit that attend_pooling_save has written.
 *
 * path      the file
 * out       receives the fit; release it with attend_pooling_free */
ATTEND_API attend_status attend_pooling_open(const char *path, attend_pooling **out,
                                             attend_error *err);

/* Writes points, w, kernel, width and names as a safetensors file, completely or not at all.
 *
 * pooling   a fit
 * path      the file */
ATTEND_API attend_status attend_pooling_save(const attend_pooling *pooling, const char *path,
                                             attend_error *err);

/* Releases a fit.
 *
 * pooling   may be NULL */
ATTEND_API void attend_pooling_free(attend_pooling *pooling);

/* ---- predictions ----------------------------------------------------------------------- */

/* Predicts f at other points. Like the functions below, fails for ATTEND_POOLING_LEARNED if nothing
 * was learned.
 *
 * pooling   a fit
 * kind      which f
 * rows      how many points
 * x         rows times columns numbers, row by row
 * y         receives rows numbers */
ATTEND_API attend_status attend_pooling_predict(const attend_pooling *pooling,
                                                attend_pooling_kind kind, size_t rows,
                                                const double *x, double *y, attend_error *err);

/* The attention weights a at other points.
 *
 * pooling   a fit
 * kind      which f
 * rows      how many points
 * x         rows times columns numbers, row by row
 * weights   receives rows times attend_pooling_rows numbers */
ATTEND_API attend_status attend_pooling_attention(const attend_pooling *pooling,
                                                  attend_pooling_kind kind, size_t rows,
                                                  const double *x, double *weights,
                                                  attend_error *err);

/* Predicts each point from all others.
 *
 * pooling   a fit
 * kind      which f
 * y         receives attend_pooling_rows numbers */
ATTEND_API attend_status attend_pooling_left_out(const attend_pooling *pooling,
                                                 attend_pooling_kind kind, double *y,
                                                 attend_error *err);

/* The leave-one-out mean squared error.
 *
 * pooling   a fit
 * kind      which f
 * error     receives it */
ATTEND_API attend_status attend_pooling_error(const attend_pooling *pooling,
                                              attend_pooling_kind kind, double *error,
                                              attend_error *err);

/* The leave-one-out mean squared error of the kernel at another width; above 1000 points, of a
 * sample.
 *
 * pooling   a fit
 * width     h of the kernel
 * error     receives it */
ATTEND_API attend_status attend_pooling_error_at(const attend_pooling *pooling, double width,
                                                 double *error, attend_error *err);

/* ---- what a fit has -------------------------------------------------------------------- */

/* The number of points.
 *
 * pooling   a fit */
ATTEND_API size_t attend_pooling_rows(const attend_pooling *pooling);

/* The numbers of each point in x.
 *
 * pooling   a fit */
ATTEND_API int attend_pooling_columns(const attend_pooling *pooling);

/* The points' x, rows times columns numbers, borrowed.
 *
 * pooling   a fit */
ATTEND_API const double *attend_pooling_x(const attend_pooling *pooling);

/* The points' y, rows numbers, borrowed.
 *
 * pooling   a fit */
ATTEND_API const double *attend_pooling_y(const attend_pooling *pooling);

/* The learned w, columns numbers, borrowed; NULL if nothing was learned.
 *
 * pooling   a fit */
ATTEND_API const double *attend_pooling_weight(const attend_pooling *pooling);

/* Names the columns, which the file keeps.
 *
 * pooling   a fit
 * names     of all columns of x and then of y; copied */
ATTEND_API attend_status attend_pooling_set_names(attend_pooling *pooling, const char *const *names,
                                                  attend_error *err);

/* The name of a column, borrowed; NULL if it is not known.
 *
 * pooling   a fit
 * column    of x; y comes after them */
ATTEND_API const char *attend_pooling_name(const attend_pooling *pooling, int column);

/* The name of the kernel.
 *
 * pooling   a fit */
ATTEND_API const char *attend_pooling_kernel(const attend_pooling *pooling);

/* The width h of the kernel.
 *
 * pooling   a fit */
ATTEND_API double attend_pooling_width(const attend_pooling *pooling);

/* A range of widths that is worth trying.
 *
 * pooling   a fit
 * least     receives the smallest
 * most      receives the largest */
ATTEND_API void attend_pooling_widths(const attend_pooling *pooling, double *least, double *most);

#ifdef __cplusplus
}
#endif

#endif
