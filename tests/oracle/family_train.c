/* Trajectories of short AdamW runs, each from the model and the batch of another case: the loss and
 * the norm of the gradient at every step, the learning rates, and the weights in the end. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bert_case.h"
#include "lm_case.h"
#include "models/bert.h"
#include "store/model_folder.h"
#include "train/trainer.h"
#include "xlnet_case.h"

static const at_tolerance tolerance_step = {0, 1e-3};
static const at_tolerance tolerance_rate = {0, 1e-9};

enum { MAX_STEPS = 1000 };

/* ---- the run -------------------------------------------------------------------------------- */

typedef struct {
    int steps;
    double loss[MAX_STEPS], norm[MAX_STEPS], rate[MAX_STEPS];
} course;

static attend_status options_of(const at_case *c, at_trainer_options *o, attend_error *err)
{
    char optimiser[128], schedule[64];
    snprintf(optimiser, sizeof optimiser, "adamw:weight_decay=%.9g,no_decay=norms+biases",
             at_case_number(c, "settings.wd", 0));
    snprintf(schedule, sizeof schedule, "linear:warmup=%d,total=%d",
             at_case_int(c, "settings.warmup", 0), at_case_int(c, "settings.steps", 0));
    *o = (at_trainer_options){.accumulate = 1, .clip = at_case_number(c, "settings.clip", 0)};
    attend_status status = at_rate_parse(&o->rate, schedule, at_case_number(c, "settings.lr", 0),
                                         err);
    return status < 0 ? status : at_optim_options_parse(&o->optim, optimiser, err);
}

static attend_status run(const at_case *c, at_params *params, at_shard_loss *loss, void *user,
                         course *out, attend_error *err)
{
    at_trainer_options o;
    at_trainer *t = NULL;
    attend_status status = options_of(c, &o, err);
    if (status >= 0)
        status = at_trainer_new(params, &o, &t, err);
    for (int i = 0; i < out->steps && status >= 0; i++) {
        at_step_result r;
        status = at_trainer_step(t, 1, (int[]){0, 1}, loss, user, &r, err);
        if (status >= 0) {
            out->loss[i] = r.loss;
            out->norm[i] = r.norm;
            out->rate[i] = r.rate;
        }
    }
    at_trainer_free(t);
    return status;
}

/* ---- comparing ------------------------------------------------------------------------------ */

/* each number by its own size */
static void compare_list(at_case *c, const char *name, const double *got, int n, at_tolerance limit)
{
    json_t *want = at_case_json(c, name);
    if ((int)json_array_size(want) != n)
        at_case_fail(c, "expected.json: %s has not %d numbers", name, n);
    for (int i = 0; i < n && i < (int)json_array_size(want); i++) {
        double expected = json_number_value(json_array_get(want, (size_t)i));
        char what[64];
        snprintf(what, sizeof what, "%s[%d]", name, i);
        at_case_compare_numbers(c, what, 1, &got[i], &expected, limit);
    }
}

/* a part of these has a gradient of zero but for rounding, which Adam makes large */
static bool moves_by_noise(const char *name)
{
    return strstr(name, "c_attn.bias") || strstr(name, "key.bias");
}

static void compare_weights(at_case *c, const at_params *params, const char *prefix)
{
    const char *name;
    json_t *value;
    json_object_foreach(at_case_json(c, "final_param_l2"), name, value)
    {
        size_t n = strlen(prefix);
        const at_parameter *p = at_params_find(params, name);
        double sum = 0, expected = json_number_value(value);
        if (!p && strncmp(name, prefix, n) == 0)
            p = at_params_find(params, name + n);
        if (!p)
            at_case_fail(c, "there is no parameter %s", name);
        if (!p || moves_by_noise(name))
            continue;
        for (size_t i = 0; i < p->len; i++)
            sum += (double)p->value[i] * (double)p->value[i];
        sum = sqrt(sum);
        at_case_compare_numbers(c, name, 1, &sum, &expected, tolerance_step);
    }
}

/* ---- models --------------------------------------------------------------------------------- */

static at_tensor *lm_loss(void *user, at_tape *t, int shard)
{
    (void)shard;
    return at_lm_loss(t, user, NULL);
}

