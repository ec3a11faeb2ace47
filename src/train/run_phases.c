/* What comes before the first step: a list of phases. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/threads.h"
#include "store/model_folder.h"
#include "train/run_parts.h"

/* ---- the model ----------------------------------------------------------------------------- */

/* With --init-from a model comes with its vocabulary. */
static void say_unused(at_run *r)
{
    const at_run_settings *s = &r->settings;
    if (s->tokenizer
        && (strcmp(s->tokenizer, "words") != 0 || s->vocabulary || s->min_count || s->lower
            || s->pretokenised))
        at_run_say(r, "the vocabulary is that of --init-from: --tokenizer, --vocabulary, "
                      "--min-count, --lower and --pretokenised change nothing");
}

static attend_status announce(at_run *r, attend_error *err)
{
    (void)err;
    if (r->settings.init_from)
        say_unused(r);
    return ATTEND_OK;
}

/* The model that the run begins with: a new one of these settings, or that of a folder, which the
 * settings may change. */
static attend_status open_model(at_run *r, attend_error *err)
{
    const char *from = r->settings.resume ? r->settings.out : r->settings.init_from;
    attend_status status = ATTEND_OK;
    if (from)
        status = at_model_open_unweighted(from, &r->model, err);
    else if (!(r->model = at_model_new(r->kind, r->settings.seed)))
        status = at_error_memory(err);
    if (status < 0)
        return status;
    unsigned before = at_model_can(r->model);
    if (!r->settings.resume)
        memcpy(r->model->settings, r->config->model, r->kind->settings_size);
    r->model->adapts = from && !r->settings.resume && r->task->can & ~before;
    r->params = r->model->params;
    return ATTEND_OK;
}

static attend_status prepare_task(at_run *r, attend_error *err)
{
    attend_status status = r->task->prepare(r, err);
    if (status < 0 || !(r->task->can & ~at_model_can(r->model)))
        return status;
    return at_error(
        err, ATTEND_OPTION,
        "--task %s: a %s of these settings cannot do it; leave --head out, and the task "
        "chooses it",
        r->task->name, r->kind->name);
}

/* Names the parameters that --init-from does not have. */
static attend_status say_fresh(at_run *r, attend_error *err)
{
    at_params *network = at_model_outline(r->model, err);
    at_str names = {0};
    if (!network)
        return ATTEND_MEMORY;
    for (int i = 0; i < at_params_count(network); i++) {
        const char *name = at_params_at(network, i)->name;
        if (!at_params_find(r->params, name))
            at_str_print(&names, "%s%s", names.length ? ", " : "", name);
    }
    if (names.length)
        at_run_say(r, "not in --init-from, started fresh: %s", at_str_text(&names));
    at_str_free(&names);
    at_params_free(network);
    return ATTEND_OK;
}

static attend_status take_weights(at_run *r, attend_error *err)
{
    const char *from = r->settings.resume ? NULL : r->settings.init_from;
    attend_status status = from ? at_model_load_weights(r->model, from, NULL, err) : ATTEND_OK;
    if (status >= 0 && r->model->adapts)
        status = say_fresh(r, err);
    return status < 0 ? status : at_params_take(r->params, err);
}

static attend_status save_model(at_run *r, attend_error *err)
{
    return at_model_save(r->model, r->settings.out, err);
}

static attend_status save_settings(at_run *r, attend_error *err)
{
    return at_train_config_save(r->config, err);
}

static attend_status save_test(at_run *r, attend_error *err)
{
    if (!r->tests)
        return ATTEND_OK;
    return r->task->save_test ? r->task->save_test(r, err) : at_run_save_test(r, err);
}

/* ---- batches and steps --------------------------------------------------------------------- */

static attend_status make_batches(at_run *r, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    at_plan_options plan = {.sentences = at_run_batch(s),
                            .tokens = (size_t)s->batch_tokens,
                            .mix = s->mix_lengths,
                            .in_order = r->in_order,
                            .seed = s->seed};
    return at_batches_new(r->supply[0], &plan, &r->batches, err);
}

