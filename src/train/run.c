#include "train/run.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/threads.h"
#include "store/weights.h"
#include "train/run_parts.h"

/* ---- small things --------------------------------------------------------------------------- */

int at_run_tell(at_run *r, at_run_event e)
{
    e.steps = r->steps;
    e.epochs = r->settings.epochs;
    return r->hooks.report ? r->hooks.report(r->hooks.user, &e) : 0;
}

void at_run_say(at_run *r, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    at_run_tell(r, (at_run_event){.kind = ATTEND_RUN_SAYS, .text = text, .bleu = NAN});
}

char *at_run_path(const at_run *r, const char *name) { return at_file_join(r->settings.out, name); }

/* ---- life ---------------------------------------------------------------------------------- */

attend_status at_run_new(const at_run_settings *settings, const at_translator *model,
                         const at_run_hooks *hooks, at_run **out, attend_error *err)
{
    at_run *r = *out = at_alloc_zero(1, sizeof *r);
    if (!r)
        return at_error_memory(err);
    r->settings = *settings;
    r->hooks = *hooks;
    r->lock = -1;
    r->standing = (at_standing){.best = NAN,
                                .seed = settings->seed,
                                .shards = settings->shards ? settings->shards : at_threads()};
    attend_status status = at_run_prepare(r, model, err);
    r->task = (at_translation){.model = &r->folder.model, .smoothing = (real)settings->smoothing};
    if (status >= 0 && !(r->tape = at_tape_new(r->folder.params, ATTEND_INFER)))
        status = at_error_memory(err);
    if (status >= 0)
        status = at_run_lock(r, err);
    if (status >= 0)
        status = settings->resume
                     ? at_run_go_on(r, err)
                     : at_translator_folder_save(settings->out, &r->folder.settings,
                                                 r->folder.source, r->folder.target, err);
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
    at_corpus_free(r->valid);
    at_corpus_free(r->corpus);
    at_free(r->part);
    at_translator_folder_free(&r->folder);
    at_arena_free(&r->memory);
    if (r->lock >= 0)
        close(r->lock);
    at_free(r);
}

/* ---- validation ----------------------------------------------------------------------------- */

/* the mean loss of a word, in the order of the corpus */
static attend_status validation_loss(at_run *r, double *loss, attend_error *err)
{
    at_plan_options plan = {.sentences = 64, .in_order = true};
    at_translation task = {.model = &r->folder.model};
    at_batches *b;
    double sum = 0, words = 0;
    attend_status status = at_batches_new(at_supply_encoded(&r->sentences[1]), &plan, &b, err);
    if (status < 0)
        return status;
    for (size_t i = 0, n = 1; i < n && status >= 0; i++) {
        at_batch batch;
        at_arena_reset(&r->memory);
        status = at_batches_next(b, &r->memory, &batch, err);
        n = at_batches_in_epoch(b);
        if (status < 0 || !at_translation_take(&task, &batch, 1, &r->memory)) {
            status = status < 0 ? status : at_error_memory(err);
            break;
        }
        at_tape_reset(r->tape);
        at_tensor *y = at_translation_loss(&task, r->tape, 0);
        if (at_failed(r->tape))
            status = at_error(err, at_tape_error(r->tape)->status, "%s",
                              at_tape_error(r->tape)->message);
        else
            sum += (double)y->value[0] * (double)task.asked;
        words += (double)task.asked;
    }
    at_batches_free(b);
    *loss = words > 0 ? sum / words : 0;
    return status;
}

static attend_status keep_metrics(const at_run *r, const at_run_event *e, attend_error *err)
{
    char *path = at_run_path(r, "training/metrics.jsonl");
    FILE *f = path ? fopen(path, "a") : NULL;
    if (!f) {
        attend_status status = at_error(err, ATTEND_FILE, "%s: %s", path ? at_show(path).text : "",
                                        strerror(errno));
        at_free(path);
        return status;
    }
    fprintf(f, "{\"step\": %lld, \"epoch\": %.4f, \"loss\": %.9g, \"perplexity\": %.9g",
            (long long)e->step, e->epoch, e->loss, exp(e->loss));
    if (!isnan(e->bleu))
        fprintf(f, ", \"bleu\": %.6g", e->bleu);
    fprintf(f, ", \"best\": %s}\n", e->best ? "true" : "false");
    bool failed = ferror(f);
    failed |= fclose(f) != 0;
    attend_status status = failed ? at_error(err, ATTEND_FILE, "%s: %s", at_show(path).text,
                                             strerror(errno))
                                  : ATTEND_OK;
    at_free(path);
    return status;
}

static double epoch_of(const at_run *r)
{
    at_position p = at_batches_position(r->batches);
    size_t n = at_batches_in_epoch(r->batches);
    return p.epoch + (n ? (double)p.batch / (double)n : 0);
}

static attend_status save_best(at_run *r, attend_error *err)
{
    char *path = at_run_path(r, "model.safetensors");
    attend_status status = path ? at_weights_save(path, r->folder.params, err)
                                : at_error_memory(err);
    at_free(path);
    return status;
}

