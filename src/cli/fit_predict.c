/* The predictions of attend fit: lines of x and y, as a table or as JSON. */
#include <string.h>

#include "base/json_write.h"
#include "base/memory.h"
#include "base/number.h"
#include "cli/fit.h"

static void prediction_json(at_str *out, const at_point_table *names, const double *x, double y)
{
    at_json_out j = {.out = out};
    at_json_object(&j, NULL);
    for (int c = 0; c < names->columns; c++)
        at_json_real(&j, names->x_name[c], x[c], 0);
    at_json_real(&j, names->y_name, y, 6);
    at_json_end(&j);
    at_str_add(out, "\n");
}

static void prediction(at_str *out, const at_point_table *names, const double *x, double y)
{
    char number[32];
    for (int c = 0; c < names->columns; c++)
        at_str_print(out, "%s,", at_number_print(number, x[c]));
    at_str_print(out, "%.6g\n", y);
}

static void column_name(at_str *out, const char *name)
{
    bool quoted = strpbrk(name, ",\"") != NULL;
    at_str_add(out, quoted ? "\"" : "");
    for (; *name; name++)
        at_str_print(out, *name == '"' ? "\"%c" : "%c", *name);
    at_str_add(out, quoted ? "\"" : "");
}

static void column_names(at_str *out, const at_point_table *names)
{
    for (int c = 0; c < names->columns; c++) {
        column_name(out, names->x_name[c]);
        at_str_add(out, ",");
    }
    column_name(out, names->y_name);
    at_str_add(out, "\n");
}

attend_status at_fit_predict(const at_fitted *f, const at_point_table *wanted, bool json,
                             attend_error *err)
{
    double *y = at_alloc(wanted->rows * sizeof *y);
    if (!y)
        return at_error_memory(err);
    attend_status status = attend_pooling_predict(f->pooling, at_fit_best(f), wanted->rows,
                                                  wanted->x, y, err);
    at_str text = {0};
    if (!json)
        column_names(&text, f->points);
    for (size_t i = 0; i < wanted->rows && status >= 0; i++)
        (json ? prediction_json : prediction)(&text, f->points,
                                              wanted->x + i * (size_t)f->points->columns, y[i]);
    at_free(y);
    if (status >= 0)
        return at_cli_write(&text, err);
    at_str_free(&text);
    return status;
}
