/* What comes before the first step: the folder, the data, the model. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

#include "base/file.h"
#include "base/memory.h"
#include "train/run_parts.h"

/* ---- the folder ----------------------------------------------------------------------------- */

static bool there_is(const at_run *r, const char *name)
{
    char *path = at_run_path(r, name);
    bool found = path && at_file_exists(path);
    at_free(path);
    return found;
}

/* One run at a time: the lock goes with the process, however it ends. */
attend_status at_run_lock(at_run *r, attend_error *err)
{
    char *folder = at_run_path(r, "training"), *path = at_run_path(r, "training/lock");
    attend_status status = folder && path ? at_folder_make(folder, err) : at_error_memory(err);
    if (status >= 0) {
        r->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (r->lock < 0)
            status = at_error(err, ATTEND_FILE, "%s: %s", at_show(path).text, strerror(errno));
        else if (flock(r->lock, LOCK_EX | LOCK_NB) < 0)
            status = at_error(err, ATTEND_FILE,
                              "%s: another run is training here; wait for it, or choose another "
                              "--out",
                              at_show(r->settings.out).text);
    }
    at_free(folder);
    at_free(path);
    return status;
}

static attend_status check_folder(const at_run *r, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    if (!s->out)
        return at_error(err, ATTEND_OPTION, "where does the model go? --out FOLDER says it");
    if (s->resume && !there_is(r, "training/last.safetensors"))
        return at_error(err, ATTEND_FILE, "%s: there is no run to go on with; leave --resume out",
                        at_show(s->out).text);
    if (!s->resume && !s->overwrite && there_is(r, "config.json"))
        return at_error(err, ATTEND_FILE,
                        "%s: there is a model; --resume goes on with it, --overwrite starts anew",
                        at_show(s->out).text);
    return ATTEND_OK;
}

/* ---- data ----------------------------------------------------------------------------------- */

static attend_status load(const char *path, const char *other, bool swap, at_corpus **out,
                          attend_error *err)
{
    at_corpus_options o = {.reader = {.target = other, .reverse = swap}};
    attend_status status = at_corpus_load(&path, 1, &o, out, err);
    if (status >= 0 && !(at_corpus_has(*out) & ATTEND_HAS_TARGET))
        status = at_error(err, ATTEND_FORMAT,
                          "%s: no sentence pairs; --src and --tgt take two "
                          "files",
                          at_show(path).text);
    return status;
}

static attend_status read_corpora(at_run *r, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    if (!s->data == !s->src || !s->src != !s->tgt)
        return at_error(err, ATTEND_OPTION,
                        "what is there to learn from? --data FILE, or --src FILE --tgt FILE");
    attend_status status = load(s->data ? s->data : s->src, s->tgt, s->swap, &r->corpus, err);
    if (status >= 0 && at_file_exists(s->valid))
        status = load(s->valid, s->valid_tgt, s->swap, &r->valid, err);
    at_str text = {0};
    if (status >= 0)
        at_corpus_say(r->corpus, &text);
    if (*at_str_text(&text))
        at_run_say(r, "%s", at_str_text(&text));
    at_str_free(&text);
    return status;
}

static attend_status split(at_run *r, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    size_t sizes[ATTEND_PARTS], n = at_corpus_size(r->corpus);
    at_share valid = {.share = 0}, test;
    attend_status status = at_share_parse(&test, s->test, "--test", err);
    if (status >= 0 && !r->valid)
        status = at_share_parse(&valid, s->valid, "--valid", err);
    if (status < 0)
        return status;
    r->part = at_alloc(n ? n : 1);
    if (!r->part)
        return at_error_memory(err);
    status = at_split(r->corpus, valid, test, r->part, sizes, err);
    if (status >= 0 && !r->valid && sizes[ATTEND_PART_VALID] == 0)
        status = at_error(err, ATTEND_OPTION,
                          "--valid %s of %zu pairs is none; give more of them, or a file", s->valid,
                          n);
    if (status >= 0)
        at_run_say(r, "%zu pairs to learn from, %zu to validate with, %zu left out", sizes[0],
                   r->valid ? at_corpus_size(r->valid) : sizes[1], sizes[2]);
    return status;
}

static attend_status learn_tokenizer(at_run *r, bool sources, bool targets, at_tokenizer **out,
                                     attend_error *err)
{
    const at_run_settings *s = &r->settings;
    at_learn_options o;
    at_learn_defaults(&o);
    if (s->vocabulary)
        o.size = s->vocabulary;
    if (s->min_count)
        o.min_count = s->min_count;
    if (s->lower)
        o.lower = 1;
    at_corpus_walk walk = {
        .corpus = r->corpus, .part = r->part, .sources = sources, .targets = targets};
    return at_tokenizer_learn(s->tokenizer, at_corpus_lines(&walk), &o, out, err);
}

/* learned from the data, or those of another model, or of this run before */
static attend_status tokenizers(at_run *r, attend_error *err)
{
    at_translator_folder *f = &r->folder;
    if (f->source)
        return ATTEND_OK;
    bool shared = f->settings.shared;
    attend_status status = learn_tokenizer(r, true, shared, &f->source, err);
    if (shared)
        f->target = f->source;
    else if (status >= 0)
        status = learn_tokenizer(r, false, true, &f->target, err);
    return status;
}

