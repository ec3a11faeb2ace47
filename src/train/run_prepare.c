/* What comes before the first step: the folder, the model, batches and steps. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/threads.h"
#include "store/model_folder.h"
#include "train/kept.h"
#include "train/run_parts.h"
#include "train/settings.h"

/* ---- the folder ----------------------------------------------------------------------------- */

/* One run at a time: the lock goes with the process, however it ends. */
attend_status at_run_lock(at_run *r, attend_error *err)
{
    if (r->lock >= 0)
        return ATTEND_OK;
    char *folder = at_run_path(r, "training"), *path = at_run_path(r, "training/lock");
    attend_status status = folder && path ? at_folder_make(folder, err) : at_error_memory(err);
    if (status >= 0) {
        r->lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
        if (r->lock < 0 && errno == ELOOP)
            status = at_error(err, ATTEND_FILE,
                              "%s: is a symbolic link, which a lock may not be; remove it",
                              at_show(path).text);
        else if (r->lock < 0)
            status = at_file_fail(err, path, "cannot write");
        else if (flock(r->lock, LOCK_EX | LOCK_NB) < 0)
            status = at_error(err, ATTEND_FILE,
                              "%s: another run is training here; wait for it, or choose another "
                              "--out",
                              at_show(r->settings.out).text);
    }
    if (status >= 0) {
        at_folder_sweep(folder);
        at_folder_sweep(r->settings.out);
    }
    at_free(folder);
    at_free(path);
    return status;
}

attend_status at_run_clear(at_run *r, attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (const char *const *name = at_run_leaves; *name && status >= 0; name++) {
        if (r->again && !name[1])
            break; /* what it was told stays */
        char *path = at_run_path(r, *name);
        if (!path)
            status = at_error_memory(err);
        else if (unlink(path) < 0 && errno != ENOENT)
            status = at_file_fail(err, path, "cannot remove");
        at_free(path);
    }
    char *folder = at_run_path(r, "training");
    if (folder && status >= 0)
        at_kept_clear(folder);
    at_free(folder);
    return status;
}

/* ---- batches and steps ---------------------------------------------------------------------- */

static attend_status make_batches(at_run *r, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    at_plan_options plan = {.sentences = at_run_batch(s),
                            .tokens = (size_t)s->batch_tokens,
                            .mix = s->mix_lengths,
                            .seed = s->seed};
    return at_batches_new(r->supply[0], &plan, &r->batches, err);
}

static attend_status make_trainer(at_run *r, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    at_trainer_options o = {.clip = s->clip, .accumulate = s->accumulate, .seed = s->seed};
    attend_status status = at_optim_options_parse(&o.optim, s->optimiser, err);
    if (status >= 0)
        status = at_rate_parse(&o.rate, s->schedule, s->lr, err);
    if (status >= 0)
        at_rate_end(&o.rate, r->steps);
    if (status >= 0)
        status = at_trainer_new(r->params, &o, &r->trainer, err);
    return status;
}

/* tokens that a validation predicts */
static attend_status count_validation(at_run *r, attend_error *err)
{
    const uint32_t *a, *b;
    size_t items;
    attend_status status = r->supply[1].epoch(r->supply[1].self, 0, &items, &a, &b, err);
    for (size_t i = 0; status >= 0 && i < items; i++)
        r->validation += b ? b[i] : a[i];
    if (status >= 0 && !items)
        status = at_error(err, ATTEND_FORMAT,
                          "--valid%s%s: no example is left to validate with; allow longer ones "
                          "with --longest, or give others",
                          r->settings.valid ? " " : "",
                          r->settings.valid ? at_show(r->settings.valid).text : "");
    return status;
}

/* How many updates there will be. Epochs differ by a batch or so; the first tells. */
static attend_status count_steps(at_run *r, attend_error *err)
{
    at_batch first;
    attend_status status = at_batches_next(r->batches, &r->memory, &first, err);
    if (status < 0)
        return status;
    at_position start = at_batches_position(r->batches);
    start.batch = start.step = start.epoch = 0;
    size_t n = at_batches_in_epoch(r->batches);
    r->steps = (int64_t)n * r->settings.epochs / r->settings.accumulate;
    if (r->steps == 0)
        return at_error(err, ATTEND_OPTION,
                        "--accumulate %d: %d epoch%s of %zu batch%s are less than one update; take "
                        "fewer, or more --epochs",
                        r->settings.accumulate, r->settings.epochs,
                        ATTEND_PLURAL(r->settings.epochs), n, n == 1 ? "" : "es");
    if (r->settings.steps && r->settings.steps < r->steps)
        r->steps = r->settings.steps;
    at_run_say(r, "%zu batch%s an epoch, %.1f %% of their places padding", n, n == 1 ? "" : "es",
               100 * at_batches_padding(r->batches));
    return at_batches_seek(r->batches, start, err);
}

static attend_status forget_metrics(const at_run *r, attend_error *err)
{
    char *path = at_run_path(r, "training/metrics.jsonl");
    attend_status status = path ? at_metrics_forget(path, r->standing.updates, err)
                                : at_error_memory(err);
    at_free(path);
    return status;
}

