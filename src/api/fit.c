/* attend_fit: training of the pooling model. */
#include <string.h>

#include "api/options.h"
#include "api/pooling.h"
#include "base/memory.h"
#include "base/random.h"
#include "train/gradients.h"
#include "train/optim.h"
#include "train/schedule.h"

/* ---- training --------------------------------------------------------------------------- */

void attend_fit_defaults(attend_fit_options *o)
{
    *o = (attend_fit_options){.size = sizeof *o,
                              .attention = "gaussian-w:vector",
                              .kernel = "gaussian",
                              .width = 1,
                              .steps = 300,
                              .rate = 0.1};
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

/* the caller's options, or the defaults */
static attend_status read_options(const attend_fit_options *given, attend_fit_options *o,
                                  attend_error *err)
{
    attend_fit_defaults(o);
    attend_status status = at_options_accept(o, sizeof *o, given, "attend_fit_defaults", err);
    if (status < 0)
        return status;
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
    at_pooling_way learned = {.kernel = NULL};
    at_tensor *error = at_pooling_loss(t->tape, model, learned, t->batch_rows, t->batch);
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
        attend_fit_event e = {.step = step + 1, .steps = options->steps};
        status = train_step(&t, model, step, &e.loss, err);
        if (status >= 0 && options->function)
            status = options->function(options->user, &e, err);
    }
    training_end(&t);
    return status;
}

/* ---- a fit ------------------------------------------------------------------------------ */

/* From the best start, keeping the better end of the way: steps on parts of the points may lose
 * what the start had. */
static attend_status learn(at_pooling *p, const attend_fit_options *o, attend_error *err)
{
    const at_pooling_way learned = {.kernel = NULL};
    size_t rows = (size_t)p->rows;
    double before, after;
    bool stopped = false;
    attend_status status = at_pooling_start(p, err);
    at_pooling_weight(p, p->weight);
    if (status >= 0 && (status = at_pooling_error(p, learned, rows, NULL, &before, err)) >= 0)
        status = train(p, o, err);
    if ((stopped = status == ATTEND_STOPPED))
        status = ATTEND_OK;
    if (status >= 0)
        status = at_pooling_error(p, learned, rows, NULL, &after, err);
    if (status >= 0 && !(after <= before))
        status = at_pooling_set_weight(p, p->weight, err);
    at_pooling_weight(p, p->weight);
    return status >= 0 && stopped ? ATTEND_STOPPED : status;
}

static attend_status fit(at_pooling *p, const attend_fit_options *o, attend_error *err)
{
    at_pooling_settings *s = p->settings;
    attend_status status = ATTEND_OK;
    if (s->width == 0)
        status = at_pooling_best_width(p, s->kernel, &s->width, err);
    return status < 0 || !s->learned ? status : learn(p, o, err);
}

attend_status attend_fit(size_t rows, int columns, const double *x, const double *y,
                         const attend_fit_options *options, attend_pooling **out, attend_error *err)
{
    attend_fit_options all;
    at_pooling_settings settings;
    at_model *model;
    *out = NULL;
    attend_status status = read_options(options, &all, err);
    if (status >= 0)
        status = at_pooling_settings_read(all.attention, all.kernel, all.width, &settings, err);
    if (status >= 0)
        status = at_pooling_new(rows, columns, x, y, &settings, &model, err);
    if (status < 0)
        return status;
    status = fit(model->net, &all, err);
    if (status < 0 && status != ATTEND_STOPPED) {
        at_model_free(model);
        return status;
    }
    attend_status wrapped = at_pooling_wrap(model, out, err);
    return wrapped < 0 ? wrapped : status;
}
