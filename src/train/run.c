#include "train/run.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/threads.h"
#include "store/weights.h"
#include "train/kept.h"
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
           - r->standing.updates * s->accumulate / every;
}

void at_run_tell(at_run *r, at_run_event e)
{
    e.steps = r->steps;
    e.epochs = r->settings.epochs;
    e.unit = r->job->unit;
    e.validations = validations_left(r);
    e.validation = r->validation;
    int answer = r->hooks.report ? r->hooks.report(r->hooks.user, &e) : 0;
    r->answer = answer ? answer : r->answer;
}

void at_run_say(at_run *r, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    at_printable(text);
    at_run_tell(r, (at_run_event){.kind = ATTEND_RUN_SAYS, .text = text});
}

char *at_run_path(const at_run *r, const char *name) { return at_file_join(r->settings.out, name); }

/* ---- life ---------------------------------------------------------------------------------- */

attend_status at_run_new(const at_run_settings *settings, const at_job *job,
                         const at_model_kind *kind, const void *model, const at_run_hooks *hooks,
                         at_run **out, attend_error *err)
{
    at_run *r = *out = at_alloc_zero(1, sizeof *r);
    void *task = at_alloc_zero(1, job->size);
    if (!r || !task) {
        at_free(r);
        at_free(task);
        *out = NULL;
        return at_error_memory(err);
    }
    *r = (at_run){
        .settings = *settings, .hooks = *hooks, .job = job, .kind = kind, .task = task, .lock = -1};
    r->valid_batch = (int)at_run_batch(settings);
    r->valid_batch = r->valid_batch < 64 ? r->valid_batch : 64;
    r->standing = (at_standing){.best = NAN,
                                .seed = settings->seed,
                                .shards = settings->shards ? settings->shards : at_threads()};
    attend_status status = at_run_prepare(r, model, err);
    if (status >= 0 && !(r->tape = at_tape_new(r->params, ATTEND_INFER)))
        status = at_error_memory(err);
    if (status >= 0)
        status = at_run_lock(r, err);
    if (status >= 0 && !r->settings.resume)
        status = at_run_check_taken(r, err); /* once more: now nobody else can write there */
    if (status >= 0 && !r->settings.resume)
        status = at_run_clear(r, err);
    if (status >= 0 && !r->settings.resume)
        status = r->hooks.begin(r->hooks.user, err);
    if (status >= 0)
        status = r->settings.resume ? at_run_go_on(r, err)
                                    : at_model_save(r->model, r->settings.out, err);
    if (status >= 0 && r->tests && !r->settings.resume)
        status = at_run_save_test(r, err);
    if (status >= 0)
        status = at_run_estimate(r, err);
    if (status >= 0 && r->settings.resume) /* what may change has changed from here on */
        status = r->hooks.begin(r->hooks.user, err);
    if (status < 0) {
        at_run_free(r);
        *out = NULL;
    }
    return status;
}

void at_run_free(at_run *r)
{
    if (!r)
        return;
    at_trainer_free(r->trainer);
    if (r->tape)
        at_tape_free(r->tape);
    at_batches_free(r->batches);
    at_encoded_free(r->numbers[0]);
    at_encoded_free(r->numbers[1]);
    at_frames_free(&r->frames[0]);
    at_frames_free(&r->frames[1]);
    at_corpus_free(r->valid);
    at_corpus_free(r->corpus);
    at_free(r->part);
    r->job->free(r);
    at_model_free(r->model);
    at_free(r->task);
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
        status = r->job->take(r, &batch, 1, err);
    if (status < 0)
        return status;
    at_tape_reset(r->tape);
    at_tensor *y = r->job->loss(r, r->tape, 0);
    if (at_failed(r->tape))
        return at_tape_status(r->tape, err);
    *sum = (double)y->value[0] * r->asked;
    return ATTEND_OK;
}

