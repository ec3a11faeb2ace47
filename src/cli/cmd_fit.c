/* attend fit: attention pooling through points, with a report, a chart, or predictions. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/progress.h"
#include "cli/cli.h"
#include "cli/plot.h"
#include "cli/points.h"
#include "cli/table.h"

typedef struct {
    const char *x, *y, *at, *predict, *out;
    int steps, batch;
    double rate;
    size_t seed;
    bool overwrite, json, plot;
} fit;

static const at_option options[] = {
    {.name = "x", .letter = 'x', OPTION_STRING(fit, x), .value = "1", .meta = "COLUMNS",
     .group = "Data", .help = "Number or name of the column of x, or several: 1,3"},
    {.name = "y", .letter = 'y', OPTION_STRING(fit, y), .value = "2", .meta = "COLUMN",
     .help = "Number or name of the column of y",
     .example = {"attend fit -x year -y height trees.csv", "Choose the columns by name"}},
    {.name = "steps", OPTION_INT(fit, steps), .value = "300", .min = 0, .max = 1e6, .meta = "N",
     .group = "Training", .help = "Steps of training"},
    {.name = "rate", OPTION_REAL(fit, rate), .value = "0.1", .min = 1e-9, .max = 100, .meta = "R",
     .help = "Learning rate of Adam at the start; it falls to 0 in a straight line"},
    {.name = "batch", OPTION_INT(fit, batch), .value = "0", .min = 0, .max = 1e6, .meta = "N",
     .help = "Points predicted in a step; 0 is as many as are quick, or all"},
    {.name = "seed", OPTION_SIZE(fit, seed), .value = "0", .meta = "N",
     .help = "Seed of the order of the points, where a step does not take all"},
    {.name = "at", OPTION_STRING(fit, at), .meta = "X,X,...", .group = "Prediction",
     .help = "Print the y of these x, as comma-separated lines",
     .example = {"attend fit points.csv --at 1.5,2", "What the curve is at two places"}},
    {.name = "predict", OPTION_PATH(fit, predict), .meta = "FILE",
     .help = "Print the y of the x in this file, or of standard input for -",
     .example = {"attend fit points.csv --predict new.csv", "And at many"}},
    {.name = "out", .letter = 'o', OPTION_PATH(fit, out), .meta = "FILE", .group = "Output",
     .help = "Save the points and w as safetensors; as DATA, the file predicts without training",
     .example = {"attend fit points.csv --out curve.safetensors", "Keep the curve"}},
    {.name = "overwrite", OPTION_FLAG(fit, overwrite), .help = "Let --out replace a file"},
    {.name = "json", OPTION_FLAG(fit, json), .help = "Write the report, or predictions, as JSON"},
    {.name = "plot", OPTION_FLAG(fit, plot), .value = "yes", .help = "Draw points and curves"},
    {0}};

/* ---- training --------------------------------------------------------------------------- */

typedef struct {
    at_cli *cli;
    at_progress progress;
    int step, steps;
} watcher;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int watch(void *user, int step, int steps, double loss)
{
    watcher *w = user;
    w->step = step;
    w->steps = steps;
    double time = now();
    if (step == 1)
        at_progress_start(&w->progress, 1, steps, time);
    if (w->cli->bar && at_progress_due(&w->progress, step, time)) {
        char text[40];
        at_str line = {0};
        snprintf(text, sizeof text, "error %.4g", loss);
        at_progress_line(&line, &w->progress, step, time, text, w->cli->columns, w->cli->utf8);
        at_cli_progress(w->cli, at_str_text(&line));
        at_str_free(&line);
    }
    return at_cli_signal() != 0;
}

static attend_status train(const fit *o, const at_points *points, watcher *w,
                           attend_pooling **pooling, attend_error *err)
{
    attend_fit_options options_of_fit;
    attend_fit_defaults(&options_of_fit);
    options_of_fit.steps = o->steps;
    options_of_fit.rate = o->rate;
    options_of_fit.batch = o->batch;
    options_of_fit.seed = o->seed;
    options_of_fit.progress = watch;
    options_of_fit.user = w;
    at_cli_catch_signals();
    at_log(ATTEND_LOG_DEBUG, "training on %zu points", points->rows);
    attend_status status = attend_fit(points->rows, points->columns, points->x, points->y,
                                      &options_of_fit, pooling, err);
    at_cli_progress_end(w->cli);
    return status;
}

/* ---- the report ------------------------------------------------------------------------- */

static const char *const kind_names[] = {"average of all y", "attention, w = 1",
                                         "attention, learned w"};

