/* attend_pooling: predictions of a fit, and its file. */
#include "api/pooling.h"

#include <limits.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "store/safetensors.h"

/* ---- the handle ------------------------------------------------------------------------- */

attend_status at_pooling_plan_read(const char *attention, const char *kernel, double width,
                                   at_pooling_plan *plan, attend_error *err)
{
    at_how how;
    attend_status status = at_how_parse(&how, attention ? attention : "gaussian-w:vector", err);
    if (status < 0)
        return status;
    if (!how.score->of_distance)
        return at_error(err, ATTEND_OPTION,
                        "a fit weighs points by their distance: gaussian-w, gaussian-w:vector or "
                        "gaussian, not %s",
                        how.score->about.name);
    if (!how.scope->sees_all || !how.pick->is_softmax || how.heads)
        return at_error(
            err, ATTEND_OPTION,
            "a fit sees all points, softly, with one head: leave out what follows %s in "
            "'%.60s'",
            how.score->about.name, attention);
    if (!(width >= 0) || !isfinite(width))
        return at_error(err, ATTEND_OPTION, "a kernel's width is positive, not %g", width);
    *plan = (at_pooling_plan){.learned = how.score->learns_width,
                              .each = how.score_values.given > 0,
                              .kernel = at_kernel_find(kernel ? kernel : "gaussian", err),
                              .width = width};
    return plan->kernel ? ATTEND_OK : ATTEND_OPTION;
}

attend_status at_pooling_wrap(size_t rows, int columns, const double *x, const double *y,
                              const at_pooling_plan *plan, attend_pooling **out, attend_error *err)
{
    attend_pooling *p = at_alloc_zero(1, sizeof *p);
    *out = NULL;
    if (!p)
        return at_error_memory(err);
    p->learned = plan->learned;
    p->kernel = (at_pooling_way){.kernel = plan->kernel, .width = plan->width};
    attend_status status = at_pooling_new(rows, columns, x, y, plan->each, &p->model, err);
    if (status >= 0 && !(p->weight = at_alloc_zero((size_t)columns, sizeof *p->weight)))
        status = at_error_memory(err);
    if (status < 0)
        attend_pooling_free(p);
    else
        *out = p;
    return status;
}

void attend_pooling_free(attend_pooling *p)
{
    if (!p)
        return;
    at_pooling_free(p->model);
    json_decref(p->names);
    at_free(p->weight);
    at_free(p);
}

size_t attend_pooling_rows(const attend_pooling *p) { return (size_t)p->model->rows; }
int attend_pooling_columns(const attend_pooling *p) { return p->model->columns; }
const double *attend_pooling_x(const attend_pooling *p) { return p->model->x; }
const double *attend_pooling_y(const attend_pooling *p) { return p->model->y; }
const double *attend_pooling_weight(const attend_pooling *p)
{
    return p->learned ? p->weight : NULL;
}
const char *attend_pooling_kernel(const attend_pooling *p) { return p->kernel.kernel->about.name; }
double attend_pooling_width(const attend_pooling *p) { return p->kernel.width; }

void attend_pooling_widths(const attend_pooling *p, double *least, double *most)
{
    at_pooling_widths(p->model, least, most);
}

/* ---- predictions ------------------------------------------------------------------------ */

static attend_status choose(const attend_pooling *p, attend_pooling_kind kind, at_pooling_way *way,
                            attend_error *err)
{
    if (kind < ATTEND_POOLING_AVERAGE || kind > ATTEND_POOLING_LEARNED)
        return at_error(err, ATTEND_OPTION, "pooling: there is no kind %d", (int)kind);
    *way = kind == ATTEND_POOLING_AVERAGE  ? (at_pooling_way){&at_kernel_constant, 1}
           : kind == ATTEND_POOLING_KERNEL ? p->kernel
                                           : (at_pooling_way){NULL, 0};
    if (!way->kernel && !p->learned)
        return at_error(err, ATTEND_OPTION,
                        "pooling: nothing was learned here; fit with the attention gaussian-w");
    return ATTEND_OK;
}

attend_status attend_pooling_predict(const attend_pooling *p, attend_pooling_kind kind, size_t rows,
                                     const double *x, double *y, attend_error *err)
{
    at_pooling_way way;
    attend_status status = choose(p, kind, &way, err);
    return status < 0 ? status : at_pooling_predict(p->model, way, rows, x, y, NULL, err);
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
    status = at_pooling_predict(p->model, way, rows, x, y, weights, err);
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
    return at_pooling_left_out(p->model, way, (size_t)p->model->rows, NULL, y, err);
}

attend_status attend_pooling_error(const attend_pooling *p, attend_pooling_kind kind, double *error,
                                   attend_error *err)
{
    at_pooling_way way;
    attend_status status = choose(p, kind, &way, err);
    if (status < 0)
        return status;
    return at_pooling_error(p->model, way, (size_t)p->model->rows, NULL, error, err);
}

attend_status attend_pooling_error_at(const attend_pooling *p, double width, double *error,
                                      attend_error *err)
{
    if (!(width > 0) || !isfinite(width))
        return at_error(err, ATTEND_OPTION, "a kernel's width is positive, not %g", width);
    return at_pooling_error_at(p->model, p->kernel.kernel, width, error, err);
}

/* ---- the file --------------------------------------------------------------------------- */

