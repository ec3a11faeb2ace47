/* The report of attend fit: a table, a chart, the weights; or JSON. */
#include <stdio.h>

#include "base/json_write.h"
#include "base/memory.h"
#include "cli/fit.h"
#include "cli/plot.h"
#include "cli/table.h"

attend_status at_fit_judge(at_fitted *f, attend_error *err)
{
    attend_status status = ATTEND_OK;
    f->kinds = attend_pooling_weight(f->pooling) ? 3 : 2;
    for (int kind = 0; kind < f->kinds && status >= 0; kind++)
        status = attend_pooling_error(f->pooling, (attend_pooling_kind)kind, &f->error[kind], err);
    return status;
}

void at_fit_describe(at_str *out, const at_fitted *f, attend_pooling_kind kind)
{
    const double *w = attend_pooling_weight(f->pooling);
    if (kind == ATTEND_POOLING_AVERAGE)
        at_str_add(out, "constant");
    if (kind == ATTEND_POOLING_KERNEL)
        at_str_print(out, "%s, h = %.3g", attend_pooling_kernel(f->pooling),
                     attend_pooling_width(f->pooling));
    for (int c = 0; kind == ATTEND_POOLING_LEARNED && c < attend_pooling_columns(f->pooling); c++)
        at_str_print(out, "%s%.3g", c ? ", " : "gaussian, w = ", w[c]);
}

/* ---- the table -------------------------------------------------------------------------- */

static void write_table(at_str *out, const at_fitted *f, int columns)
{
    static const char *const names[] = {"average", "non-parametric", "parametric"};
    static const at_column titles[] = {{"pooling", 0},
                                       {"weights", 0},
                                       {"error", ATTEND_COLUMN_NUMBER},
                                       {"share", ATTEND_COLUMN_NUMBER},
                                       {0}};
    at_table table = {.columns = titles};
    at_str weights = {0};
    for (int kind = 0; kind < f->kinds; kind++) {
        at_str_clear(&weights);
        at_fit_describe(&weights, f, (attend_pooling_kind)kind);
        at_table_cell(&table, "%s", names[kind]);
        at_table_cell(&table, "%s", at_str_text(&weights));
        at_table_cell(&table, "%.4g", f->error[kind]);
        if (f->error[0] > 0)
            at_table_cell(&table, "%.0f %%", 100 * f->error[kind] / f->error[0]);
        else
            at_table_cell(&table, "-"); /* all y are equal */
    }
    at_table_write(out, &table, ATTEND_TABLE_TEXT, columns);
    out->failed |= weights.failed;
    at_str_free(&weights);
    at_table_free(&table);
}

/* ---- the chart -------------------------------------------------------------------------- */

enum { SAMPLES = 200 };

static attend_status write_plot(at_str *out, const at_cli *cli, const at_fitted *f,
                                attend_error *err)
{
    static const at_series look[] = {
        {.name = "average", .mark = "╌", .plain = "-", .color = 33, .count = SAMPLES},
        {.name = "non-parametric", .mark = "·", .plain = ".", .color = 36, .count = SAMPLES},
        {.name = "parametric", .plain = "*", .color = 32, .count = SAMPLES}};
    double x[SAMPLES], y[3][SAMPLES], range[2];
    size_t count = attend_pooling_rows(f->pooling);
    attend_status status = ATTEND_OK;
    at_series all[4] = {{.name = "points",
                         .x = attend_pooling_x(f->pooling),
                         .y = attend_pooling_y(f->pooling),
                         .count = count,
                         .points = true,
                         .mark = "•",
                         .plain = "o",
                         .below = count > 150}};
    at_fit_range(f->pooling, range);
    for (int i = 0; i < SAMPLES; i++)
        x[i] = range[0] + (range[1] - range[0]) * i / (SAMPLES - 1);
    for (int kind = 0; kind < f->kinds && status >= 0; kind++) {
        at_series *s = &all[f->kinds - kind]; /* the best is drawn over the others */
        *s = look[kind];
        s->x = x;
        s->y = y[kind];
        status = attend_pooling_predict(f->pooling, (attend_pooling_kind)kind, SAMPLES, x, y[kind],
                                        err);
    }
    if (status < 0)
        return status;
    at_plot(out, all, f->kinds + 1,
            (at_plot_style){.columns = cli->columns,
                            .rows = 20,
                            .utf8 = cli->utf8,
                            .color = cli->color,
                            .x_name = f->points->x_name[0],
                            .y_name = f->points->y_name});
    return ATTEND_OK;
}