/* the mean loss, in the order of the corpus */
static attend_status validation_loss(at_run *r, double *loss, attend_error *err)
{
    at_plan_options plan = {.sentences = (size_t)r->valid_batch,
                            .tokens = (size_t)r->settings.batch_tokens,
                            .in_order = true};
    at_batches *b;
    double sum = 0, asked = 0;
    attend_status status = at_batches_new(r->supply[1], &plan, &b, err);
    if (status < 0)
        return status;
    r->validating = true;
    for (size_t i = 0, n = 1; i < n && status >= 0; i++) {
        double one = 0;
        status = batch_loss(r, b, &one, err);
        n = at_batches_in_epoch(b);
        sum += one;
        asked += r->asked;
    }
    at_batches_free(b);
    r->validating = false;
    *loss = asked > 0 ? sum / asked : 0;
    return status;
}

static attend_status measure(at_run *r, at_metrics *m, attend_error *err)
{
    double loss;
    attend_status status = validation_loss(r, &loss, err);
    if (status < 0)
        return status;
    at_metrics_add(m, (attend_metric){"loss", "validation loss", loss, .falls = 1});
    if (r->standing.asked > 0)
        at_metrics_add(m, (attend_metric){"training_loss", "training loss",
                                          r->standing.loss / r->standing.asked, .falls = 1});
    if (r->job->perplexity)
        at_metrics_add(m, (attend_metric){"perplexity", "perplexity", exp(loss), .falls = 1});
    return r->hooks.judge ? r->hooks.judge(r->hooks.user, r, m, err) : ATTEND_OK;
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
    snprintf(first, sizeof first, "%.*s", (int)strcspn(r->job->metrics, " "), r->job->metrics);
    const attend_metric *found = at_metrics_find(m, r->settings.watch ? r->settings.watch : first);
    return found ? found : &m->item[0];
}

bool at_run_better(at_run *r, const at_metrics *m)
{
    at_standing *s = &r->standing;
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
                                (long long)r->standing.updates, ATTEND_PLURAL(r->standing.updates));
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

static attend_status keep_metrics(const at_run *r, const at_run_event *e, attend_error *err)
{
    char *path = at_run_path(r, "training/metrics.jsonl");
    at_metrics_line line = {
        .step = e->step, .epoch = e->epoch, .shards = r->standing.shards, .best = e->best};
    attend_status status = path ? at_metrics_keep(e->metrics, path, &line, err)
                                : at_error_memory(err);
    at_free(path);
    return status;
}

/* the weights too, where the last ones are kept */
static attend_status keep_weights(const at_run *r, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    int keep = s->keep > s->average ? s->keep : s->average;
    if (!keep)
        return ATTEND_OK;
    char *folder = at_run_path(r, "training");
    attend_status status = folder ? at_kept_save(folder, r->standing.updates, r->params, keep, err)
                                  : at_error_memory(err);
    at_free(folder);
    return status;
}

static attend_status validate(at_run *r, attend_error *err)
{
    at_metrics found = {.count = 0};
    at_run_event e = {.kind = ATTEND_RUN_VALIDATED,
                      .step = r->standing.updates,
                      .epoch = epoch_of(r),
                      .metrics = &found};
    attend_status status = check_weights(r, err);
    if (status >= 0)
        status = at_run_measure(r, &found, err);
    if (status < 0)
        return status;
    e.best = at_run_better(r, &found);
    if (e.best) {
        r->standing.best_update = r->standing.updates;
        r->standing.best_mean = 0;
        r->standing.waited = 0;
        status = at_run_save_best(r, err);
    } else {
        r->standing.waited++;
    }
    at_rate_report(at_trainer_rate(r->trainer), found.item[0].value);
    r->standing.loss = r->standing.asked = 0;
    if (status >= 0)
        status = keep_weights(r, err);
    if (status >= 0)
        status = keep_metrics(r, &e, err);
    if (status >= 0)
        at_run_tell(r, e);
    return status;
}

/* ---- the loop ------------------------------------------------------------------------------- */

attend_status at_run_checkpoint(at_run *r, attend_error *err)
{
    attend_status status = check_weights(r, err);
    if (status < 0)
        return status;
    char *path = at_run_path(r, "training/last.safetensors");
    at_standing_take(&r->standing, r->trainer);
    r->standing.position = at_batches_position(r->batches);
    status = path ? at_checkpoint_save(path, r->params, r->trainer, &r->standing, err)
                  : at_error_memory(err);
    r->saved = status >= 0 ? r->standing.updates : r->saved;
    at_free(path);
    return status;
}

