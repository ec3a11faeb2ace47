#include "api/curves.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/option.h"
#include "draw/figure.h"

enum { EPOCH, LOSS, TRAINING, MEASURE, COLUMNS };

/* a line of metrics.jsonl is a row; what is missing is not a number */
typedef struct {
    double *column[COLUMNS];
    size_t rows, room;
    char measure[32]; /* what the last column is: "bleu" */
    double best;      /* epoch of the last line that was the best, or NAN */
} table;

/* ---- reading ------------------------------------------------------------------------------- */

static double number_of(const json_t *line, const char *key)
{
    const json_t *value = json_object_get(line, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* the first number that is no loss and no count: what the run is watched by */
static void find_measure(table *t, json_t *line)
{
    static const char *const others = "step|epoch|loss|training_loss|perplexity|best";
    for (void *i = json_object_iter(line); i && !*t->measure; i = json_object_iter_next(line, i)) {
        const char *key = json_object_iter_key(i);
        if (json_is_number(json_object_iter_value(i)) && at_choice_find(others, key) < 0)
            snprintf(t->measure, sizeof t->measure, "%s", key);
    }
}

static bool grow(table *t)
{
    size_t room = t->room ? 2 * t->room : 64;
    for (int i = 0; i < COLUMNS; i++) {
        double *more = at_alloc(room * sizeof *more);
        if (!more)
            return false;
        if (t->rows)
            memcpy(more, t->column[i], t->rows * sizeof *more);
        at_free(t->column[i]);
        t->column[i] = more;
    }
    t->room = room;
    return true;
}

static attend_status add_line(table *t, json_t *line, attend_error *err)
{
    if (t->rows == t->room && !grow(t))
        return at_error_memory(err);
    find_measure(t, line);
    size_t row = t->rows++;
    t->column[EPOCH][row] = number_of(line, "epoch");
    t->column[LOSS][row] = number_of(line, "loss");
    t->column[TRAINING][row] = number_of(line, "training_loss");
    t->column[MEASURE][row] = *t->measure ? number_of(line, t->measure) : NAN;
    if (json_is_true(json_object_get(line, "best")))
        t->best = t->column[EPOCH][row];
    return ATTEND_OK;
}

static attend_status read_table(table *t, const char *folder, attend_error *err)
{
    enum { LIMIT = 1 << 28 };
    char *path = at_file_join(folder, "training/metrics.jsonl"), *text = NULL;
    size_t size;
    attend_status status = path ? at_file_read(path, LIMIT, &text, &size, err)
                                : at_error_memory(err);
    char *end;
    for (char *line = text; status >= 0 && (end = strchr(line, '\n')); line = end + 1) {
        json_t *json;
        if (at_json_parse(path, line, (size_t)(end - line), &json, NULL) < 0)
            continue;
        status = add_line(t, json, err);
        json_decref(json);
    }
    at_free(text);
    at_free(path);
    return status;
}

/* ---- drawing ------------------------------------------------------------------------------- */

static const char *title_of(const char *measure)
{
    return strcmp(measure, "bleu") == 0       ? "BLEU"
           : strcmp(measure, "macro_f1") == 0 ? "macro-F1"
                                              : measure;
}

static attend_status draw(const table *t, const char *title, const char *path, attend_error *err)
{
    double *const *c = t->column;
    bool rule = isfinite(t->best), measured = *t->measure != 0;
    attend_series best = {
        .name = "best", .style = ATTEND_SERIES_RULE, .count = rule, .x = &t->best, .color = -1};
    attend_series losses[] = {best,
                              {.name = "training",
                               .style = ATTEND_SERIES_BOTH,
                               .count = t->rows,
                               .x = c[EPOCH],
                               .y = c[TRAINING]},
                              {.name = "validation",
                               .style = ATTEND_SERIES_BOTH,
                               .count = t->rows,
                               .x = c[EPOCH],
                               .y = c[LOSS]}};
    attend_series measures[] = {best,
                                {.name = title_of(t->measure),
                                 .style = ATTEND_SERIES_BOTH,
                                 .count = t->rows,
                                 .x = c[EPOCH],
                                 .y = c[MEASURE],
                                 .color = 3}};
    attend_chart charts[] = {
        {.title = "Loss", .x_title = "epoch", .count = 3 - !rule, .series = losses + !rule},
        {.title = title_of(t->measure),
         .x_title = "epoch",
         .count = 2 - !rule,
         .series = measures + !rule}};
    attend_panel panels[] = {{.chart = &charts[0]}, {.chart = &charts[1]}};
    attend_figure figure = {.title = title, .count = 1 + measured, .panels = panels};
    return at_figure_save(&figure, path, err);
}

attend_status at_curves_draw(const char *folder, const char *title, const char *format,
                             attend_error *err)
{
    table t = {.best = NAN};
    char name[32];
    snprintf(name, sizeof name, "training/curves.%s", format);
    char *path = at_file_join(folder, name);
    attend_status status = path ? read_table(&t, folder, err) : at_error_memory(err);
    if (status >= 0)
        status = draw(&t, title, path, err);
    for (int i = 0; i < COLUMNS; i++)
        at_free(t.column[i]);
    at_free(path);
    return status;
}
