/* attend_fit and attend_pooling: training of the pooling model, and its file. */
#include <limits.h>
#include <string.h>

#include "attend.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "models/pooling.h"
#include "store/safetensors.h"
#include "train/gradients.h"
#include "train/optim.h"
#include "train/schedule.h"

struct attend_pooling {
    at_pooling *model;
    double *weight; /* [columns], in the units of the data */
};

/* ---- training --------------------------------------------------------------------------- */

void attend_fit_defaults(attend_fit_options *o)
{
    *o = (attend_fit_options){.size = sizeof *o, .steps = 300, .rate = 0.1};
}

/* everything that one training needs beside the model */
typedef struct {
    attend_fit_options options;
    at_rate rate;
    at_optim *optim;
    at_gradients *gradients;
    at_tape *tape;
    uint32_t *order, *batch; /* the points in a random order; those of this step */
    int rows, batch_rows;
} training;

/* the caller's options; one compiled with an older header has fewer members, and the defaults for
 * the rest */
static attend_status read_options(const attend_fit_options *given, attend_fit_options *o,
                                  attend_error *err)
{
    attend_fit_defaults(o);
    if (!given)
        return ATTEND_OK;
    if (given->size < sizeof given->size || given->size > sizeof *o)
        return at_error(err, ATTEND_OPTION,
                        "attend_fit: options of %zu bytes; fill them with attend_fit_defaults",
                        given->size);
    memcpy(o, given, given->size);
    if (o->steps < 0 || o->batch < 0 || !(o->rate > 0) || !isfinite(o->rate))
        return at_error(err, ATTEND_OPTION,
                        "attend_fit: steps %d, rate %g, batch %d: the rate must be positive, the "
                        "others not negative",
                        o->steps, o->rate, o->batch);
    return ATTEND_OK;
}

/* all points, or as many as make a quarter of a million attention weights */
static int batch_rows(const attend_fit_options *o, int rows)
{
    int quick = (1 << 18) / rows;
    int wanted = o->batch ? o->batch : quick > 32 ? quick : 32;
    return wanted < rows ? wanted : rows;
}

static attend_status training_start(training *t, at_pooling *model, attend_error *err)
{
    at_optim_options adam;
    attend_status status = at_optim_options_init(&adam, "adam", err);
    if (status >= 0)
        status = at_rate_init(&t->rate, "linear", t->options.rate, err);
    if (status < 0)
        return status;
    t->rate.total = t->options.steps;
    adam.lr = t->options.rate;
    t->rows = model->rows;
    t->batch_rows = batch_rows(&t->options, t->rows);
    t->order = at_alloc((size_t)t->rows * sizeof *t->order);
    t->batch = at_alloc((size_t)t->batch_rows * sizeof *t->batch);
    t->gradients = at_gradients_new(model->params);
    t->tape = at_tape_new(model->params, ATTEND_TRAIN);
    if (!t->order || !t->batch || !t->gradients || !t->tape)
        return at_error_memory(err);
    at_random place = {.seed = t->options.seed, .use = at_random_name("fit")};
    at_random_permutation(place, (uint32_t)t->rows, t->order);
    return at_optim_new(model->params, &adam, &t->optim, err);
}

static void training_end(training *t)
{
    at_optim_free(t->optim);
    at_gradients_free(t->gradients);
    at_tape_free(t->tape);
    at_free(t->order);
    at_free(t->batch);
}

/* the next points in the random order, round and round */
static void choose_batch(training *t, int step)
{
    long long first = (long long)step * t->batch_rows % t->rows;
    for (int i = 0; i < t->batch_rows; i++)
        t->batch[i] = t->order[(first + i) % t->rows];
}

static attend_status train_step(training *t, const at_pooling *model, int step, double *loss,
                                attend_error *err)
{
    at_tape_reset(t->tape);
    choose_batch(t, step);
    at_tensor *weight = at_pooling_param(t->tape, model);
    at_tensor *error = at_pooling_loss(t->tape, model, weight, t->batch_rows, t->batch);
    at_backward(t->tape, error);
    attend_status status = at_gradients_add(t->gradients, t->tape, 1, err);
    if (status < 0)
        return status;
    *loss = (double)error->value[0] * model->y_unit * model->y_unit;
    at_optim_set_lr(t->optim, at_rate_at(&t->rate, step));
    status = at_optim_step(t->optim, t->gradients, err);
    at_gradients_clear(t->gradients);
    if (status < 0 || (isfinite(*loss) && at_pooling_sound(model)))
        return status;
    return at_error(err, ATTEND_NUMBER,
                    "step %d: w left the range of numbers; use a smaller rate "
                    "than %g",
                    step + 1, t->options.rate);
}

static attend_status train(at_pooling *model, const attend_fit_options *options, attend_error *err)
{
    training t = {.options = *options};
    attend_status status = training_start(&t, model, err);
    for (int step = 0; step < t.options.steps && status >= 0; step++) {
        double loss;
        status = train_step(&t, model, step, &loss, err);
        if (status >= 0 && options->progress
            && options->progress(options->user, step + 1, options->steps, loss) != 0)
            break;
    }
    training_end(&t);
    return status;
}

/* ---- the handle ------------------------------------------------------------------------- */