/* ---- the weights ------------------------------------------------------------------------ */

enum { ROWS = 20, COLUMNS = 64 };

static attend_status write_weights(at_str *out, const at_cli *cli, const at_fitted *f,
                                   attend_error *err)
{
    size_t n = attend_pooling_rows(f->pooling);
    bool one = attend_pooling_columns(f->pooling) == 1;
    int columns = n < COLUMNS ? (int)n : COLUMNS, rows = one ? ROWS : n < ROWS ? (int)n : ROWS;
    double weights[ROWS * COLUMNS];
    char title[120], order[100], *text;
    attend_heat_map map = {.rows = rows,
                           .columns = columns,
                           .weights = weights,
                           .title = title,
                           .column_title = order,
                           .column_range = {1, (double)n},
                           .row_range = {1, (double)n}};
    if (one)
        at_fit_range(f->pooling, map.row_range);
    const char *by = one ? f->points->x_name[0] : f->points->y_name;
    snprintf(title, sizeof title, "attention of %s %s", one ? "every" : "points, in the order of",
             by);
    snprintf(order, sizeof order, "on points, in the order of %s", by);
    attend_status status = at_fit_weights(f, at_fit_best(f), rows, columns, weights, err);
    if (status >= 0)
        status = attend_heat_map_text(
            &map,
            &(attend_text_style){.columns = cli->columns, .utf8 = cli->utf8, .color = cli->color},
            &text, err);
    if (status < 0)
        return status;
    at_str_add(out, "\n");
    at_str_add(out, text);
    attend_free(text);
    return ATTEND_OK;
}

/* ---- the whole -------------------------------------------------------------------------- */

static void write_json(at_str *out, const at_fitted *f)
{
    static const char *const keys[] = {"average", "kernel", "learned"};
    const double *w = attend_pooling_weight(f->pooling);
    at_json_out j = {.out = out};
    at_json_object(&j, NULL);
    at_json_string(&j, "data", f->path);
    at_json_int(&j, "points", (long long)attend_pooling_rows(f->pooling));
    at_json_string(&j, "kernel", attend_pooling_kernel(f->pooling));
    at_json_real(&j, "width", attend_pooling_width(f->pooling), 17);
    at_json_array(&j, "w");
    for (int c = 0; w && c < attend_pooling_columns(f->pooling); c++)
        at_json_real(&j, NULL, w[c], 17);
    at_json_end(&j);
    at_json_object(&j, "error");
    for (int kind = 0; kind < f->kinds; kind++)
        at_json_real(&j, keys[kind], f->error[kind], 9);
    at_json_end(&j);
    at_json_end(&j);
    at_str_add(out, "\n");
}

static attend_status write_text(at_str *out, const at_cli *cli, const at_fitted *f,
                                at_fit_show show, attend_error *err)
{
    attend_status status = ATTEND_OK;
    at_str_print(out, "%zu points of %s\n\n", attend_pooling_rows(f->pooling), f->path);
    write_table(out, f, cli->columns);
    at_str_add(out, "\n");
    at_str_wrap(out, "error: mean squared, each point predicted from all others\n", 0, 0,
                cli->columns);
    if (show.plot && attend_pooling_columns(f->pooling) == 1) {
        at_str_add(out, "\n");
        status = write_plot(out, cli, f, err);
    }
    if (show.weights && status >= 0)
        status = write_weights(out, cli, f, err);
    return status;
}

attend_status at_fit_report(at_cli *cli, const at_fitted *f, at_fit_show show, attend_error *err)
{
    at_str text = {0};
    attend_status status = ATTEND_OK;
    if (show.json)
        write_json(&text, f);
    else
        status = write_text(&text, cli, f, show, err);
    if (status >= 0)
        return at_cli_write(&text, err);
    at_str_free(&text);
    return status;
}
