/* The figure of attend fit: (a) points and curves, or for several columns of x what was predicted
 * against what is; (b), (c) the weights; (d) the error against the width of the kernel. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cli/fit.h"

enum { SAMPLES = 300, QUERIES = 100, KEYS = 200, WIDTHS = 61, AREA = 300, HEIGHT = 205 };

static const char *const names[] = {"average", "non-parametric", "parametric"};
static const attend_series_style styles[] = {ATTEND_SERIES_DOTTED, ATTEND_SERIES_DASHED,
                                             ATTEND_SERIES_LINE};
static const int colors[] = {3, 2, 1};

/* everything that the figure points to while it is drawn */
typedef struct {
    const at_fitted *fit;
    double x[SAMPLES], y[3][SAMPLES];
    double ends[2], *left_out[3]; /* of several columns: the diagonal, and predictions */
    attend_series curves[4];
    attend_chart chart;
    int keys, queries;
    double *weights[3];
    char title[3][120], order[100];
    attend_heat_map map[3];
    double width[WIDTHS], error[WIDTHS], at[2], used[2], level[2][2];
    char chosen[32];
    attend_series errors[4];
    attend_chart widths;
} parts;

/* ---- (a) -------------------------------------------------------------------------------- */

static attend_status make_curves(parts *p, attend_error *err)
{
    const attend_pooling *pooling = p->fit->pooling;
    attend_status status = ATTEND_OK;
    double range[2];
    at_fit_range(pooling, range);
    for (int i = 0; i < SAMPLES; i++)
        p->x[i] = range[0] + (range[1] - range[0]) * i / (SAMPLES - 1);
    p->curves[0] = (attend_series){.name = "points",
                                   .style = ATTEND_SERIES_POINTS,
                                   .count = attend_pooling_rows(pooling),
                                   .x = attend_pooling_x(pooling),
                                   .y = attend_pooling_y(pooling),
                                   .color = -1};
    for (int kind = 0; kind < p->fit->kinds && status >= 0; kind++) {
        p->curves[1 + kind] = (attend_series){.name = names[kind],
                                              .style = styles[kind],
                                              .count = SAMPLES,
                                              .x = p->x,
                                              .y = p->y[kind],
                                              .color = colors[kind]};
        status = attend_pooling_predict(pooling, (attend_pooling_kind)kind, SAMPLES, p->x,
                                        p->y[kind], err);
    }
    p->chart = (attend_chart){.title = "(a) points and curves",
                              .x_title = p->fit->points->x_name[0],
                              .y_title = p->fit->points->y_name,
                              .count = 1 + p->fit->kinds,
                              .series = p->curves};
    return status;
}

/* each point's y against what the others say of it */
static attend_status make_scatter(parts *p, attend_error *err)
{
    const attend_pooling *pooling = p->fit->pooling;
    const double *y = attend_pooling_y(pooling);
    attend_status status = ATTEND_OK;
    p->ends[0] = p->ends[1] = y[0];
    for (size_t i = 0; i < attend_pooling_rows(pooling); i++) {
        p->ends[0] = fmin(p->ends[0], y[i]);
        p->ends[1] = fmax(p->ends[1], y[i]);
    }
    p->curves[0] = (attend_series){.count = 2, .x = p->ends, .y = p->ends, .color = -1};
    for (int kind = 1; kind < p->fit->kinds && status >= 0; kind++) {
        p->left_out[kind] = at_alloc(attend_pooling_rows(pooling) * sizeof(double));
        if (!p->left_out[kind])
            return at_error_memory(err);
        p->curves[kind] = (attend_series){.name = names[kind],
                                          .style = ATTEND_SERIES_POINTS,
                                          .count = attend_pooling_rows(pooling),
                                          .x = y,
                                          .y = p->left_out[kind],
                                          .color = colors[kind]};
        status = attend_pooling_left_out(pooling, (attend_pooling_kind)kind, p->left_out[kind],
                                         err);
    }
    p->chart = (attend_chart){.title = "(a) each point, predicted from all others",
                              .x_title = p->fit->points->y_name,
                              .y_title = "predicted",
                              .count = p->fit->kinds,
                              .series = p->curves};
    return status;
}

/* ---- (b), (c) --------------------------------------------------------------------------- */

static attend_status make_weights(parts *p, int kind, attend_error *err)
{
    const attend_pooling *pooling = p->fit->pooling;
    size_t n = attend_pooling_rows(pooling);
    bool one = attend_pooling_columns(pooling) == 1;
    p->keys = n < KEYS ? (int)n : KEYS;
    p->queries = one || n > QUERIES ? QUERIES : (int)n;
    p->weights[kind] = at_alloc((size_t)p->keys * (size_t)p->queries * sizeof(double));
    if (!p->weights[kind])
        return at_error_memory(err);
    at_str about = {0};
    at_fit_describe(&about, p->fit, (attend_pooling_kind)kind);
    snprintf(p->title[kind], sizeof p->title[kind], "(%c) weights: %.100s", "abc"[kind],
             at_str_text(&about));
    at_str_free(&about);
    snprintf(p->order, sizeof p->order, "points, in the order of %s",
             one ? p->fit->points->x_name[0] : p->fit->points->y_name);
    attend_heat_map *map = &p->map[kind];
    *map = (attend_heat_map){.title = p->title[kind],
                             .rows = p->queries,
                             .columns = p->keys,
                             .weights = p->weights[kind],
                             .column_range = {1, (double)n},
                             .row_range = {1, (double)n},
                             .row_title = one ? p->fit->points->x_name[0] : p->order,
                             .column_title = p->order};
    if (one)
        at_fit_range(pooling, map->row_range);
    return at_fit_weights(p->fit, (attend_pooling_kind)kind, p->queries, p->keys, p->weights[kind],
                          err);
}