/* prefix: of the names of parameters that have it there and not here */
static void train(at_case *c, at_params *params, const char *prefix, at_shard_loss *loss,
                  void *user)
{
    static course all;
    attend_error err;
    all.steps = at_case_int(c, "settings.steps", 0);
    if (all.steps < 1 || all.steps > MAX_STEPS)
        at_case_fail(c, "expected.json: settings.steps is not from 1 to %d", MAX_STEPS);
    else if (run(c, params, loss, user, &all, &err) < 0)
        at_case_fail(c, "%s", err.message);
    else {
        compare_list(c, "loss", all.loss, all.steps, tolerance_step);
        compare_list(c, "grad_norm", all.norm, all.steps, tolerance_step);
        compare_list(c, "learning_rate", all.rate, all.steps, tolerance_rate);
        compare_weights(c, params, prefix);
    }
}

static void train_lm(at_case *c, at_case *from)
{
    at_lm lm;
    at_lm_open(from, &lm);
    if (from->verdict != ATTEND_CASE_OK || !lm.labels)
        at_case_fail(c, "%s: %s", from->name, from->reason);
    else
        train(c, from->params, "transformer.", lm_loss, &lm);
    at_lm_close(&lm);
}

typedef struct {
    at_xlnet_case open;
    at_ids labels;
} xlnet;

static at_tensor *xlnet_loss(void *user, at_tape *t, int shard)
{
    const xlnet *x = user;
    (void)shard;
    return at_xlnet_case_loss(t, &x->open, x->labels);
}

static void train_xlnet(at_case *c, at_case *from)
{
    xlnet x;
    if (at_xlnet_case_open(from, &x.open) && !x.open.in.memory
        && (x.labels = at_case_ids(from, "labels")).id)
        train(c, from->params, "transformer.", xlnet_loss, &x);
    else
        at_case_fail(c, "%s: %s", from->name, from->reason);
}

typedef struct {
    at_model *model; /* opened as a user's folder is */
    at_inputs in;
    at_ids labels;
} bert;

static at_tensor *bert_loss(void *user, at_tape *t, int shard)
{
    const bert *b = user;
    (void)shard;
    at_classified y = b->model->kind->classify(t, b->model, &b->in, false);
    return at_cross_entropy(t, y.logits, b->labels, (at_cross_entropy_options){.ignore = -100});
}

static void train_bert(at_case *c, at_case *from)
{
    attend_error err;
    bert b = {.in = {.ids = at_case_ids(from, "input_ids"),
                     .segments = at_case_ids(from, "token_type_ids").id,
                     .mask = at_bert_case_mask(from)},
              .labels = at_case_ids(from, "labels")};
    attend_status status = at_model_open(from->path, &b.model, &err);
    if (status >= 0)
        status = at_params_take(b.model->params, &err);
    if (status < 0)
        at_case_fail(c, "%s", err.message);
    else if (!b.in.ids.id || !b.labels.id || !(at_model_can(b.model) & ATTEND_CAN_CLASSIFY))
        at_case_fail(c, "%s has no classes, or no labels", from->name);
    else {
        at_bert *net = b.model->net;
        net->dropout = net->attention_dropout = net->head_dropout = 0;
        train(c, b.model->params, "bert.", bert_loss, &b);
    }
    if (status >= 0)
        at_model_free(b.model);
}

static void (*trainer_of(const char *name))(at_case *, at_case *)
{
    return strncmp(name, "gpt2/", 5) == 0    ? train_lm
           : strncmp(name, "xlnet/", 6) == 0 ? train_xlnet
           : strncmp(name, "bert/", 5) == 0  ? train_bert
                                             : NULL;
}

void at_check_train(at_case *c)
{
    const char *name = at_case_text(c, "model_and_batch");
    char path[PATH_MAX], copy[ATTEND_CASE_NAME];
    at_case from;
    void (*train_one)(at_case *, at_case *) = trainer_of(name);
    if (!train_one) {
        at_case_unknown(c, "model_and_batch: unknown family '%s'", name);
        return;
    }
    snprintf(copy, sizeof copy, "%s", name);
    snprintf(path, sizeof path, "%s/%s", c->root, name);
    at_case_open(&from, c->root, &(at_found){.name = copy, .path = path});
    if (from.verdict != ATTEND_CASE_OK)
        at_case_fail(c, "%s: %s", name, from.reason);
    else
        train_one(c, &from);
    at_case_close(&from);
}
