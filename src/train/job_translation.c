/* Recurrent translators, from sentence pairs. */
#include "train/job_translation.h"

#include "data/key.h"
#include "models/translator.h"
#include "train/run_parts.h"

/* ---- before the first step ------------------------------------------------------------------- */

static const at_translator *settings_of(const at_run *r) { return r->model->settings; }

/* learned from the data, or those of another model, or of this run before */
static attend_status tokenizers(at_run *r, attend_error *err)
{
    at_model *m = r->model;
    if (m->target)
        return ATTEND_OK;
    bool shared = settings_of(r)->shared;
    const char *preset = at_run_preset(r);
    attend_status status = m->width ? ATTEND_OK
                                    : at_run_learn(r, true, shared, preset, &m->source, err);
    if (shared && !m->width)
        m->target = m->source;
    else if (status >= 0)
        status = at_run_learn(r, false, true, preset, &m->target, err);
    return status;
}

static attend_status read_guide(at_run *r, attend_error *err)
{
    at_translation_task *task = r->task;
    const at_model *m = r->model;
    const char *path = r->settings.guided_alignment;
    at_attention_layout layout[ATTEND_LAYOUT_MAX];
    if (at_model_attention(m, layout) == 0)
        return at_error(err, ATTEND_OPTION,
                        "--guided-alignment guides attention, and this model has none");
    if (m->kind->decodes->draws(m))
        return at_error(err, ATTEND_OPTION,
                        "--guided-alignment guides weights, and hard attention draws a place; "
                        "take the pick soft or sparse");
    at_guided what = {.corpus = r->corpus,
                      .numbers = r->numbers[0],
                      .source = m->source,
                      .target = m->target,
                      .swapped = r->settings.swap};
    attend_status status = at_guide_load(path, &what, &task->guide, err);
    if (status >= 0) /* what the run goes on with must have the same links */
        r->supply[0].print = at_key_join(r->supply[0].print, at_guide_print(task->guide));
    return status;
}

/* how frames are measured: by the data, or as another model, or this run before, did */
static attend_status features(at_run *r, attend_error *err)
{
    at_model *m = r->model;
    const at_features *file = r->frames[0].file;
    bool begun = m->target, scales = file && !begun && settings_of(r)->scaling == 0;
    int width = file ? at_features_width(file) : 0;
    attend_status status = ATTEND_OK;
    if (begun && m->width != width)
        return at_error(err, ATTEND_FORMAT,
                        "the model reads %s, and --src has %s; frames of other width, or words, "
                        "need a new model",
                        at_source_kind(m->width).text, at_source_kind(width).text);
    m->width = width;
    if (scales)
        status = at_model_scaling(m, err);
    if (status >= 0 && file)
        status = at_run_scan(r, scales ? m->mean : NULL, scales ? m->spread : NULL, err);
    return status;
}

static attend_status prepare(at_run *r, attend_error *err)
{
    at_model *m = r->model;
    at_translation *l = &((at_translation_task *)r->task)->loss;
    attend_status status = features(r, err);
    if (status >= 0)
        status = tokenizers(r, err);
    if (status >= 0)
        status = at_model_describe(m, err);
    at_encode_options o = {.source = m->source,
                           .target = m->target,
                           .copying = m->copying,
                           .source_frame = m->width ? ATTEND_FRAME_NONE : ATTEND_FRAME_INPUT,
                           .target_frame = ATTEND_FRAME_OUTPUT,
                           .longest_source = at_model_max_input(m, 0)};
    if (status >= 0)
        status = at_run_encode(r, &o, err);
    if (status >= 0 && r->settings.init_embeddings)
        status = at_run_vectors(r, err);
    *l = (at_translation){.model = m,
                          .smoothing = (real)r->settings.smoothing,
                          .forcing = r->settings.teacher_forcing,
                          .guidance = (real)r->settings.guided_weight,
                          .baseline = &r->standing.baseline};
    if (status >= 0 && r->settings.guided_alignment)
        status = read_guide(r, err);
    return status;
}

/* ---- batches ----------------------------------------------------------------------------------
 */

static attend_status take(at_run *r, const at_batch *batch, int shards, attend_error *err)
{
    at_translation *l = &((at_translation_task *)r->task)->loss;
    const at_guide *guide = ((at_translation_task *)r->task)->guide;
    attend_status status = ATTEND_OK;
    if (!at_translation_take(l, batch, shards, &r->memory))
        return at_error_memory(err);
    if (r->model->width)
        status = at_run_take_features(r, batch, &l->features, err);
    if (guide && !r->validating
        && !(l->links = at_guide_batch(guide, batch, r->kind->decodes->reversed(r->model),
                                       &r->memory)))
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
}

const at_job at_job_translation = {
    .name = "translation",
    .can = ATTEND_CAN_TRANSLATE,
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
    .prepare = prepare,
    .take = take,
    .loss = loss,
    .done = done,
    .free = free_task,
};
