/* attend fit: attention pooling through points, with a report, a figure, or predictions. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "attend_pooling.h"
#include "base/file.h"
#include "base/log.h"
#include "base/number.h"
#include "base/progress.h"
#include "cli/fit.h"

typedef struct {
    const char *x, *y, *attention, *kernel, *width, *at, *predict, *out, *figure;
    int steps, batch;
    double rate;
    size_t seed;
    bool overwrite, json, plot, weights;
} fit;

/* clang-format off */
static const at_option options[] = {
    {.name = "x", .letter = 'x', OPTION_STRING(fit, x), .value = "1", .meta = "COLUMNS",
     .group = "Data", .help = "Number or name of the column of x, or several: 1,3"},
    {.name = "y", .letter = 'y', OPTION_STRING(fit, y), .value = "2", .meta = "COLUMN",
     .help = "Number or name of the column of y",
     .example = {"attend fit -x year -y height trees.csv", "Choose the columns by name"}},
    {.name = "attention", OPTION_STRING(fit, attention), .value = "gaussian-w:vector",
     .meta = "SCORE", .group = "Pooling",
     .help = "What weighs the points: gaussian-w:vector learns a w for each column of x, "
             "gaussian-w one for all, gaussian nothing",
     .example = {"attend fit points.csv --attention gaussian-w", "Learn one w for all columns"}},
    {.name = "kernel", OPTION_STRING(fit, kernel), .value = "gaussian", .meta = "NAME",
     .help = "Kernel of the pooling without parameters: one of attend list kernels"},
    {.name = "width", OPTION_STRING(fit, width), .value = "1", .meta = "H",
     .help = "Its width h, in the units of x; cv finds the one with the least leave-one-out error",
     .example = {"attend fit points.csv --attention gaussian --kernel boxcar --width cv",
                 "A moving average of the best width; nothing is learned"}},
    {.name = "steps", OPTION_INT(fit, steps), .value = "300", .min = 0, .max = 1e6, .meta = "N",
     .group = "Training", .help = "Steps of training"},
    {.name = "lr", OPTION_REAL(fit, rate), .value = "0.1", .min = 1e-9, .max = 100, .meta = "R",
     .help = "Learning rate of Adam at the start; it falls to 0 in a straight line"},
    {.name = "batch", OPTION_INT(fit, batch), .value = "0", .min = 0, .max = 1e6, .meta = "N",
     .help = "Points predicted in a step; 0 is as many as are quick, or all"},
    {.name = "seed", OPTION_SIZE(fit, seed), .value = "1234", .meta = "N",
     .help = "Seed of the order of the points, where a step does not take all"},
    {.name = "at", OPTION_STRING(fit, at), .meta = "X,X,...", .group = "Prediction",
     .help = "Print the y of these x, as comma-separated lines",
     .example = {"attend fit points.csv --at 1.5,2", "What the curve is at two places"}},
    {.name = "predict", OPTION_PATH(fit, predict), .meta = "FILE",
     .help = "Print the y of the x in this file, or of standard input for -",
     .example = {"attend fit points.csv --predict new.csv", "And at many"}},
    {.name = "out", .letter = 'o', OPTION_PATH(fit, out), .meta = "FILE", .group = "Output",
     .help = "Save the fit in a .safetensors file; as DATA, that predicts without training",
     .example = {"attend fit points.csv --out curve.safetensors", "Keep the curve"}},
    {.name = "figure", OPTION_PATH(fit, figure), .meta = "FILE",
     .help = "Draw points, curves, weights and errors into a file that ends in .png, .svg or .pdf",
     .example = {"attend fit points.csv --figure points.png", "A figure for a paper"}},
    {.name = "overwrite", OPTION_FLAG(fit, overwrite),
     .help = "Let --out and --figure replace a file"},
    {.name = "json", OPTION_FLAG(fit, json), .help = "Write the report, or predictions, as JSON"},
    {.name = "plot", OPTION_FLAG(fit, plot), .value = "yes", .help = "Draw points and curves"},
    {.name = "weights", OPTION_FLAG(fit, weights), .help = "Draw the attention weights too"},
    {0}};
/* clang-format on */

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

static attend_status watch(void *user, const attend_fit_event *e, attend_error *err)
{
    (void)err;
    watcher *w = user;
    w->step = e->step;
    w->steps = e->steps;
    double time = now();
    if (e->step == 1)
        at_progress_start(&w->progress, 1, e->steps, time);
    if (w->cli->bar && at_progress_due(&w->progress, e->step, time)) {
        char text[40];
        at_str line = {0};
        snprintf(text, sizeof text, "error %.4g", e->loss);
        at_progress_line(&line, &w->progress, e->step, time, text, w->cli->columns, w->cli->utf8);
        at_cli_progress(w->cli, at_str_text(&line));
        at_str_free(&line);
    }
    return at_cli_signal() ? ATTEND_STOPPED : ATTEND_OK;
}

