#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/threads.h"
#include "store/weights.h"
#include "train/retained.h"
#include "train/run_parts.h"

/* ---- small things --------------------------------------------------------------------------- */

/* They come every so many batches, behind the update that these are part of; the last step has one
 * anyway. */
static int64_t validations_left(const at_run *r)
{
    const at_run_settings *s = &r->settings;
    int64_t every = s->validate_every ? (int64_t)s->validate_every * s->accumulate
                    : r->batches      ? (int64_t)at_batches_in_epoch(r->batches)
                                      : 0;
    if (every == 0 || r->steps == 0)
        return 0;
    return (r->steps * s->accumulate + every - 1) / every
           - r->state.updates * s->accumulate / every;
}

/* epochs that the run takes, the last one perhaps in part */
static int epochs_of(const at_run *r)
{
    int64_t n = r->batches ? (int64_t)at_batches_in_epoch(r->batches) : 0;
    if (!r->settings.steps || n == 0)
        return r->settings.epochs;
    return (int)((r->steps * r->settings.accumulate + n - 1) / n);
}

void at_run_report(at_run *r, attend_train_event e)
{
    e.steps = r->steps;
    e.epochs = epochs_of(r);
    e.unit = r->task->unit;
    e.validations = validations_left(r);
    e.validation = r->valid_targets;
    if (!r->hooks.report || r->ended < 0)
        return;
    attend_status status = r->hooks.report(r->hooks.user, &e, &r->why);
    if (status < 0 && status != ATTEND_STOPPED)
        r->ended = status;
    if (status != ATTEND_OK)
        r->answer = status < 0 ? 1 : status == ATTEND_CHECKPOINT ? -1 : r->answer;
}

void at_run_say(at_run *r, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    at_printable(text);
    at_run_report(r, (attend_train_event){.kind = ATTEND_TRAIN_SAYS, .text = text});
}

char *at_run_path(const at_run *r, const char *name) { return at_file_join(r->settings.out, name); }

/* ---- life ---------------------------------------------------------------------------------- */

attend_status at_run_new(const at_train_config *config, const at_run_hooks *hooks, at_run **out,
                         attend_error *err)
{
    const at_run_settings *s = &config->run;
    int batch = (int)at_run_batch(s);
    at_run *r = *out = at_alloc_zero(1, sizeof *r);
    if (!r)
        return at_error_memory(err);
    *r = (at_run){
        .config = config,
        .settings = *s,
        .hooks = *hooks,
        .task = config->task,
        .task_settings = config->own,
        .task_state = at_alloc_zero(1, config->task->state_size),
        .kind = config->preset->kind,
        .valid_batch = batch < 64 ? batch : 64,
        .state = {.best = NAN, .seed = s->seed, .shards = s->shards ? s->shards : at_threads()},
        .lock = -1};
    attend_status status = r->task_state ? at_run_prepare(r, err) : at_error_memory(err);
    if (status >= 0)
        return status;
    at_run_abandon(r);
    at_run_free(r);
    *out = NULL;
    return status;
}

void at_run_free(at_run *r)
{
    if (!r)
        return;
    if (r->task_state && r->task->free)
        r->task->free(r);
    at_free(r->task_state);
    at_trainer_free(r->trainer);
    if (r->tape)
        at_tape_free(r->tape);
    at_batches_free(r->batches);
    at_encoded_free(r->ids[0]);
    at_encoded_free(r->ids[1]);
    at_corpus_free(r->valid);
    at_corpus_free(r->corpus);
    at_free(r->part);
    at_model_free(r->model);
    at_arena_free(&r->memory);
    if (r->lock >= 0)
        close(r->lock);
    at_free(r);
}

/* ---- validation ----------------------------------------------------------------------------- */

