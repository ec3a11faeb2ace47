/* What can be refused before any data is read. */
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "data/split.h"
#include "store/features.h"
#include "train/run_parts.h"
#include "train/settings.h"

/* ---- layers --------------------------------------------------------------------------------- */

static attend_status check_layers(const at_run_settings *s, const at_model_kind *kind,
                                  attend_error *err)
{
    if (kind->depth || (s->layer_decay >= 1 && s->freeze_layers < 0))
        return ATTEND_OK;
    return at_error(err, ATTEND_OPTION, "--%s: the layers of a %s are trained alike; leave it out",
                    s->freeze_layers >= 0 ? "freeze-layers" : "layer-decay", kind->name);
}

/* ---- values -------------------------------------------------------------------------------- */

static attend_status check_watch(const char *watch, const at_task *task, attend_error *err)
{
    if (watch && at_word_place(task->metrics, watch, strlen(watch)) < 0)
        return at_error(err, ATTEND_OPTION, "--watch %.40s: a validation of %s finds: %s", watch,
                        task->name, task->metrics);
    return ATTEND_OK;
}

static attend_status check_tokenizer(const at_run_settings *s, attend_error *err)
{
    if (!s->tokenizer) /* of a task without text */
        return ATTEND_OK;
    if (at_tokenizer_kind_find(s->tokenizer) || !at_file_exists(s->tokenizer))
        return at_tokenizer_kind_check(s->tokenizer, err);
    if (s->vocabulary || s->min_count || s->lower || s->pretokenised)
        return at_error(err, ATTEND_OPTION,
                        "--tokenizer %s has its vocabulary already; leave --vocabulary, "
                        "--min-count, --lower and --pretokenised out",
                        at_show(s->tokenizer).text);
    return ATTEND_OK;
}

/* a share, a number, or a file that is there */
static attend_status check_parts(const at_run_settings *s, attend_error *err)
{
    at_fraction fraction;
    attend_error ignored;
    if (s->valid && !at_file_exists(s->valid)
        && at_fraction_parse(&fraction, s->valid, "--valid", &ignored) < 0)
        return at_error(err, ATTEND_OPTION,
                        "--valid %s: there is no such file, and it is no share; a share is 5%%, "
                        "0.05 or 1000",
                        at_show(s->valid).text);
    return at_fraction_parse(&fraction, s->test, "--test", err);
}

static attend_status check_files(const at_run_settings *s, attend_error *err)
{
    const char *file[] = {s->data, s->src, s->tgt, s->resume ? NULL : s->init_embeddings};
    if (!s->data && !s->src && !s->tgt)
        return at_error(err, ATTEND_OPTION,
                        "what is there to learn from? --data FILE, or --src FILE --tgt FILE");
    if (s->data && (s->src || s->tgt))
        return at_error(err, ATTEND_OPTION,
                        "--data has both sides; leave it out, or --src and --tgt");
    if (!s->src != !s->tgt)
        return at_error(err, ATTEND_OPTION, "--src and --tgt belong together: the %s is missing",
                        s->src ? "second" : "first");
    if (s->init_from && s->init_embeddings && !s->resume)
        return at_error(err, ATTEND_OPTION,
                        "--init-embeddings: the model of --init-from has vectors already; leave "
                        "one of the two out");
    for (size_t i = 0; i < sizeof file / sizeof *file; i++)
        if (file[i] && strcmp(file[i], "-") != 0 && access(file[i], R_OK) < 0)
            return at_file_fail(err, file[i], "cannot open");
    return ATTEND_OK;
}

/* Feature vectors are sources alone, and of some tasks. */
static attend_status check_features(const at_run *r, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    if (s->data && at_features_is(s->data))
        return at_error(err, ATTEND_OPTION,
                        "--data %s has feature vectors alone: give them as --src, and --tgt FILE "
                        "with a line for each sequence",
                        at_show(s->data).text);
    if (at_run_is_features(r) && !r->task->features)
        return at_error(err, ATTEND_OPTION,
                        "--src %s: feature vectors are for translators; the task %s takes texts",
                        at_show(s->src).text, r->task->name);
    return ATTEND_OK;
}

static attend_status check_learning(const at_run_settings *s, attend_error *err)
{
    at_optim_options optimiser;
    at_rate rate;
    attend_status status = at_optim_options_parse(&optimiser, s->optimizer, err);
    if (status < 0)
        return status;
    if (at_settings_has(s->optimizer, "lr"))
        return at_error(err, ATTEND_OPTION,
                        "--optimizer %s: the learning rate of a run is --lr; leave lr out",
                        at_show(s->optimizer).text);
    status = at_rate_parse(&rate, s->schedule, s->lr, err);
    if (status < 0 || rate.mode != ATTEND_PLATEAU_MAX)
        return status;
    return at_error(err, ATTEND_OPTION,
                    "--schedule %s: it follows the validation loss, which should fall; leave mode "
                    "out",
                    at_show(s->schedule).text);
}

attend_status at_run_check_values(const at_train_config *c, attend_error *err)
{
    attend_status status = check_watch(c->run.watch, c->task, err);
    if (status >= 0 && (status = at_model_check_settings(c->preset->kind, c->model, err)) >= 0)
        status = check_learning(&c->run, err);
    if (status >= 0)
        status = check_layers(&c->run, c->preset->kind, err);
    return status < 0 ? status : check_tokenizer(&c->run, err);
}

/* ---- phases -------------------------------------------------------------------------------- */

attend_status at_run_check_settings(at_run *r, attend_error *err)
{
    attend_status status = at_run_check_values(r->config, err);
    return status < 0 ? status : check_parts(&r->settings, err);
}

attend_status at_run_check_files(at_run *r, attend_error *err)
{
    attend_status status = check_files(&r->settings, err);
    if (status >= 0)
        status = check_features(r, err);
    return status < 0 || !r->task->check ? status : r->task->check(r, err);
}