/* "cv" is 0: the library searches */
static attend_status parse_width(const char *text, double *width, attend_error *err)
{
    *width = 0;
    if (strcmp(text, "cv") == 0)
        return ATTEND_OK;
    if (!at_number_real(text, strlen(text), width) || !(*width > 0))
        return at_error(err, ATTEND_OPTION,
                        "--width: \"%.40s\" is neither a positive number nor cv", text);
    return ATTEND_OK;
}

static attend_status train(const fit *o, const at_point_table *points, watcher *w,
                           attend_pooling **pooling, attend_error *err)
{
    attend_fit_options options_of_fit;
    attend_fit_defaults(&options_of_fit);
    attend_status status = parse_width(o->width, &options_of_fit.width, err);
    if (status < 0)
        return status;
    options_of_fit.attention = o->attention;
    options_of_fit.kernel = o->kernel;
    options_of_fit.steps = o->steps;
    options_of_fit.rate = o->rate;
    options_of_fit.batch = o->batch;
    options_of_fit.seed = o->seed;
    options_of_fit.function = watch;
    options_of_fit.user = w;
    at_cli_catch_signals();
    at_log(ATTEND_LOG_DEBUG, "training on %zu points", points->rows);
    status = attend_fit(points->rows, points->columns, points->x, points->y, &options_of_fit,
                        pooling, err);
    at_cli_progress_end(w->cli);
    return status == ATTEND_STOPPED ? ATTEND_OK : status;
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

/* What would spoil a file is said before the training, not after it. */
static attend_status check_file(const char *option, const char *file, const char *data,
                                bool overwrite, attend_error *err)
{
    char folder[4096] = ".";
    const char *slash = strrchr(file, '/');
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - file) + 1, file);
    if (strcmp(file, data) == 0)
        return at_error(err, ATTEND_OPTION, "%s: %s is the data; give it another name", option,
                        at_show(file).text);
    if (!at_file_exists(folder))
        return at_error(err, ATTEND_FILE, "%s: there is no folder %s; make it first", option,
                        at_show(folder).text);
    if (!overwrite && at_file_exists(file))
        return at_error(err, ATTEND_OPTION, "%s: %s exists; --overwrite replaces it", option,
                        at_show(file).text);
    return ATTEND_OK;
}

/* A saved curve is fitted already: what would change it has no effect, and is refused. */
static attend_status check_saved(const fit *o, const char *path, attend_error *err)
{
    static const char *const fitting[] = {"x",     "y",  "attention", "kernel", "width",
                                          "steps", "lr", "batch",     "seed"};
    fit defaults = {0};
    attend_status status = at_options_defaults(options, &defaults, err);
    for (size_t i = 0; i < sizeof fitting / sizeof *fitting && status >= 0; i++) {
        const at_option_set set = {options, NULL};
        void *fields;
        const at_option *option = at_option_find(&set, 1, fitting[i], &fields);
        at_str given = {0}, usual = {0};
        at_option_print(&given, option, o);
        at_option_print(&usual, option, &defaults);
        if (strcmp(at_str_text(&given), at_str_text(&usual)) != 0)
            status = at_error(err, ATTEND_OPTION,
                              "--%s: %s is a saved curve, which is not fitted again; give the "
                              "points instead",
                              fitting[i], at_show(path).text);
        at_str_free(&given);
        at_str_free(&usual);
    }
    return status;
}

static attend_status check(const fit *o, const char *path, attend_error *err)
{
    attend_status status = is_model(path) ? check_saved(o, path, err) : ATTEND_OK;
    if (status >= 0 && o->at && o->predict)
        status = at_error(err, ATTEND_OPTION, "--at and --predict: choose one");
    if (status >= 0 && o->predict && strcmp(o->predict, "-") == 0 && strcmp(path, "-") == 0)
        status = at_error(err, ATTEND_OPTION,
                          "the data and --predict cannot both be standard input");
    if (status >= 0 && o->weights && (o->json || o->at || o->predict))
        status = at_error(err, ATTEND_OPTION,
                          "--weights belongs to the report, not to JSON or predictions");
    if (status >= 0 && o->out)
        status = check_file("--out", o->out, path, o->overwrite, err);
    if (status >= 0 && o->out && !is_model(o->out))
        status = at_error(err, ATTEND_OPTION,
                          "--out %s: the name of a saved curve ends in .safetensors, which tells "
                          "it from points when it is read",
                          at_show(o->out).text);
    if (status >= 0 && o->figure)
        status = attend_figure_check_path(o->figure, err);
    if (status >= 0 && o->figure)
        status = check_file("--figure", o->figure, path, o->overwrite, err);
    return status;
}