/* the loss of the next batch, as a sum */
static attend_status batch_loss(at_run *r, at_batches *b, double *sum, attend_error *err)
{
    at_batch batch;
    at_arena_reset(&r->memory);
    attend_status status = at_batches_next(b, &r->memory, &batch, err);
    if (status >= 0)
        status = r->task->take(r, &batch, 1, err);
    if (status < 0)
        return status;
    at_tape_reset(r->tape);
    at_tensor *y = r->task->loss(r, r->tape, 0);
    if (at_failed(r->tape))
        return at_tape_status(r->tape, err);
    *sum = (double)y->value[0] * r->n_targets;
    return ATTEND_OK;
}

/* the mean loss, in the order of the corpus */
static attend_status validation_loss(at_run *r, double *loss, attend_error *err)
{
    at_plan_options plan = {.sentences = (size_t)r->valid_batch,
                            .tokens = (size_t)r->settings.batch_tokens,
                            .in_order = true};
    at_batches *b;
    double sum = 0, n_targets = 0;
    attend_status status = at_batches_new(r->supply[1], &plan, &b, err);
    if (status < 0)
        return status;
    r->validating = true;
    for (size_t i = 0, n = 1; i < n && status >= 0; i++) {
        double one = 0;
        status = batch_loss(r, b, &one, err);
        n = at_batches_in_epoch(b);
        sum += one;
        n_targets += r->n_targets;
    }
    at_batches_free(b);
    r->validating = false;
    *loss = n_targets > 0 ? sum / n_targets : 0;
    return status;
}

static attend_status measure(at_run *r, at_metrics *m, attend_error *err)
{
    double loss;
    attend_status status = validation_loss(r, &loss, err);
    if (status < 0)
        return status;
    at_metrics_add(m, (attend_metric){"loss", "validation loss", loss, .falls = 1});
    if (r->state.n_targets > 0)
        at_metrics_add(m, (attend_metric){"training_loss", "training loss",
                                          r->state.loss / r->state.n_targets, .falls = 1});
    if (r->task->perplexity)
        at_metrics_add(m, (attend_metric){"perplexity", "perplexity", exp(loss), .falls = 1});
    return r->task->validate ? r->task->validate(r, m, err) : ATTEND_OK;
}

/* The weights do not change meanwhile: all that multiply with them pack them once. */
attend_status at_run_measure(at_run *r, at_metrics *m, attend_error *err)
{
    at_params_share(r->params);
    attend_status status = measure(r, m, err);
    at_params_unshare(r->params);
    return status;
}

const attend_metric *at_run_watched(const at_run *r, const at_metrics *m)
{
    char first[32];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(r->task->metrics, " "), r->task->metrics);
    const attend_metric *found = at_metrics_find(m, r->settings.watch ? r->settings.watch : first);
    return found ? found : &m->item[0];
}

bool at_run_better(at_run *r, const at_metrics *m)
{
    at_train_state *s = &r->state;
    double goodness = at_metric_goodness(at_run_watched(r, m)), loss = m->item[0].value;
    if (isnan(goodness))
        return false;
    if (!isnan(s->best) && !(goodness > s->best) && !(goodness == s->best && loss < s->best_loss))
        return false;
    s->best = goodness;
    s->best_loss = loss;
    return true;
}

/* Whatever has diverged must not take the place of what was good. */
static attend_status check_weights(const at_run *r, attend_error *err)
{
    for (int i = 0; i < at_params_count(r->params); i++) {
        const at_parameter *p = at_params_at(r->params, i);
        for (size_t j = 0; j < p->len; j++)
            if (!isfinite(p->value[j]))
                return at_error(err, ATTEND_NUMBER,
                                "%s has a weight that is %s after %lld update%s; try a smaller "
                                "learning rate",
                                p->name, isnan(p->value[j]) ? "not a number" : "infinite",
                                (long long)r->state.updates, ATTEND_PLURAL(r->state.updates));
    }
    return ATTEND_OK;
}

static double epoch_of(const at_run *r)
{
    at_position p = at_batches_position(r->batches);
    size_t n = at_batches_in_epoch(r->batches);
    return p.epoch + (n ? (double)p.batch / (double)n : 0);
}