static attend_status make_trainer(at_run *r, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    at_trainer_options o = {.clip = s->clip, .accumulate = s->accumulate, .seed = s->seed};
    attend_status status = at_optim_options_parse(&o.optim, s->optimizer, err);
    if (status >= 0)
        status = at_rate_parse(&o.rate, s->schedule, s->lr, err);
    if (status < 0)
        return status;
    at_rate_end(&o.rate, r->steps);
    status = at_trainer_new(r->params, &o, &r->trainer, err);
    if (status < 0)
        return status;
    r->tape = at_tape_new(r->params, ATTEND_INFER);
    return r->tape ? ATTEND_OK : at_error_memory(err);
}

/* Layers that learn more slowly or not at all, once all parameters are there. */
static attend_status treat_layers(at_run *r, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    (void)err;
    if (s->layer_decay < 1)
        at_layer_rates_set(&r->rates, r->model, s->layer_decay, at_trainer_optim(r->trainer));
    if (s->freeze_layers >= 0)
        at_run_say(r, "%zu parameters are frozen", at_layers_freeze(r->model, s->freeze_layers));
    return ATTEND_OK;
}

/* tokens that a validation predicts */
static attend_status count_validation(at_run *r, attend_error *err)
{
    const uint32_t *a, *b;
    size_t items;
    attend_status status = r->supply[1].epoch(r->supply[1].self, 0, &items, &a, &b, err);
    if (status < 0)
        return status;
    for (size_t i = 0; i < items; i++)
        r->valid_targets += b ? b[i] : a[i];
    if (items)
        return ATTEND_OK;
    return at_error(err, ATTEND_FORMAT,
                    "--valid%s%s: no example is left to validate with; allow longer ones with "
                    "--max-length, or give others",
                    r->settings.valid ? " " : "",
                    r->settings.valid ? at_show(r->settings.valid).text : "");
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
    int64_t epochs = (int64_t)n * r->settings.epochs / r->settings.accumulate;
    r->steps = r->settings.steps ? r->settings.steps : epochs;
    if (r->steps == 0)
        return at_error(err, ATTEND_OPTION,
                        "--accumulate %d: %d epoch%s of %zu batch%s are less than one update; take "
                        "fewer, or more --epochs",
                        r->settings.accumulate, r->settings.epochs,
                        ATTEND_PLURAL(r->settings.epochs), n, n == 1 ? "" : "es");
    at_run_say(r, "%zu batch%s an epoch, %.1f %% of their places padding", n, n == 1 ? "" : "es",
               100 * at_batches_padding(r->batches));
    return at_batches_seek(r->batches, start, err);
}

/* The first examples to train on, as they will come. */
static attend_status show_examples(at_run *r, attend_error *err)
{
    at_position start = at_batches_position(r->batches);
    attend_status status = ATTEND_OK;
    for (int left = r->settings.show; left > 0 && status >= 0;) {
        at_batch batch;
        at_arena_reset(&r->memory);
        status = at_batches_next(r->batches, &r->memory, &batch, err);
        if (status >= 0)
            status = r->task->take(r, &batch, 1, err);
        for (int row = 0; status >= 0 && row < batch.source.B && left > 0; row++, left--) {
            at_str text = {0};
            r->task->show(r, row, &text);
            at_run_report(
                r, (attend_train_event){.kind = ATTEND_TRAIN_EXAMPLE, .text = at_str_text(&text)});
            at_str_free(&text);
        }
    }
    return status < 0 ? status : at_batches_seek(r->batches, start, err);
}

/* ---- resuming ------------------------------------------------------------------------------- */