static attend_status encode(at_run *r, int which, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    at_translator_folder *f = &r->folder;
    bool own = which == 1 && r->valid;
    at_encode_options o = {.source = f->source,
                           .target = f->target,
                           .source_frame = ATTEND_FRAME_INPUT,
                           .target_frame = ATTEND_FRAME_OUTPUT,
                           .longest_source = s->longest,
                           .longest_target = s->longest,
                           .when_long = (at_long)s->when_long,
                           .part = own ? NULL : r->part,
                           .wanted = which == 0 ? ATTEND_PART_TRAIN : ATTEND_PART_VALID};
    attend_status status = at_encode_corpus(own ? r->valid : r->corpus, &o, &r->numbers[which],
                                            err);
    if (status < 0)
        return status;
    at_encode_counts c = at_encoded_count(r->numbers[which]);
    if (c.cut + c.skipped > 0)
        at_run_say(r, "%zu sentences are longer than %d pieces: %s", c.cut + c.skipped, s->longest,
                   c.cut ? "cut" : "left out");
    r->sentences[which] = (at_encoded_supply){.data = r->numbers[which],
                                              .pad_source = f->source->special[ATTEND_SPECIAL_PAD],
                                              .pad_target = f->target->special[ATTEND_SPECIAL_PAD]};
    return ATTEND_OK;
}

static attend_status make_batches(at_run *r, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    at_plan_options plan = {
        .sentences = (size_t)s->batch, .tokens = (size_t)s->batch_tokens, .seed = s->seed};
    return at_batches_new(at_supply_encoded(&r->sentences[0]), &plan, &r->batches, err);
}

/* ---- the model ------------------------------------------------------------------------------ */

static attend_status make_model(at_run *r, const at_translator *settings, attend_error *err)
{
    at_translator_folder *f = &r->folder;
    const char *from = r->settings.resume ? r->settings.out : r->settings.init_from;
    attend_status status = ATTEND_OK;
    if (from)
        status = at_translator_folder_open(from, f, err);
    else {
        f->settings = *settings;
        f->params = at_params_new(r->settings.seed);
        status = f->params ? ATTEND_OK : at_error_memory(err);
    }
    if (status >= 0 && from && !r->settings.resume)
        status = at_translator_folder_weights(f, from, NULL, err);
    return status;
}

static attend_status make_trainer(at_run *r, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    at_trainer_options o = {.clip = s->clip, .accumulate = s->accumulate, .seed = s->seed};
    attend_status status = at_optim_options_parse(&o.optim, s->optimiser, err);
    if (status >= 0)
        status = at_rate_parse(&o.rate, s->schedule, s->lr, err);
    if (status >= 0 && o.rate.total == 0)
        o.rate.total = (int)r->steps;
    if (status >= 0)
        status = at_trainer_new(r->folder.params, &o, &r->trainer, err);
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
    r->steps = (int64_t)at_batches_in_epoch(r->batches) * r->settings.epochs
               / r->settings.accumulate;
    if (r->settings.steps && r->settings.steps < r->steps)
        r->steps = r->settings.steps;
    at_run_say(r, "%zu batches an epoch, %.1f %% of them padding", at_batches_in_epoch(r->batches),
               100 * at_batches_padding(r->batches));
    return at_batches_seek(r->batches, start, err);
}

attend_status at_run_go_on(at_run *r, attend_error *err)
{
    char *path = at_run_path(r, "training/last.safetensors"), differs[120];
    at_standing now = r->standing;
    attend_status status = path ? at_checkpoint_load(path, r->folder.params, r->trainer,
                                                     &r->standing, err)
                                : at_error_memory(err);
    at_free(path);
    if (status < 0)
        return status;
    at_standing_take(&now, r->trainer);
    at_standing_differs(&r->standing, &now, differs, sizeof differs);
    if (*differs)
        at_run_say(r, "%s: what comes will differ in its last digits", differs);
    r->standing.shards = now.shards;
    r->task.baseline = r->standing.baseline;
    at_run_say(r, "going on after %lld updates", (long long)r->standing.updates);
    return at_batches_seek(r->batches, r->standing.position, err);
}

attend_status at_run_prepare(at_run *r, const at_translator *settings, attend_error *err)
{
    at_seq2seq any; /* senseless settings are refused before data is read */
    attend_status status = check_folder(r, err);
    if (status >= 0)
        status = at_translator_model(settings, 1000, 1000, &any, err);
    if (status >= 0)
        status = read_corpora(r, err);
    if (status >= 0)
        status = split(r, err);
    if (status >= 0)
        status = make_model(r, settings, err);
    if (status >= 0)
        status = tokenizers(r, err);
    for (int i = 0; i < 2 && status >= 0; i++)
        status = encode(r, i, err);
    at_translator_folder *f = &r->folder;
    if (status >= 0)
        status = at_translator_model(&f->settings, at_tokenizer_size(f->source),
                                     at_tokenizer_size(f->target), &f->model, err);
    if (status >= 0 && f->model.output == &at_output_copy)
        status = at_error(err, ATTEND_OPTION,
                          "--output copy cannot be trained from text yet; "
                          "--output words can");
    if (status >= 0)
        status = make_batches(r, err);
    if (status >= 0)
        status = count_steps(r, err);
    if (status >= 0)
        status = make_trainer(r, err);
    return status;
}