/* The note "data" says which tensors are no parameters, for whoever counts them. */
attend_status attend_pooling_save(const attend_pooling *p, const char *path, attend_error *err)
{
    const at_pooling *m = p->model;
    char width[32];
    const char *attention = !p->learned ? "gaussian" : m->each ? "gaussian-w:vector" : "gaussian-w";
    at_str names = {0};
    bool well = at_pooling_write_names(p, &names);
    const at_metadata notes[] = {{"model_type", "pooling"},
                                 {"attention", attention},
                                 {"kernel", p->kernel.kernel->about.name},
                                 {"width", at_number_print(width, p->kernel.width)},
                                 {"data", "x y"},
                                 {"names", at_str_text(&names)}};
    at_to_store tensors[] = {
        at_store_data("x", ATTEND_DTYPE_F64, SHAPE(m->rows, m->columns), m->x),
        at_store_data("y", ATTEND_DTYPE_F64, SHAPE(m->rows), m->y),
        at_store_data("weight", ATTEND_DTYPE_F64, SHAPE(m->each ? m->columns : 1), p->weight),
    };
    attend_status status = well ? at_safetensors_save(path, tensors, p->learned ? 3 : 2, notes,
                                                      names.length ? 6 : 5, err)
                                : at_error_memory(err);
    at_str_free(&names);
    return status;
}

typedef struct {
    at_pooling_plan plan;
    const at_stored *about[3];
    double *x, *y, *weight;
} contents;

/* a tensor of doubles, copied since those of a file need not be aligned */
static attend_status load_doubles(const at_safetensors *file, const char *path, const char *name,
                                  int rank, const at_stored **stored, double **out,
                                  attend_error *err)
{
    const at_stored *t = at_safetensors_find(file, name);
    if (!t || t->dtype != ATTEND_DTYPE_F64 || t->rank != rank)
        return at_error(err, ATTEND_FORMAT,
                        "%s: no tensor %s of type F64 and rank %d; is this a file of attend fit?",
                        at_show(path).text, name, rank);
    attend_status status = at_safetensors_verify(file, t, err);
    if (status < 0)
        return status;
    *stored = t;
    *out = at_alloc(t->bytes);
    if (!*out)
        return at_error_memory(err);
    memcpy(*out, t->data, t->bytes);
    return ATTEND_OK;
}

static attend_status load_plan(const at_safetensors *file, const char *path, at_pooling_plan *plan,
                               attend_error *err)
{
    const char *attention = at_safetensors_metadata(file, "attention");
    const char *kernel = at_safetensors_metadata(file, "kernel");
    const char *width = at_safetensors_metadata(file, "width");
    double h = 0;
    attend_error why;
    if (!attention || !kernel || !width || !at_number_real(width, strlen(width), &h) || !(h > 0))
        return at_error(err, ATTEND_FORMAT,
                        "%s: no notes of an attention, a kernel and its width; is this a file of "
                        "attend fit?",
                        at_show(path).text);
    if (at_pooling_plan_read(attention, kernel, h, plan, &why) < 0)
        return at_error(err, ATTEND_FORMAT, "%s: %.250s", at_show(path).text, why.message);
    return ATTEND_OK;
}

static attend_status check_sizes(const contents *c, const char *path, attend_error *err)
{
    const int64_t *x = c->about[0]->dim, *y = c->about[1]->dim;
    if (x[0] != y[0] || x[1] > INT_MAX)
        return at_error(err, ATTEND_FORMAT, "%s: sizes do not fit: x (%lld, %lld), y (%lld)",
                        at_show(path).text, (long long)x[0], (long long)x[1], (long long)y[0]);
    int64_t wanted = c->plan.each ? x[1] : 1;
    if (c->plan.learned && c->about[2]->dim[0] != wanted)
        return at_error(err, ATTEND_FORMAT, "%s: weight has %lld numbers, and x needs %lld",
                        at_show(path).text, (long long)c->about[2]->dim[0], (long long)wanted);
    return ATTEND_OK;
}

static attend_status load_contents(const at_safetensors *file, const char *path, contents *c,
                                   attend_error *err)
{
    attend_status status = load_plan(file, path, &c->plan, err);
    if (status >= 0)
        status = load_doubles(file, path, "x", 2, &c->about[0], &c->x, err);
    if (status >= 0)
        status = load_doubles(file, path, "y", 1, &c->about[1], &c->y, err);
    if (status >= 0 && c->plan.learned)
        status = load_doubles(file, path, "weight", 1, &c->about[2], &c->weight, err);
    return status < 0 ? status : check_sizes(c, path, err);
}

static attend_status take_weight(attend_pooling *p, const contents *c, attend_error *err)
{
    for (int i = 0; i < p->model->columns && c->plan.learned; i++)
        p->weight[i] = c->weight[c->plan.each ? i : 0];
    return c->plan.learned ? at_pooling_set_weight(p->model, p->weight, err) : ATTEND_OK;
}

attend_status attend_pooling_load(const char *path, attend_pooling **out, attend_error *err)
{
    at_safetensors *file;
    contents c = {.x = NULL};
    *out = NULL;
    attend_status status = at_safetensors_open(path, &file, err);
    if (status < 0)
        return status;
    status = load_contents(file, path, &c, err);
    attend_error why;
    attend_status fits = status;
    if (fits >= 0)
        fits = at_pooling_wrap((size_t)c.about[0]->dim[0], (int)c.about[0]->dim[1], c.x, c.y,
                               &c.plan, out, &why);
    if (fits >= 0)
        fits = take_weight(*out, &c, &why);
    if (status >= 0 && fits < 0)
        status = fits == ATTEND_MEMORY ? at_error_memory(err)
                                       : at_error(err, ATTEND_FORMAT, "%s: %s; fit it again",
                                                  at_show(path).text, why.message);
    if (status >= 0)
        status = at_pooling_read_names(*out, at_safetensors_metadata(file, "names"), path, err);
    if (status < 0) {
        attend_pooling_free(*out);
        *out = NULL;
    }
    at_safetensors_close(file);
    at_free(c.x);
    at_free(c.y);
    at_free(c.weight);
    return status;
}