attend_status at_run_save_best(at_run *r, attend_error *err)
{
    char *path = at_run_path(r, "model.safetensors");
    attend_status status = path ? at_weights_save(path, r->params, err) : at_error_memory(err);
    at_free(path);
    return status;
}

static attend_status keep_metrics(const at_run *r, const at_metrics *m, const attend_train_event *e,
                                  attend_error *err)
{
    char *path = at_run_path(r, "training/metrics.jsonl");
    at_metrics_line line = {
        .step = e->step, .epoch = e->epoch, .shards = r->state.shards, .best = e->best};
    attend_status status = path ? at_metrics_keep(m, path, &line, err) : at_error_memory(err);
    at_free(path);
    return status;
}

/* the weights too, where the last ones are retained */
static attend_status retain_weights(const at_run *r, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    int keep = s->keep > s->average ? s->keep : s->average;
    if (!keep)
        return ATTEND_OK;
    char *folder = at_run_path(r, "training");
    attend_status status = folder ? at_retained_save(folder, r->state.updates, r->params, keep, err)
                                  : at_error_memory(err);
    at_free(folder);
    return status;
}

/* Saves the weights where they are the best so far. */
static attend_status compare_best(at_run *r, const at_metrics *found, int *best, attend_error *err)
{
    *best = at_run_better(r, found);
    if (!*best) {
        r->state.waited++;
        return ATTEND_OK;
    }
    r->state.best_update = r->state.updates;
    r->state.best_mean = 0;
    r->state.waited = 0;
    return at_run_save_best(r, err);
}

static attend_status validate(at_run *r, attend_error *err)
{
    at_metrics found = {.count = 0};
    attend_train_event e = {
        .kind = ATTEND_TRAIN_VALIDATED, .step = r->state.updates, .epoch = epoch_of(r)};
    attend_status status = check_weights(r, err);
    if (status >= 0 && (status = at_run_measure(r, &found, err)) >= 0)
        status = compare_best(r, &found, &e.best, err);
    if (status < 0)
        return status;
    at_rate_report(at_trainer_rate(r->trainer), found.item[0].value);
    r->state.loss = r->state.n_targets = 0;
    status = retain_weights(r, err);
    if (status >= 0)
        status = keep_metrics(r, &found, &e, err);
    if (status < 0)
        return status;
    e.metrics = found.item;
    e.metric_count = found.count;
    at_run_report(r, e);
    return ATTEND_OK;
}

/* ---- the loop ------------------------------------------------------------------------------- */

static attend_status save_checkpoint(at_run *r, const char *path, attend_error *err)
{
    at_json_start();
    json_t *task = r->task->save_state ? r->task->save_state(r) : NULL;
    if (r->task->save_state && !task)
        return at_error_memory(err);
    attend_status status = at_checkpoint_save(path, r->params, r->trainer, &r->state, task, err);
    json_decref(task);
    return status;
}

attend_status at_run_checkpoint(at_run *r, attend_error *err)
{
    attend_status status = check_weights(r, err);
    if (status < 0)
        return status;
    char *path = at_run_path(r, "training/last.safetensors");
    at_train_state_take(&r->state, r->trainer);
    r->state.position = at_batches_position(r->batches);
    status = path ? save_checkpoint(r, path, err) : at_error_memory(err);
    r->saved = status >= 0 ? r->state.updates : r->saved;
    at_free(path);
    return status;
}

/* *ends_epoch becomes true with the last batch of one */
static attend_status step(at_run *r, attend_train_event *e, bool *ends_epoch, attend_error *err)
{
    at_batch batch;
    at_step_result result;
    at_arena_reset(&r->memory);
    attend_status status = at_batches_next(r->batches, &r->memory, &batch, err);
    if (status >= 0)
        status = r->task->take(r, &batch, r->state.shards, err);
    if (status >= 0)
        status = at_trainer_step(r->trainer, r->shards.count, r->shards.first, r->task->loss, r,
                                 &result, err);
    if (status < 0)
        return status;
    if (r->task->done)
        result.loss = r->task->done(r, result.loss);
    *ends_epoch |= batch.index + 1 == at_batches_in_epoch(r->batches);
    r->state.updates = at_trainer_updates(r->trainer);
    r->state.loss += result.loss * r->n_targets;
    r->state.n_targets += r->n_targets;
    *e = (attend_train_event){
        .kind = ATTEND_TRAIN_STEP,
        .step = r->state.updates,
        .epoch = batch.epoch + (double)(batch.index + 1) / (double)at_batches_in_epoch(r->batches),
        .loss = result.loss,
        .norm = result.norm,
        .rate = result.rate,
        .targets = r->n_targets};
    return ATTEND_OK;
}