/* *ends_epoch becomes true with the last batch of one */
static attend_status step(at_run *r, at_run_event *e, bool *ends_epoch, attend_error *err)
{
    at_batch batch;
    at_step_result result;
    at_arena_reset(&r->memory);
    attend_status status = at_batches_next(r->batches, &r->memory, &batch, err);
    if (status >= 0)
        status = r->job->take(r, &batch, r->standing.shards, err);
    if (status >= 0)
        status = at_trainer_step(r->trainer, r->shards.count, r->shards.first, r->job->loss, r,
                                 &result, err);
    if (status < 0)
        return status;
    if (r->job->done)
        result.loss = r->job->done(r, result.loss);
    *ends_epoch |= batch.index + 1 == at_batches_in_epoch(r->batches);
    r->standing.updates = at_trainer_updates(r->trainer);
    r->standing.loss += result.loss * r->asked;
    r->standing.asked += r->asked;
    *e = (at_run_event){
        .kind = ATTEND_RUN_STEP,
        .step = r->standing.updates,
        .epoch = batch.epoch + (double)(batch.index + 1) / (double)at_batches_in_epoch(r->batches),
        .loss = result.loss,
        .norm = result.norm,
        .rate = result.rate,
        .asked = r->asked};
    return ATTEND_OK;
}

/* Validates, and keeps what was found in a checkpoint. The first validation makes a model, so a
 * checkpoint comes before it, too: --resume takes a model without one for a run whose checkpoint
 * was lost. */
static attend_status validate_and_save(at_run *r, attend_error *err)
{
    attend_status status = ATTEND_OK;
    if (!r->saved) {
        r->standing.due = true;
        status = at_run_checkpoint(r, err);
    }
    r->standing.due = false;
    if (status >= 0)
        status = validate(r, err);
    if (status >= 0)
        status = at_run_checkpoint(r, err);
    if (status >= 0)
        at_run_tell(r, (at_run_event){.kind = ATTEND_RUN_SAVED});
    return status;
}

static bool out_of_patience(const at_run *r)
{
    return r->settings.patience && r->standing.waited >= r->settings.patience;
}

/* What an update is followed by. *ends_epoch: an epoch has ended since the last one; *stops: the
 * run has waited long enough */
static attend_status after_step(at_run *r, bool *ends_epoch, bool *stops, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    int64_t n = r->standing.updates;
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
    int asked = r->answer;
    r->answer = 0;
    long long updates = (long long)r->standing.updates;
    attend_status status = at_run_checkpoint(r, err);
    if (status >= 0 && asked > 0)
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
    if (r->standing.updates >= r->steps && !r->standing.due)
        at_run_say(r, "the run is done: %lld update%s; more --epochs or --steps make it longer",
                   (long long)r->standing.updates, ATTEND_PLURAL(r->standing.updates));
    attend_status status = r->standing.due ? validate_and_save(r, err) : ATTEND_OK;
    bool stops = out_of_patience(r), ends_epoch = false;
    while (status >= 0 && !stops && r->standing.updates < r->steps) {
        at_run_event e;
        status = step(r, &e, &ends_epoch, err);
        if (status < 0)
            break;
        at_run_tell(r, e);
        status = after_step(r, &ends_epoch, &stops, err);
        if (status >= 0 && r->answer && !at_trainer_between(r->trainer))
            status = obey(r, err);
    }
    at_floats_restore(token);
    at_run_explain(r, status);
    if (status >= 0 && stops)
        at_run_say(r, "no better model for %d validations: done", r->standing.waited);
    if (status >= 0 && r->settings.average)
        status = at_run_average(r, err);
    if (status >= 0)
        at_run_say_end(r);
    return status;
}

/* ---- for the judge -------------------------------------------------------------------------- */

const at_job *at_run_job(const at_run *r) { return r->job; }
void *at_run_task(const at_run *r) { return r->task; }
const at_model *at_run_model(const at_run *r) { return r->model; }
int at_run_valid_batch(const at_run *r) { return r->valid_batch; }

bool at_run_valid_at(const at_run *r, size_t i, at_example *texts, at_item_view *numbers)
{
    if (i >= at_encoded_size(r->numbers[1]))
        return false;
    *numbers = at_encoded_at(r->numbers[1], i);
    return at_corpus_at(r->valid ? r->valid : r->corpus, numbers->example, NULL, texts);
}