typedef struct {
    const char *path;
    const at_points *points;
    const attend_pooling *pooling;
    double error[3];
} report;

static void weight_text(at_str *out, const report *r, int kind)
{
    const double *w = attend_pooling_weight(r->pooling);
    if (kind < 2)
        at_str_print(out, "%d", kind);
    for (int c = 0; kind == 2 && c < attend_pooling_columns(r->pooling); c++)
        at_str_print(out, "%s%.3g", c ? ", " : "", w[c]);
}

static void write_table(at_str *out, const report *r, int columns)
{
    static const at_column titles[] = {{"pooling", 0},
                                       {"w", ATTEND_COLUMN_NUMBER},
                                       {"error", ATTEND_COLUMN_NUMBER},
                                       {"relative", ATTEND_COLUMN_NUMBER},
                                       {0}};
    at_table table = {.columns = titles};
    at_str weight = {0};
    for (int kind = 0; kind < 3; kind++) {
        at_str_clear(&weight);
        weight_text(&weight, r, kind);
        at_table_cell(&table, "%s", kind_names[kind]);
        at_table_cell(&table, "%s", at_str_text(&weight));
        at_table_cell(&table, "%.4g", r->error[kind]);
        if (r->error[0] > 0)
            at_table_cell(&table, "%.0f %%", 100 * r->error[kind] / r->error[0]);
        else
            at_table_cell(&table, "-"); /* all y are equal */
    }
    at_table_write(out, &table, ATTEND_TABLE_TEXT, columns);
    out->failed |= weight.failed;
    at_str_free(&weight);
    at_table_free(&table);
}

enum { SAMPLES = 200 };

/* the three curves over the range of x */
static attend_status sample(const report *r, double *x, double y[3][SAMPLES], attend_error *err)
{
    const double *data = attend_pooling_x(r->pooling);
    double low = data[0], high = data[0];
    for (size_t i = 0; i < attend_pooling_rows(r->pooling); i++) {
        low = data[i] < low ? data[i] : low;
        high = data[i] > high ? data[i] : high;
    }
    for (int i = 0; i < SAMPLES; i++)
        x[i] = low + (high - low) * i / (SAMPLES - 1);
    attend_status status = ATTEND_OK;
    for (int kind = 0; kind < 3 && status >= 0; kind++)
        status = attend_pooling_predict(r->pooling, (attend_pooling_kind)kind, SAMPLES, x, y[kind],
                                        err);
    return status;
}

static attend_status write_plot(at_str *out, const at_cli *cli, const report *r, attend_error *err)
{
    double x[SAMPLES], y[3][SAMPLES];
    attend_status status = sample(r, x, y, err);
    if (status < 0)
        return status;
    size_t count = attend_pooling_rows(r->pooling);
    const at_series all[] = {
        {.name = "points", .x = attend_pooling_x(r->pooling), .y = attend_pooling_y(r->pooling),
         .count = count, .points = true, .mark = "•", .plain = "o", .below = count > 150},
        {.name = "learned w", .x = x, .y = y[2], .count = SAMPLES, .plain = "*", .color = 32},
        {.name = "w = 1", .x = x, .y = y[1], .count = SAMPLES, .mark = "·", .plain = ".",
         .color = 36},
        {.name = "average", .x = x, .y = y[0], .count = SAMPLES, .mark = "╌", .plain = "-",
         .color = 33},
    };
    at_plot(out, all, 4,
            (at_plot_style){.columns = cli->columns,
                            .rows = 20,
                            .utf8 = cli->utf8,
                            .color = cli->color,
                            .x_name = r->points->x_name[0],
                            .y_name = r->points->y_name});
    return ATTEND_OK;
}

static void write_json(at_str *out, const report *r)
{
    static const char *const keys[] = {"average", "kernel", "learned"};
    const double *w = attend_pooling_weight(r->pooling);
    at_str_add(out, "{\"data\": ");
    at_str_add_json(out, r->path);
    at_str_print(out, ", \"points\": %zu, \"w\": [", attend_pooling_rows(r->pooling));
    for (int c = 0; c < attend_pooling_columns(r->pooling); c++)
        at_str_print(out, "%s%.17g", c ? ", " : "", w[c]);
    at_str_add(out, "], \"error\": {");
    for (int kind = 0; kind < 3; kind++)
        at_str_print(out, "%s\"%s\": %.9g", kind ? ", " : "", keys[kind], r->error[kind]);
    at_str_add(out, "}}\n");
}

