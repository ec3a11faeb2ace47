/* Classifiers, from texts with labels. */
#include "train/job_classification.h"

#include "base/memory.h"
#include "data/labels.h"
#include "models/classifier.h"
#include "train/run_parts.h"

static at_classification *loss_of(const at_run *r)
{
    return &((at_classification_task *)r->task)->loss;
}

/* ---- before the first step ------------------------------------------------------------------- */

/* words and classes: learned from the data, or those of another model, or of this run before */
static attend_status vocabularies(at_run *r, attend_error *err)
{
    at_model *m = r->model;
    if (m->source)
        return ATTEND_OK;
    attend_status status = at_run_learn(r, true, false, at_run_preset(r), &m->source, err);
    m->target = m->source;
    if (status >= 0)
        status = at_labels_of(r->corpus, &m->labels, err);
    if (status >= 0 && at_vocab_size(m->labels) < 2)
        status = at_error(err, ATTEND_FORMAT, "%s: all labels are '%s'; there is nothing to learn",
                          at_corpus_file(r->corpus, 0),
                          at_vocab_size(m->labels) ? at_vocab_text(m->labels, 0, NULL) : "");
    if (status >= 0)
        at_run_say(r, "%d words, %d classes", (int)at_tokenizer_size(m->source),
                   (int)at_vocab_size(m->labels));
    return status;
}

/* what the judge will compare */
static attend_status make_room(at_run *r, attend_error *err)
{
    at_classification *l = loss_of(r);
    size_t n = at_encoded_size(r->numbers[1]);
    l->model = r->model;
    l->smoothing = (real)r->settings.smoothing;
    l->predicted = at_alloc((n ? n : 1) * sizeof *l->predicted);
    l->right = at_alloc((n ? n : 1) * sizeof *l->right);
    l->room = n;
    return l->predicted && l->right ? ATTEND_OK : at_error_memory(err);
}

static attend_status prepare(at_run *r, attend_error *err)
{
    at_model *m = r->model;
    attend_status status = vocabularies(r, err);
    if (status >= 0)
        status = at_model_describe(m, err);
    at_encode_options o = {.source = m->source,
                           .source_frame = ATTEND_FRAME_INPUT,
                           .longest_source = at_model_max_input(m, 0),
                           .labels = m->labels};
    if (status >= 0)
        status = at_run_encode(r, &o, err);
    if (status >= 0)
        status = at_run_vectors(r, err);
    return status < 0 ? status : make_room(r, err);
}

/* ---- batches ----------------------------------------------------------------------------------
 */

static attend_status take(at_run *r, const at_batch *batch, int shards, attend_error *err)
{
    at_classification *l = loss_of(r);
    const at_classifier_settings *settings = r->model->settings;
    at_parameter *words = at_params_find(r->params, r->kind->embedding(r->model).name);
    (void)err;
    if (words)
        words->frozen = settings->frozen;
    at_classification_take(l, batch, shards);
    r->shards = l->shards;
    r->asked = batch->source.B;
    return ATTEND_OK;
}

static at_tensor *loss(void *run, at_tape *tape, int shard)
{
    return at_classification_loss(loss_of(run), tape, shard);
}

static void free_task(at_run *r)
{
    at_free(loss_of(r)->predicted);
    at_free(loss_of(r)->right);
}

const at_job at_job_classification = {
    .name = "classification",
    .can = ATTEND_CAN_CLASSIFY,
    .size = sizeof(at_classification_task),
    .metrics = "accuracy loss macro_f1",
    .use = {"classify", " < FILE"},
    .unit = "texts",
    .needs = ATTEND_HAS_LABEL,
    .lacking = "no labels; --format says how labels and texts are written, and attend data show "
               "what is found",
    .prepare = prepare,
    .take = take,
    .loss = loss,
    .free = free_task,
};