static attend_status forget_metrics(const at_run *r, attend_error *err)
{
    char *path = at_run_path(r, "training/metrics.jsonl");
    attend_status status = path ? at_metrics_forget(path, r->state.updates, err)
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

/* Where the best model was lost, the weights that the run resumes with take its place until a
 * validation finds better ones. */
static attend_status replace_best(at_run *r, attend_error *err)
{
    char *path = at_run_path(r, "model.safetensors");
    bool lost = path && !isnan(r->state.best) && !at_file_exists(path);
    attend_status status = path ? ATTEND_OK : at_error_memory(err);
    if (lost) {
        at_log(ATTEND_LOG_WARNING,
               "%s is gone, the best model; the weights of update %lld take "
               "its place until a validation finds better ones",
               at_show(path).text, (long long)r->state.updates);
        r->state.best = NAN;
        r->state.best_update = r->state.updates;
        r->state.best_mean = 0;
        status = at_run_save_best(r, err);
    }
    at_free(path);
    return status;
}

static attend_status load_checkpoint(at_run *r, attend_error *err)
{
    char *path = at_run_path(r, "training/last.safetensors");
    json_t *json = NULL;
    attend_status status = path ? at_checkpoint_load(path, r->params, r->trainer, &r->state, &json,
                                                     err)
                                : at_error_memory(err);
    if (status >= 0 && !r->task->save_state && !json && !(json = json_object()))
        status = at_error_memory(err);
    if (status >= 0 && r->task->load_state) {
        at_fields fields = at_fields_of(json, path, err);
        r->task->load_state(r, &fields);
        status = fields.status;
    }
    json_decref(json);
    at_free(path);
    if (status == ATTEND_FORMAT)
        add_remedy(r, err);
    return status;
}

/* Says what differs from before, and takes the number of shards. then: the state as settings and
 * machine would have it now */
static void compare_state(at_run *r, at_train_state now)
{
    char differs[120];
    at_train_state_take(&now, r->trainer);
    now.shards = r->settings.shards ? r->settings.shards : r->state.shards;
    at_train_state_differs(&r->state, &now, differs, sizeof differs);
    if (*differs)
        at_log(ATTEND_LOG_WARNING, "%s: what comes will differ in its last digits", differs);
    r->state.shards = now.shards;
    if (now.shards > 1 && now.shards < at_threads())
        at_run_say(r, "%d shards of a batch, as before, for %d threads; --shards %d uses all",
                   now.shards, at_threads(), at_threads());
}

attend_status at_run_resume(at_run *r, attend_error *err)
{
    at_train_state now = r->state;
    r->has_output = true;
    attend_status status = load_checkpoint(r, err);
    if (status < 0)
        return status;
    compare_state(r, now);
    r->saved = r->state.updates;
    status = at_batches_seek(r->batches, r->state.position, err);
    if (status == ATTEND_OPTION)
        name_data(r, err);
    if (status < 0)
        return status;
    at_run_say(r, "going on after %lld update%s", (long long)r->state.updates,
               ATTEND_PLURAL(r->state.updates));
    status = replace_best(r, err);
    return status < 0 ? status : forget_metrics(r, err);
}

/* ---- all phases ----------------------------------------------------------------------------- */

typedef enum { NEW = 1, RESUMED = 2, ANY = NEW | RESUMED } which;

/* In their order. A resumed run without a checkpoint becomes a new one in the third. Settings are
 * written before anything else of a new run, so that one that is killed any time later can be
 * resumed; those of a resumed run once nothing can refuse them. */
static const struct {
    const char *name;
    attend_status (*run)(at_run *r, attend_error *err);
    which of;
} phases[] = {
    {"check the folder", at_run_check_folder, ANY},
    {"lock the folder", at_run_lock, ANY},
    {"find the checkpoint", at_run_find_checkpoint, RESUMED},
    {"check that the folder is empty", at_run_check_empty, NEW},
    {"check settings", at_run_check_settings, ANY},
    {"check files", at_run_check_files, ANY},
    {"announce", announce, NEW},
    {"read the data", at_run_read, ANY},
    {"open the model", open_model, ANY},
    {"prepare the task", prepare_task, ANY},
    {"take weights", take_weights, ANY},
    {"make batches", make_batches, ANY},
    {"count steps", count_steps, ANY},
    {"count targets of a validation", count_validation, ANY},
    {"make the trainer", make_trainer, ANY},
    {"clear the folder", at_run_clear, NEW},
    {"save settings", save_settings, NEW},
    {"save the model's settings", save_model, NEW},
    {"resume", at_run_resume, RESUMED},
    {"save examples for a test", save_test, NEW},
    {"estimate memory", at_run_estimate, ANY},
    {"treat layers", treat_layers, ANY},
    {"show examples", show_examples, ANY},
    {"save changed settings", save_settings, RESUMED},
};

attend_status at_run_prepare(at_run *r, attend_error *err)
{
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        if (!(phases[i].of & (r->settings.resume ? RESUMED : NEW)))
            continue;
        at_log(ATTEND_LOG_DEBUG, "training: %s", phases[i].name);
        attend_status status = phases[i].run(r, err);
        if (status < 0)
            return status;
    }
    return ATTEND_OK;
}