/* Validates, and keeps what was found in a checkpoint. The first validation makes a model, so a
 * checkpoint comes before it, too: --resume takes a model without one for a run whose checkpoint
 * was lost. */
static attend_status validate_and_save(at_run *r, attend_error *err)
{
    r->state.due = true;
    attend_status status = r->saved ? ATTEND_OK : at_run_checkpoint(r, err);
    r->state.due = false;
    if (status >= 0 && (status = validate(r, err)) >= 0)
        status = at_run_checkpoint(r, err);
    if (status >= 0 && r->hooks.saved)
        r->hooks.saved(r->hooks.user);
    return status;
}

static bool out_of_patience(const at_run *r)
{
    return r->settings.patience && r->state.waited >= r->settings.patience;
}

/* What an update is followed by. *ends_epoch: an epoch has ended since the last one; *stops: the
 * run has waited long enough */
static attend_status after_step(at_run *r, bool *ends_epoch, bool *stops, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    int64_t n = r->state.updates;
    if (at_trainer_between(r->trainer))
        return ATTEND_OK;
    bool due = s->validate_every ? n % s->validate_every == 0 : *ends_epoch, last = n >= r->steps;
    *ends_epoch = false;
    attend_status status = ATTEND_OK;
    if (due || last)
        status = validate_and_save(r, err);
    else if (n % s->checkpoint_every == 0)
        status = at_run_checkpoint(r, err);
    *stops = out_of_patience(r);
    return status;
}

/* what the report asked for: a checkpoint, and above 0 the end */
static attend_status obey(at_run *r, attend_error *err)
{
    int answer = r->answer;
    r->answer = 0;
    long long updates = (long long)r->state.updates;
    attend_status status = at_run_checkpoint(r, err);
    if (status >= 0 && answer > 0)
        return at_error(err, ATTEND_STOPPED,
                        "stopped after %lld update%s; --resume goes on from here", updates,
                        ATTEND_PLURAL(updates));
    if (status >= 0)
        at_run_say(r, "checkpoint after %lld update%s", updates, ATTEND_PLURAL(updates));
    return status;
}

attend_status at_run_go(at_run *r, attend_error *err)
{
    unsigned token = at_floats_flush();
    if (r->state.updates >= r->steps && !r->state.due)
        at_run_say(r, "the run is done: %lld update%s; more --epochs or --steps make it longer",
                   (long long)r->state.updates, ATTEND_PLURAL(r->state.updates));
    attend_status status = r->state.due ? validate_and_save(r, err) : ATTEND_OK;
    bool stops = out_of_patience(r), ends_epoch = false;
    while (status >= 0 && !stops && r->state.updates < r->steps) {
        attend_train_event e;
        status = step(r, &e, &ends_epoch, err);
        if (status < 0)
            break;
        at_run_report(r, e);
        status = after_step(r, &ends_epoch, &stops, err);
        if (status >= 0 && r->answer && !at_trainer_between(r->trainer))
            status = obey(r, err);
    }
    at_floats_restore(token);
    if (r->ended < 0 && err)
        *err = r->why;
    if (r->ended < 0)
        return r->ended;
    at_run_explain(r, status);
    if (status >= 0 && stops)
        at_run_say(r, "no better model for %d validations: done", r->state.waited);
    if (status >= 0 && r->settings.average)
        status = at_run_average(r, err);
    if (status >= 0)
        at_run_say_end(r);
    return status;
}