/* the x to predict, if any */
static attend_status read_wanted(at_cli *cli, const fit *o, const at_point_table *points,
                                 at_point_table *wanted, attend_error *err)
{
    *wanted = (at_point_table){0};
    if (o->at && points->columns != 1)
        return at_error(err, ATTEND_OPTION,
                        "--at is for one column of x; write the %d columns to a file for --predict",
                        points->columns);
    if (o->at)
        return at_point_table_parse(wanted, o->at, err);
    if (!o->predict)
        return ATTEND_OK;
    cli->input = strcmp(o->predict, "-") == 0 ? NULL : o->predict;
    return at_point_table_read_like(wanted, o->predict, points, err);
}

/* what a saved model tells about its points */
static void points_of_model(at_point_table *p, const attend_pooling *pooling)
{
    int columns = attend_pooling_columns(pooling);
    *p = (at_point_table){.columns = columns < ATTEND_POINTS_COLUMNS ? columns
                                                                     : ATTEND_POINTS_COLUMNS};
    for (int c = 0; c < p->columns; c++) {
        p->x_column[c] = c;
        snprintf(p->x_name[c], sizeof p->x_name[c], columns > 1 ? "x%d" : "x", c + 1);
        at_point_table_name(p->x_name[c], attend_pooling_name(pooling, c));
    }
    strcpy(p->y_name, "y");
    at_point_table_name(p->y_name, attend_pooling_name(pooling, columns));
}

static attend_status give_names(attend_pooling *pooling, const at_point_table *p, attend_error *err)
{
    const char *names[ATTEND_POINTS_COLUMNS + 1];
    for (int c = 0; c < p->columns; c++)
        names[c] = p->x_name[c];
    names[p->columns] = p->y_name;
    return attend_pooling_set_names(pooling, names, err);
}

static attend_status stopped(const watcher *w, attend_error *err)
{
    return at_error(err, ATTEND_STOPPED, "stopped after step %d of %d; this is how far it came",
                    w->step, w->steps);
}

/* the fit, from points or from a file */
static attend_status make(at_cli *cli, const fit *o, const char *path, watcher *w,
                          at_point_table *points, at_point_table *wanted, attend_pooling **pooling,
                          attend_error *err)
{
    bool model = is_model(path);
    cli->input = strcmp(path, "-") == 0 ? NULL : path;
    attend_status status = model ? attend_pooling_open(path, pooling, err)
                                 : at_point_table_read(points, path, o->x, o->y, err);
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
    status = train(o, points, w, pooling, err);
    return status < 0 ? status : give_names(*pooling, points, err);
}

/* The files first, since a reader of stdout may go away; but one that cannot be written does not
 * hide the rest. */
static attend_status write_results(at_cli *cli, const fit *o, at_fitted *f,
                                   const at_point_table *wanted, attend_error *err)
{
    attend_error other;
    cli->input = NULL;
    attend_status status = at_fit_judge(f, err), saved = ATTEND_OK;
    if (status < 0)
        return status;
    if (o->out)
        saved = attend_pooling_save(f->pooling, o->out, err);
    if (o->figure && saved >= 0)
        saved = at_fit_figure(f, o->figure, err);
    if (wanted->rows)
        status = at_fit_predict(f, wanted, o->json, saved < 0 ? &other : err);
    else
        status = at_fit_report(cli, f, (at_fit_show){o->json, o->plot, o->weights},
                               saved < 0 ? &other : err);
    return saved < 0 ? saved : status;
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    (void)operands;
    const fit *o = fields;
    watcher w = {.cli = cli};
    at_point_table points = {0}, wanted = {0};
    attend_pooling *pooling = NULL;
    attend_status status = check(o, operand[0], err);
    if (status >= 0)
        status = make(cli, o, operand[0], &w, &points, &wanted, &pooling, err);
    if (status >= 0) {
        at_fitted f = {.path = shown(operand[0]), .points = &points, .pooling = pooling};
        status = write_results(cli, o, &f, &wanted, err);
    }
    if (status >= 0 && at_cli_signal())
        status = stopped(&w, err);
    attend_pooling_free(pooling);
    at_point_table_free(&points);
    at_point_table_free(&wanted);
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
             "The curve is f(x) = sum_j a_j y_j (Nadaraya and Watson 1964): attention with the "
             "points' x as keys and their y as values. Without parameters, the weights a come from "
             "a kernel of the distance |x - x_j| / h; with parameters, they are softmax_j(-(w (x - "
             "x_j))^2 / 2), and w is learned by predicting each point from all others. The report "
             "compares both with the average of all y.",
         .options = options,
         .examples = examples},
    .size = sizeof(fit),
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