/* what to do about a checkpoint that cannot be read */
static void add_remedy(const at_run *r, attend_error *err)
{
    if (!err)
        return;
    size_t used = strlen(err->message);
    snprintf(err->message + used, sizeof err->message - used,
             "; --init-from %.60s with another --out begins with its best weights",
             at_show(r->settings.out).text);
}

/* which data it was that has changed */
static void name_data(const at_run *r, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    at_error(err, ATTEND_OPTION,
             "%s is not what the run has learned from so far, or its links are not; give it the "
             "same, or begin anew with another --out",
             at_show(s->data ? s->data : s->src).text);
}

/* Where the best model was lost, the weights that the run goes on with take its place, and what is
 * the best begins anew. */
static attend_status replace_best(at_run *r, attend_error *err)
{
    char *path = at_run_path(r, "model.safetensors");
    bool lost = path && !isnan(r->standing.best) && !at_file_exists(path);
    attend_status status = path ? ATTEND_OK : at_error_memory(err);
    if (lost) {
        at_log(ATTEND_LOG_WARNING,
               "%s is gone, the best model; the weights of update %lld take "
               "its place until a validation finds better ones",
               at_show(path).text, (long long)r->standing.updates);
        r->standing.best = NAN;
        r->standing.best_update = r->standing.updates;
        r->standing.best_mean = 0;
        status = at_run_save_best(r, err);
    }
    at_free(path);
    return status;
}

attend_status at_run_go_on(at_run *r, attend_error *err)
{
    char *path = at_run_path(r, "training/last.safetensors"), differs[120];
    at_standing now = r->standing;
    attend_status status = path ? at_checkpoint_load(path, r->params, r->trainer, &r->standing, err)
                                : at_error_memory(err);
    at_free(path);
    if (status == ATTEND_FORMAT)
        add_remedy(r, err);
    if (status < 0)
        return status;
    at_standing_take(&now, r->trainer);
    now.shards = r->settings.shards ? r->settings.shards : r->standing.shards;
    at_standing_differs(&r->standing, &now, differs, sizeof differs);
    if (*differs)
        at_log(ATTEND_LOG_WARNING, "%s: what comes will differ in its last digits", differs);
    r->standing.shards = now.shards;
    if (now.shards > 1 && now.shards < at_threads())
        at_run_say(r, "%d shards of a batch, as before, for %d threads; --shards %d uses all",
                   now.shards, at_threads(), at_threads());
    r->saved = r->standing.updates;
    status = at_batches_seek(r->batches, r->standing.position, err);
    if (status == ATTEND_OPTION)
        name_data(r, err);
    if (status < 0)
        return status;
    at_run_say(r, "going on after %lld update%s", (long long)r->standing.updates,
               ATTEND_PLURAL(r->standing.updates));
    status = replace_best(r, err);
    return status < 0 ? status : forget_metrics(r, err);
}

/* The model that the run begins with: a new one of these settings, or that of a folder, which the
 * settings may change. */
static attend_status open_model(at_run *r, const void *settings, attend_error *err)
{
    const char *from = r->settings.resume ? r->settings.out : r->settings.init_from;
    attend_status status = ATTEND_OK;
    if (from)
        status = at_model_open_unweighted(from, &r->model, err);
    else if (!(r->model = at_model_new(r->kind, r->settings.seed)))
        status = at_error_memory(err);
    if (status < 0)
        return status;
    if (!r->settings.resume)
        memcpy(r->model->settings, settings, r->kind->settings_size);
    r->params = r->model->params;
    return status;
}

/* of a model that is taken the vocabulary is taken too */
static void say_unused(at_run *r)
{
    const at_run_settings *s = &r->settings;
    if (s->init_from && !s->resume
        && (strcmp(s->tokenizer, "words") != 0 || s->vocabulary || s->min_count || s->lower
            || s->pretokenised))
        at_run_say(r, "the vocabulary is that of --init-from: --tokenizer, --vocabulary, "
                      "--min-count, --lower and --pretokenised change nothing");
}

attend_status at_run_prepare(at_run *r, const void *model, attend_error *err)
{
    attend_status status = at_run_check(r, model, err);
    if (status >= 0 && at_run_has(r, "training"))
        status = at_run_lock(r, err);
    if (status >= 0)
        say_unused(r);
    if (status >= 0)
        status = at_run_read(r, err);
    if (status >= 0)
        status = open_model(r, model, err);
    if (status >= 0)
        status = r->job->prepare(r, err);
    if (status >= 0 && r->settings.init_from && !r->settings.resume)
        status = at_model_load_weights(r->model, r->settings.init_from, NULL, err);
    if (status >= 0)
        status = at_params_take(r->params, err);
    if (status >= 0)
        status = make_batches(r, err);
    if (status >= 0)
        status = count_steps(r, err);
    if (status >= 0)
        status = count_validation(r, err);
    if (status >= 0)
        status = make_trainer(r, err);
    return status;
}
