/* What attend fit shows of a fit: the report, predictions, a figure. */
#ifndef ATTEND_CLI_FIT_H
#define ATTEND_CLI_FIT_H

#include "attend_pooling.h"
#include "cli/cli.h"
#include "cli/points.h"

typedef struct {
    const char *path;             /* where the points are from, for people */
    const at_point_table *points; /* names of the columns */
    const attend_pooling *pooling;
    double error[3]; /* leave-one-out, of each attend_pooling_kind there is */
    int kinds;       /* 3, or 2 where nothing was learned */
} at_fitted;

/* Computes the errors. */
attend_status at_fit_judge(at_fitted *f, attend_error *err);

/* the pooling that predicts: the learned one, if there is one */
static inline attend_pooling_kind at_fit_best(const at_fitted *f)
{
    return f->kinds == 3 ? ATTEND_POOLING_LEARNED : ATTEND_POOLING_KERNEL;
}

/* "gaussian, h = 1": what a kind of pooling weighs by */
void at_fit_describe(at_str *out, const at_fitted *f, attend_pooling_kind kind);

typedef struct {
    bool json, plot, weights;
} at_fit_show;

attend_status at_fit_report(at_cli *cli, const at_fitted *f, at_fit_show show, attend_error *err);

/* The y of the wanted x, a line each. */
attend_status at_fit_predict(const at_fitted *f, const at_point_table *wanted, bool json,
                             attend_error *err);

/* Points and curves, the weights, and the error against the width, into a file. */
attend_status at_fit_figure(const at_fitted *f, const char *path, attend_error *err);

/* ---- what report and figure share ---- */

/* the points in the order of their x, or of their y where x has several columns; at_free it */
size_t *at_fit_order(const attend_pooling *pooling);

/* lowest and highest x of the first column */
void at_fit_range(const attend_pooling *pooling, double range[2]);

/* Weights as a heat map.
 *
 * rows      queries: for one column of x, places from its lowest to its highest value, else points
 * columns   the points in that order, several together where there are more points
 * weights   receives rows times columns numbers */
attend_status at_fit_weights(const at_fitted *f, attend_pooling_kind kind, int rows, int columns,
                             double *weights, attend_error *err);

#endif