static attend_status validate(at_run *r, attend_error *err)
{
    at_run_event e = {.kind = ATTEND_RUN_VALIDATED,
                      .step = r->standing.updates,
                      .epoch = epoch_of(r),
                      .bleu = NAN};
    attend_status status = validation_loss(r, &e.loss, err);
    if (status >= 0 && r->hooks.judge)
        status = r->hooks.judge(r->hooks.user, r, &e.bleu, err);
    if (status < 0)
        return status;
    bool by_bleu = r->settings.watch == 1 && !isnan(e.bleu);
    double goodness = by_bleu ? e.bleu : -e.loss;
    e.best = isnan(r->standing.best) || goodness > r->standing.best;
    if (e.best) {
        r->standing.best = goodness;
        r->standing.best_update = r->standing.updates;
        r->standing.waited = 0;
        status = save_best(r, err);
    } else {
        r->standing.waited++;
    }
    at_rate_report(at_trainer_rate(r->trainer), e.loss);
    if (status >= 0)
        status = keep_metrics(r, &e, err);
    if (status >= 0)
        at_run_tell(r, e);
    return status;
}

/* ---- the loop ------------------------------------------------------------------------------- */

static attend_status checkpoint(at_run *r, attend_error *err)
{
    char *path = at_run_path(r, "training/last.safetensors");
    at_standing_take(&r->standing, r->trainer);
    r->standing.position = at_batches_position(r->batches);
    r->standing.baseline = r->task.baseline;
    attend_status status = path ? at_checkpoint_save(path, r->folder.params, r->trainer,
                                                     &r->standing, err)
                                : at_error_memory(err);
    at_free(path);
    return status;
}

static attend_status step(at_run *r, at_run_event *e, bool *ends_epoch, attend_error *err)
{
    at_batch batch;
    at_step_result result;
    at_arena_reset(&r->memory);
    attend_status status = at_batches_next(r->batches, &r->memory, &batch, err);
    if (status < 0)
        return status;
    if (!at_translation_take(&r->task, &batch, r->standing.shards, &r->memory))
        return at_error_memory(err);
    status = at_trainer_step(r->trainer, r->task.shards, r->task.first, at_translation_loss,
                             &r->task, &result, err);
    if (status < 0)
        return status;
    at_translation_done(&r->task);
    *ends_epoch = batch.index + 1 == at_batches_in_epoch(r->batches);
    r->standing.updates = at_trainer_updates(r->trainer);
    *e = (at_run_event){
        .kind = ATTEND_RUN_STEP,
        .step = r->standing.updates,
        .epoch = batch.epoch + (double)(batch.index + 1) / (double)at_batches_in_epoch(r->batches),
        .loss = result.loss,
        .norm = result.norm,
        .rate = result.rate,
        .words = (double)r->task.asked,
        .bleu = NAN};
    return ATTEND_OK;
}

/* what a step is followed by; *stops: the run has waited long enough */
static attend_status after_step(at_run *r, bool ends_epoch, bool last, bool *stops,
                                attend_error *err)
{
    const at_run_settings *s = &r->settings;
    int64_t n = r->standing.updates;
    if (at_trainer_between(r->trainer))
        return ATTEND_OK;
    bool due = s->validate_every ? n % s->validate_every == 0 : ends_epoch;
    attend_status status = due || last ? validate(r, err) : ATTEND_OK;
    *stops = s->patience && r->standing.waited >= s->patience;
    if (status >= 0 && (n % s->checkpoint_every == 0 || due || last))
        status = checkpoint(r, err);
    return status;
}

attend_status at_run_go(at_run *r, attend_error *err)
{
    attend_status status = ATTEND_OK;
    bool stops = false, ends_epoch = false;
    unsigned token = at_floats_flush();
    while (status >= 0 && !stops && r->standing.updates < r->steps) {
        at_run_event e;
        status = step(r, &e, &ends_epoch, err);
        if (status < 0)
            break;
        bool asked = at_run_tell(r, e) != 0 && !at_trainer_between(r->trainer);
        status = after_step(r, ends_epoch, r->standing.updates >= r->steps, &stops, err);
        if (status >= 0 && asked) {
            status = checkpoint(r, err);
            if (status >= 0)
                status = at_error(err, ATTEND_STOPPED,
                                  "stopped after %lld updates; --resume goes on from here",
                                  (long long)r->standing.updates);
        }
    }
    at_floats_restore(token);
    if (status >= 0 && stops)
        at_run_say(r, "no better model for %d validations: done", r->standing.waited);
    return status;
}

/* ---- for the judge -------------------------------------------------------------------------- */

const at_seq2seq *at_run_model(const at_run *r) { return &r->folder.model; }
at_params *at_run_params(const at_run *r) { return r->folder.params; }

const at_tokenizer *at_run_tokenizer(const at_run *r, int side)
{
    return side ? r->folder.target : r->folder.source;
}

bool at_run_valid_at(const at_run *r, size_t i, at_example *texts, at_item_view *numbers)
{
    if (i >= at_encoded_size(r->numbers[1]))
        return false;
    *numbers = at_encoded_at(r->numbers[1], i);
    return at_corpus_at(r->valid ? r->valid : r->corpus, numbers->example, NULL, texts);
}