static attend_status wrap(size_t rows, int columns, const double *x, const double *y,
                          attend_pooling **out, attend_error *err)
{
    attend_pooling *p = at_alloc_zero(1, sizeof *p);
    *out = NULL;
    if (!p)
        return at_error_memory(err);
    attend_status status = at_pooling_new(rows, columns, x, y, &p->model, err);
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
    at_free(p->weight);
    at_free(p);
}

attend_status attend_fit(size_t rows, int columns, const double *x, const double *y,
                         const attend_fit_options *options, attend_pooling **out, attend_error *err)
{
    attend_fit_options all;
    attend_pooling *p = NULL;
    *out = NULL;
    attend_status status = read_options(options, &all, err);
    if (status >= 0)
        status = wrap(rows, columns, x, y, &p, err);
    if (status >= 0)
        status = train(p->model, &all, err);
    if (status < 0) {
        attend_pooling_free(p);
        return status;
    }
    at_pooling_weight(p->model, p->weight);
    *out = p;
    return ATTEND_OK;
}

/* w of a kind; to be freed where it is not the learned one */
static double *weight_of(const attend_pooling *p, attend_pooling_kind kind)
{
    size_t columns = (size_t)p->model->columns;
    double *weight = at_alloc_zero(columns, sizeof *weight);
    for (size_t c = 0; weight && c < columns; c++)
        weight[c] = kind == ATTEND_POOLING_AVERAGE  ? 0
                    : kind == ATTEND_POOLING_KERNEL ? 1
                                                    : p->weight[c];
    return weight;
}

attend_status attend_pooling_predict(const attend_pooling *p, attend_pooling_kind kind, size_t rows,
                                     const double *x, double *y, attend_error *err)
{
    double *weight = weight_of(p, kind);
    if (!weight)
        return at_error_memory(err);
    attend_status status = at_pooling_predict(p->model, weight, rows, x, y, err);
    at_free(weight);
    return status;
}

attend_status attend_pooling_error(const attend_pooling *p, attend_pooling_kind kind, double *error,
                                   attend_error *err)
{
    double *weight = weight_of(p, kind);
    if (!weight)
        return at_error_memory(err);
    attend_status status = at_pooling_error(p->model, weight, error, err);
    at_free(weight);
    return status;
}

size_t attend_pooling_rows(const attend_pooling *p) { return (size_t)p->model->rows; }
int attend_pooling_columns(const attend_pooling *p) { return p->model->columns; }
const double *attend_pooling_x(const attend_pooling *p) { return p->model->x; }
const double *attend_pooling_y(const attend_pooling *p) { return p->model->y; }
const double *attend_pooling_weight(const attend_pooling *p) { return p->weight; }

/* ---- the file --------------------------------------------------------------------------- */

attend_status attend_pooling_save(const attend_pooling *p, const char *path, attend_error *err)
{
    const at_pooling *m = p->model;
    static const at_metadata notes[] = {{"model_type", "pooling"}};
    at_to_store tensors[] = {
        at_store_data("weight", ATTEND_DTYPE_F64, SHAPE(m->columns), p->weight),
        at_store_data("x", ATTEND_DTYPE_F64, SHAPE(m->rows, m->columns), m->x),
        at_store_data("y", ATTEND_DTYPE_F64, SHAPE(m->rows), m->y),
    };
    return at_safetensors_save(path, tensors, 3, notes, 1, err);
}

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
    *stored = t;
    *out = at_alloc(t->bytes);
    if (!*out)
        return at_error_memory(err);
    memcpy(*out, t->data, t->bytes);
    return ATTEND_OK;
}

typedef struct {
    const at_stored *about[3];
    double *weight, *x, *y;
} contents;

static attend_status load_contents(const at_safetensors *file, const char *path, contents *c,
                                   attend_error *err)
{
    attend_status status = load_doubles(file, path, "weight", 1, &c->about[0], &c->weight, err);
    if (status >= 0)
        status = load_doubles(file, path, "x", 2, &c->about[1], &c->x, err);
    if (status >= 0)
        status = load_doubles(file, path, "y", 1, &c->about[2], &c->y, err);
    if (status < 0)
        return status;
    const int64_t *w = c->about[0]->dim, *x = c->about[1]->dim, *y = c->about[2]->dim;
    if (x[0] != y[0] || x[1] != w[0] || x[1] > INT_MAX)
        return at_error(
            err, ATTEND_FORMAT, "%s: sizes do not fit: weight (%lld), x (%lld, %lld), y (%lld)",
            at_show(path).text, (long long)w[0], (long long)x[0], (long long)x[1], (long long)y[0]);
    return ATTEND_OK;
}

attend_status attend_pooling_load(const char *path, attend_pooling **out, attend_error *err)
{
    at_safetensors *file;
    contents c = {.weight = NULL};
    *out = NULL;
    attend_status status = at_safetensors_open(path, &file, err);
    if (status < 0)
        return status;
    status = load_contents(file, path, &c, err);
    if (status >= 0)
        status = wrap((size_t)c.about[1]->dim[0], (int)c.about[1]->dim[1], c.x, c.y, out, err);
    if (status >= 0)
        status = at_pooling_set_weight((*out)->model, c.weight, err);
    if (status >= 0)
        memcpy((*out)->weight, c.weight, c.about[0]->bytes);
    else {
        attend_pooling_free(*out);
        *out = NULL;
    }
    at_safetensors_close(file);
    at_free(c.weight);
    at_free(c.x);
    at_free(c.y);
    return status;
}
