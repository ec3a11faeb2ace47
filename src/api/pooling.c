/* attend_pooling: the handle of a model of kind pooling. */
#include "api/pooling.h"

#include <math.h>

#include "base/memory.h"
#include "store/model_folder.h"
#include "store/pooling_file.h"

/* ---- the handle ------------------------------------------------------------------------- */

attend_status at_pooling_wrap(at_model *model, attend_pooling **out, attend_error *err)
{
    attend_pooling *p = *out = at_alloc(sizeof *p);
    if (!p) {
        at_model_free(model);
        return at_error_memory(err);
    }
    *p = (attend_pooling){model, model->net};
    return ATTEND_OK;
}

attend_status attend_pooling_open(const char *path, attend_pooling **out, attend_error *err)
{
    at_model *model;
    *out = NULL;
    attend_status status = at_pooling_file_open(path, &model, err);
    return status < 0 ? status : at_pooling_wrap(model, out, err);
}

attend_status attend_pooling_save(const attend_pooling *p, const char *path, attend_error *err)
{
    return at_model_save(p->model, path, err);
}

attend_status attend_pooling_set_names(attend_pooling *p, const char *const *names,
                                       attend_error *err)
{
    return at_pooling_set_names(p->model, names, err);
}

const char *attend_pooling_name(const attend_pooling *p, int column)
{
    return column < 0 || column > p->net->columns || !p->net->names ? NULL : p->net->names[column];
}

void attend_pooling_free(attend_pooling *p)
{
    if (!p)
        return;
    at_model_free(p->model);
    at_free(p);
}

size_t attend_pooling_rows(const attend_pooling *p) { return (size_t)p->net->rows; }
int attend_pooling_columns(const attend_pooling *p) { return p->net->columns; }
const double *attend_pooling_x(const attend_pooling *p) { return p->net->x; }
const double *attend_pooling_y(const attend_pooling *p) { return p->net->y; }
const double *attend_pooling_weight(const attend_pooling *p)
{
    return p->net->settings->learned ? p->net->weight : NULL;
}
const char *attend_pooling_kernel(const attend_pooling *p)
{
    return p->net->settings->kernel->about.name;
}
double attend_pooling_width(const attend_pooling *p) { return p->net->settings->width; }

void attend_pooling_widths(const attend_pooling *p, double *least, double *most)
{
    at_pooling_widths(p->net, least, most);
}

/* ---- predictions ------------------------------------------------------------------------ */

static attend_status choose(const attend_pooling *p, attend_pooling_kind kind, at_pooling_way *way,
                            attend_error *err)
{
    if (kind < ATTEND_POOLING_AVERAGE || kind > ATTEND_POOLING_LEARNED)
        return at_error(err, ATTEND_OPTION, "pooling: there is no kind %d", (int)kind);
    const at_pooling_settings *s = p->net->settings;
    *way = kind == ATTEND_POOLING_AVERAGE  ? (at_pooling_way){&at_kernel_constant, 1}
           : kind == ATTEND_POOLING_KERNEL ? (at_pooling_way){s->kernel, s->width}
                                           : (at_pooling_way){NULL, 0};
    if (!way->kernel && !s->learned)
        return at_error(err, ATTEND_OPTION,
                        "pooling: nothing was learned here; fit with the attention gaussian-w");
    return ATTEND_OK;
}

attend_status attend_pooling_predict(const attend_pooling *p, attend_pooling_kind kind, size_t rows,
                                     const double *x, double *y, attend_error *err)
{
    at_pooling_way way;
    attend_status status = choose(p, kind, &way, err);
    return status < 0 ? status : at_pooling_predict(p->net, way, rows, x, y, NULL, err);
}

attend_status attend_pooling_attention(const attend_pooling *p, attend_pooling_kind kind,
                                       size_t rows, const double *x, double *weights,
                                       attend_error *err)
{
    at_pooling_way way;
    attend_status status = choose(p, kind, &way, err);
    size_t bytes;
    if (status < 0)
        return status;
    double *y = at_size_multiply(rows ? rows : 1, sizeof *y, &bytes) ? at_alloc(bytes) : NULL;
    if (!y)
        return at_error_memory(err);
    status = at_pooling_predict(p->net, way, rows, x, y, weights, err);
    at_free(y);
    return status;
}

attend_status attend_pooling_left_out(const attend_pooling *p, attend_pooling_kind kind, double *y,
                                      attend_error *err)
{
    at_pooling_way way;
    attend_status status = choose(p, kind, &way, err);
    if (status < 0)
        return status;
    return at_pooling_left_out(p->net, way, (size_t)p->net->rows, NULL, y, err);
}

attend_status attend_pooling_error(const attend_pooling *p, attend_pooling_kind kind, double *error,
                                   attend_error *err)
{
    at_pooling_way way;
    attend_status status = choose(p, kind, &way, err);
    if (status < 0)
        return status;
    return at_pooling_error(p->net, way, (size_t)p->net->rows, NULL, error, err);
}

attend_status attend_pooling_error_at(const attend_pooling *p, double width, double *error,
                                      attend_error *err)
{
    if (!(width > 0) || !isfinite(width))
        return at_error(err, ATTEND_OPTION, "a kernel's width is positive, not %g", width);
    return at_pooling_error_at(p->net, p->net->settings->kernel, width, error, err);
}
