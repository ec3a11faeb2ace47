/* Recurrent translators, from sentence pairs. */
#include "train/job_translation.h"

#include <stddef.h>

#include "data/key.h"
#include "train/run_parts.h"

static at_translator_folder *folder_of(const at_run *r)
{
    return &((at_translation_task *)r->task)->folder;
}

/* ---- before the first step ----------------------------------------------------------------- */

static attend_status check(const void *settings, attend_error *err)
{
    enum { SOME_WORDS = 1000 };
    at_seq2seq any;
    return at_translator_model(settings, SOME_WORDS, SOME_WORDS, &any, err);
}

static attend_status open(void *of_run, const char *folder, attend_error *err)
{
    at_translation_task *t = of_run;
    return at_translator_folder_open(folder, &t->folder, err);
}

/* learned from the data, or those of another model, or of this run before */
static attend_status tokenizers(at_run *r, attend_error *err)
{
    at_translator_folder *f = folder_of(r);
    if (f->target)
        return ATTEND_OK;
    bool shared = f->settings.shared;
    const char *preset = f->settings.preset;
    attend_status status = f->features ? ATTEND_OK
                                       : at_run_learn(r, true, shared, preset, &f->source, err);
    if (shared && !f->features)
        f->target = f->source;
    else if (status >= 0)
        status = at_run_learn(r, false, true, preset, &f->target, err);
    return status;
}

static attend_status read_guide(at_run *r, attend_error *err)
{
    at_translation_task *task = r->task;
    const at_translator_folder *f = &task->folder;
    const char *path = r->settings.guided_alignment;
    if (f->model.place == ATTEND_PLACE_NONE)
        return at_error(err, ATTEND_OPTION,
                        "--guided-alignment guides attention, and this model has none");
    if (f->model.attention.pick == &at_pick_hard)
        return at_error(err, ATTEND_OPTION,
                        "--guided-alignment guides weights, and hard attention draws a place; "
                        "take the pick soft or sparse");
    at_guided what = {.corpus = r->corpus,
                      .numbers = r->numbers[0],
                      .source = f->source,
                      .target = f->target,
                      .swapped = r->settings.swap};
    attend_status status = at_guide_load(path, &what, &task->guide, err);
    if (status >= 0) /* what the run goes on with must have the same links */
        r->supply[0].print = at_key_join(r->supply[0].print, at_guide_print(task->guide));
    return status;
}

/* how frames are measured: by the data, or as another model, or this run before, did */
static attend_status features(at_run *r, attend_error *err)
{
    at_translator_folder *f = folder_of(r);
    const at_features *file = r->frames[0].file;
    bool begun = f->target, scales = file && !begun && f->settings.scaling == 0;
    int width = file ? at_features_width(file) : 0;
    attend_status status = ATTEND_OK;
    if (begun && f->features != width)
        return at_error(err, ATTEND_FORMAT,
                        "the model reads %s, and --src has %s; frames of other width, or words, "
                        "need a new model",
                        at_source_kind(f->features).text, at_source_kind(width).text);
    f->features = width;
    if (scales)
        status = at_translator_folder_scaling(f, err);
    if (status >= 0 && file)
        status = at_run_scan(r, scales ? f->mean : NULL, scales ? f->spread : NULL, err);
    return status;
}

static attend_status prepare(at_run *r, attend_error *err)
{
    at_translator_folder *f = folder_of(r);
    at_translation *l = &((at_translation_task *)r->task)->loss;
    attend_status status = features(r, err);
    if (status >= 0)
        status = tokenizers(r, err);
    if (status >= 0)
        status = at_translator_folder_describe(f, err);
    at_encode_options o = {.source = f->source,
                           .target = f->target,
                           .copying = f->copying,
                           .source_frame = f->features ? ATTEND_FRAME_NONE : ATTEND_FRAME_INPUT,
                           .target_frame = ATTEND_FRAME_OUTPUT,
                           .longest_source = at_seq2seq_longest(&f->model, 0)};
    if (status >= 0)
        status = at_run_encode(r, &o, err);
    if (status >= 0 && r->settings.init_embeddings)
        status = at_run_vectors(r, at_seq2seq_source_words(&f->model), f->source,
                                f->model.embedding, at_seq2seq_words_scale(&f->model), err);
    *l = (at_translation){.model = &f->model,
                          .smoothing = (real)r->settings.smoothing,
                          .forcing = r->settings.teacher_forcing,
                          .guidance = (real)r->settings.guided_weight,
                          .baseline = &r->standing.baseline};
    if (status >= 0 && r->settings.guided_alignment)
        status = read_guide(r, err);
    return status;
}

static attend_status weights(void *of_run, const char *folder, attend_error *err)
{
    at_translation_task *t = of_run;
    return at_translator_folder_weights(&t->folder, folder, NULL, err);
}

static attend_status save(at_run *r, attend_error *err)
{
    const at_translator_folder *f = folder_of(r);
    return at_translator_folder_save(r->settings.out, f, err);
}

/* ---- batches ------------------------------------------------------------------------------- */

static attend_status take(at_run *r, const at_batch *batch, int shards, attend_error *err)
{
    at_translation *l = &((at_translation_task *)r->task)->loss;
    const at_guide *guide = ((at_translation_task *)r->task)->guide;
    attend_status status = ATTEND_OK;
    if (!at_translation_take(l, batch, shards, &r->memory))
        return at_error_memory(err);
    if (l->model->source_features)
        status = at_run_take_features(r, batch, &l->features, err);
    if (guide && !r->validating
        && !(l->links = at_guide_batch(guide, batch, l->model->reversed, &r->memory)))
        return at_error_memory(err);
    r->shards = l->shards;
    r->asked = (double)l->asked;
    return status;
}

static at_tensor *loss(void *run, at_tape *tape, int shard)
{
    const at_run *r = run;
    return at_translation_loss(&((at_translation_task *)r->task)->loss, tape, shard);
}

static double done(at_run *r, double objective)
{
    return at_translation_done(&((at_translation_task *)r->task)->loss, objective);
}

static void free_task(at_run *r)
{
    at_translation_free(&((at_translation_task *)r->task)->loss);
    at_guide_free(((at_translation_task *)r->task)->guide);
    at_translator_folder_free(folder_of(r));
}

const at_job at_job_translation = {
    .name = "translation",
    .family = &at_family_translator,
    .size = sizeof(at_translation_task),
    .metrics = "bleu loss perplexity",
    .use = {"translate", " < FILE"},
    .unit = "words",
    .perplexity = true,
    .features = true,
    .needs = ATTEND_HAS_TARGET,
    .lacking = "no sentence pairs, with a tab between the two; --src and --tgt take two files, "
               "--format says how one is written; --preset rnn-classifier and cnn-classifier learn "
               "from labels",
    .check = check,
    .settings = offsetof(at_translation_task, folder.settings),
    .params = offsetof(at_translation_task, folder.params),
    .open = open,
    .prepare = prepare,
    .weights = weights,
    .save = save,
    .take = take,
    .loss = loss,
    .done = done,
    .free = free_task,
};