/* both maps on one scale: then they can be compared */
static void share_scale(parts *p)
{
    double most = 0;
    for (int kind = 1; kind < p->fit->kinds; kind++)
        for (int i = 0; i < p->keys * p->queries; i++)
            most = fmax(most, p->weights[kind][i]);
    for (int kind = 1; kind < p->fit->kinds; kind++)
        p->map[kind].high = most;
}

/* ---- (d) -------------------------------------------------------------------------------- */

/* a horizontal line at a kind's error, over all widths */
static attend_series level(parts *p, int kind, int place)
{
    p->at[0] = p->width[0];
    p->at[1] = p->width[WIDTHS - 1];
    p->level[place][0] = p->level[place][1] = p->fit->error[kind];
    return (attend_series){.name = names[kind],
                           .style = kind ? ATTEND_SERIES_LINE : ATTEND_SERIES_DOTTED,
                           .count = 2,
                           .x = p->at,
                           .y = p->level[place],
                           .color = colors[kind]};
}

static attend_status make_widths(parts *p, attend_error *err)
{
    const attend_pooling *pooling = p->fit->pooling;
    attend_status status = ATTEND_OK;
    double least, most;
    attend_pooling_widths(pooling, &least, &most);
    p->used[0] = attend_pooling_width(pooling);
    p->used[1] = p->fit->error[ATTEND_POOLING_KERNEL];
    least = fmin(least, p->used[0] / 1.5);
    most = fmax(most, p->used[0] * 1.5);
    for (int i = 0; i < WIDTHS && status >= 0; i++) {
        p->width[i] = least * pow(most / least, (double)i / (WIDTHS - 1));
        status = attend_pooling_error_at(pooling, p->width[i], &p->error[i], err);
    }
    int n = 0;
    p->errors[n++] = level(p, ATTEND_POOLING_AVERAGE, 0);
    p->errors[n++] = (attend_series){.name = names[1],
                                     .count = WIDTHS,
                                     .x = p->width,
                                     .y = p->error,
                                     .style = ATTEND_SERIES_DASHED,
                                     .color = colors[1]};
    if (p->fit->kinds == 3)
        p->errors[n++] = level(p, ATTEND_POOLING_LEARNED, 1);
    snprintf(p->chosen, sizeof p->chosen, "h = %.3g", p->used[0]);
    p->errors[n++] = (attend_series){.name = p->chosen,
                                     .style = ATTEND_SERIES_POINTS,
                                     .count = 1,
                                     .x = &p->used[0],
                                     .y = &p->used[1],
                                     .color = colors[1]};
    p->widths = (attend_chart){.title = p->fit->kinds == 3 ? "(d) leave-one-out error"
                                                           : "(c) leave-one-out error",
                               .x_title = "width h",
                               .y_title = "mean squared error",
                               .count = n,
                               .series = p->errors,
                               .log_x = 1};
    return status;
}

/* ---- the whole -------------------------------------------------------------------------- */

static attend_status make(parts *p, attend_error *err)
{
    bool one = attend_pooling_columns(p->fit->pooling) == 1;
    attend_status status = one ? make_curves(p, err) : make_scatter(p, err);
    for (int kind = 1; kind < p->fit->kinds && status >= 0; kind++)
        status = make_weights(p, kind, err);
    if (status >= 0)
        share_scale(p);
    return status < 0 ? status : make_widths(p, err);
}

attend_status at_fit_figure(const at_fitted *f, const char *path, attend_error *err)
{
    parts *p = at_alloc_zero(1, sizeof *p);
    if (!p)
        return at_error_memory(err);
    p->fit = f;
    attend_panel panels[4] = {{.chart = &p->chart, .width = AREA, .height = HEIGHT}};
    int count = 1;
    for (int kind = 1; kind < f->kinds; kind++)
        panels[count++] = (attend_panel){
            .heat_map = &p->map[kind], .width = AREA - 40, .height = HEIGHT};
    panels[count++] = (attend_panel){.chart = &p->widths, .width = AREA, .height = HEIGHT};
    attend_figure figure = {.count = count, .panels = panels, .across = f->kinds == 3 ? 2 : 3};
    attend_status status = make(p, err);
    if (status >= 0)
        status = attend_figure_save(&figure, path, err);
    for (int kind = 0; kind < 3; kind++) {
        at_free(p->weights[kind]);
        at_free(p->left_out[kind]);
    }
    at_free(p);
    return status;
}