static attend_status write_report(at_cli *cli, const fit *o, report *r, attend_error *err)
{
    at_str text = {0};
    attend_status status = ATTEND_OK;
    for (int kind = 0; kind < 3 && status >= 0; kind++)
        status = attend_pooling_error(r->pooling, (attend_pooling_kind)kind, &r->error[kind], err);
    if (status < 0)
        return status;
    if (o->json) {
        write_json(&text, r);
        return at_cli_write(&text, err);
    }
    at_str_print(&text, "%zu points of %s\n\n", attend_pooling_rows(r->pooling), r->path);
    write_table(&text, r, cli->columns);
    at_str_add(&text, "\n");
    at_str_wrap(&text, "error: mean squared, each point predicted from all others\n", 0, 0,
                cli->columns);
    if (o->plot && attend_pooling_columns(r->pooling) == 1) {
        at_str_add(&text, "\n");
        status = write_plot(&text, cli, r, err);
    }
    if (status < 0) {
        at_str_free(&text);
        return status;
    }
    return at_cli_write(&text, err);
}

/* ---- predictions ------------------------------------------------------------------------ */

static void prediction(at_str *out, const at_points *names, const double *x, double y, bool json)
{
    char number[32];
    at_str_add(out, json ? "{" : "");
    for (int c = 0; c < names->columns; c++) {
        if (json) {
            at_str_add_json(out, names->x_name[c]);
            at_str_add(out, ": ");
        }
        at_str_print(out, "%s%s", at_number_print(number, x[c]), json ? ", " : ",");
    }
    if (json) {
        at_str_add_json(out, names->y_name);
        at_str_add(out, ": ");
    }
    at_str_print(out, "%.6g%s\n", y, json ? "}" : "");
}

static void column_name(at_str *out, const char *name)
{
    bool quoted = strpbrk(name, ",\"") != NULL;
    at_str_add(out, quoted ? "\"" : "");
    for (; *name; name++)
        at_str_print(out, *name == '"' ? "\"%c" : "%c", *name);
    at_str_add(out, quoted ? "\"" : "");
}

static void column_names(at_str *out, const at_points *names)
{
    for (int c = 0; c < names->columns; c++) {
        column_name(out, names->x_name[c]);
        at_str_add(out, ",");
    }
    column_name(out, names->y_name);
    at_str_add(out, "\n");
}

static attend_status write_predictions(const attend_pooling *pooling, const at_points *names,
                                       const at_points *wanted, bool json, attend_error *err)
{
    double *y = at_alloc(wanted->rows * sizeof *y);
    if (!y)
        return at_error_memory(err);
    attend_status status = attend_pooling_predict(pooling, ATTEND_POOLING_LEARNED, wanted->rows,
                                                  wanted->x, y, err);
    at_str text = {0};
    if (!json)
        column_names(&text, names);
    for (size_t i = 0; i < wanted->rows && status >= 0; i++)
        prediction(&text, names, wanted->x + i * (size_t)names->columns, y[i], json);
    at_free(y);
    if (status >= 0)
        return at_cli_write(&text, err);
    at_str_free(&text);
    return status;
}

/* ---- the command ------------------------------------------------------------------------ */

static const char *shown(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

static bool is_model(const char *path)
{
    static const char end[] = ".safetensors";
    size_t length = strlen(path);
    return length >= sizeof end - 1 && strcmp(path + length - (sizeof end - 1), end) == 0;
}

/* What would spoil --out is said before the training, not after it. */
static attend_status check_out(const fit *o, const char *path, attend_error *err)
{
    char folder[4096] = ".";
    const char *slash = strrchr(o->out, '/');
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - o->out) + 1, o->out);
    if (strcmp(o->out, path) == 0)
        return at_error(err, ATTEND_OPTION, "--out: %s is the data; give the curve another name",
                        at_show(o->out).text);
    if (!at_file_exists(folder))
        return at_error(err, ATTEND_FILE, "--out: there is no folder %s; make it first",
                        at_show(folder).text);
    if (!o->overwrite && at_file_exists(o->out))
        return at_error(err, ATTEND_OPTION, "--out: %s exists; --overwrite replaces it",
                        at_show(o->out).text);
    return ATTEND_OK;
}

static attend_status check(const fit *o, const char *path, attend_error *err)
{
    if (o->at && o->predict)
        return at_error(err, ATTEND_OPTION, "--at and --predict: choose one");
    if (o->predict && strcmp(o->predict, "-") == 0 && strcmp(path, "-") == 0)
        return at_error(err, ATTEND_OPTION, "the data and --predict cannot both be standard input");
    return o->out ? check_out(o, path, err) : ATTEND_OK;
}

/* the x to predict, if any */
static attend_status read_wanted(at_cli *cli, const fit *o, const at_points *points,
                                 at_points *wanted, attend_error *err)
{
    *wanted = (at_points){0};
    if (o->at && points->columns != 1)
        return at_error(err, ATTEND_OPTION,
                        "--at is for one column of x; write the %d columns to a file for --predict",
                        points->columns);
    if (o->at)
        return at_points_parse(wanted, o->at, err);
    if (!o->predict)
        return ATTEND_OK;
    cli->input = strcmp(o->predict, "-") == 0 ? NULL : o->predict;
    return at_points_read_like(wanted, o->predict, points, err);
}

/* what a saved model tells about its points */
static void points_of_model(at_points *p, const attend_pooling *pooling)
{
    int columns = attend_pooling_columns(pooling);
    *p = (at_points){.columns = columns < ATTEND_POINTS_COLUMNS ? columns : ATTEND_POINTS_COLUMNS};
    for (int c = 0; c < p->columns; c++) {
        p->x_column[c] = c;
        snprintf(p->x_name[c], sizeof p->x_name[c], columns > 1 ? "x%d" : "x", c + 1);
    }
    strcpy(p->y_name, "y");
}

static attend_status stopped(const watcher *w, attend_error *err)
{
    return at_error(err, ATTEND_STOPPED, "stopped after step %d of %d; this is how far it came",
                    w->step, w->steps);
}

/* the fit, from points or from a file */
static attend_status make(at_cli *cli, const fit *o, const char *path, watcher *w,
                          at_points *points, at_points *wanted, attend_pooling **pooling,
                          attend_error *err)
{
    bool model = is_model(path);
    cli->input = strcmp(path, "-") == 0 ? NULL : path;
    attend_status status = model ? attend_pooling_load(path, pooling, err)
                                 : at_points_read(points, path, o->x, o->y, err);
    if (status < 0)
        return status;
    if (model)
        points_of_model(points, *pooling);
    else if (points->rows < 2)
        return at_error(err, ATTEND_FORMAT, "%s: only one point; a fit needs at least two",
                        shown(path));
    status = read_wanted(cli, o, points, wanted, err);
    if (status < 0 || model)
        return status;
    return train(o, points, w, pooling, err);
}

/* The file first, since a reader of stdout may go away; but a file that cannot be written does not
 * hide the rest. */
static attend_status write_results(at_cli *cli, const fit *o, const char *path,
                                   const at_points *points, const at_points *wanted,
                                   const attend_pooling *pooling, attend_error *err)
{
    attend_error other;
    attend_status saved = ATTEND_OK, status;
    cli->input = NULL;
    if (o->out)
        saved = attend_pooling_save(pooling, o->out, err);
    if (wanted->rows)
        status = write_predictions(pooling, points, wanted, o->json, saved < 0 ? &other : err);
    else {
        report r = {.path = shown(path), .points = points, .pooling = pooling};
        status = write_report(cli, o, &r, saved < 0 ? &other : err);
    }
    return saved < 0 ? saved : status;
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    (void)operands;
    const fit *o = fields;
    watcher w = {.cli = cli};
    at_points points = {0}, wanted = {0};
    attend_pooling *pooling = NULL;
    attend_status status = check(o, operand[0], err);
    if (status >= 0)
        status = make(cli, o, operand[0], &w, &points, &wanted, &pooling, err);
    if (status >= 0)
        status = write_results(cli, o, operand[0], &points, &wanted, pooling, err);
    if (status >= 0 && at_cli_signal())
        status = stopped(&w, err);
    attend_pooling_free(pooling);
    at_points_free(&points);
    at_points_free(&wanted);
    return status;
}

static const at_term examples[] = {
    {"attend fit points.csv", "Fit a curve to the first two columns, and draw it"}, {0}};

const at_command at_command_fit = {
    .usage =
        {.name = "fit",
         .summary = "Fit a curve to points with attention pooling",
         .operands = "DATA.csv|MODEL.safetensors",
         .description =
             "Reads points (x, y) from a table with commas, semicolons, tabs or blanks between the "
             "columns, with or without a header, or from standard input for -.\n"
             "\n"
             "The curve is f(x) = sum_j softmax_j(-((x - x_j) w)^2 / 2) y_j (Nadaraya and Watson "
             "1964): attention with the points' x as keys and their y as values. w is learned by "
             "predicting each point from all others. The report compares it with the average of "
             "all y and with w = 1, where nothing is learned.",
         .options = options,
         .examples = examples},
    .size = sizeof(fit),
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
