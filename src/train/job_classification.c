/* Classifiers, from texts with labels. */
#include "train/job_classification.h"

#include <stddef.h>

#include "base/memory.h"
#include "data/labels.h"
#include "train/run_parts.h"

static at_classifier_folder *folder_of(const at_run *r)
{
    return &((at_classification_task *)r->task)->folder;
}

static at_classification *loss_of(const at_run *r)
{
    return &((at_classification_task *)r->task)->loss;
}

/* ---- before the first step ----------------------------------------------------------------- */

static attend_status check(const void *settings, attend_error *err)
{
    enum { SOME_WORDS = 1000, SOME_CLASSES = 2 };
    at_classifier any;
    return at_classifier_model(settings, SOME_WORDS, SOME_CLASSES, &any, err);
}

static attend_status open(void *of_run, const char *folder, attend_error *err)
{
    at_classification_task *t = of_run;
    return at_classifier_folder_open(folder, &t->folder, err);
}

/* words and classes: learned from the data, or those of another model, or of this run before */
static attend_status vocabularies(at_run *r, attend_error *err)
{
    at_classifier_folder *f = folder_of(r);
    if (f->tokenizer)
        return ATTEND_OK;
    attend_status status = at_run_learn(r, true, false, f->settings.preset, &f->tokenizer, err);
    if (status >= 0)
        status = at_labels_of(r->corpus, &f->labels, err);
    if (status >= 0 && at_vocab_size(f->labels) < 2)
        status = at_error(err, ATTEND_FORMAT, "%s: all labels are '%s'; there is nothing to learn",
                          at_corpus_file(r->corpus, 0),
                          at_vocab_size(f->labels) ? at_vocab_text(f->labels, 0, NULL) : "");
    if (status >= 0)
        at_run_say(r, "%d words, %d classes", (int)at_tokenizer_size(f->tokenizer),
                   (int)at_vocab_size(f->labels));
    return status;
}

/* what the judge will compare */
static attend_status make_room(at_run *r, attend_error *err)
{
    at_classification *l = loss_of(r);
    size_t n = at_encoded_size(r->numbers[1]);
    l->model = &folder_of(r)->model;
    l->smoothing = (real)r->settings.smoothing;
    l->predicted = at_alloc((n ? n : 1) * sizeof *l->predicted);
    l->right = at_alloc((n ? n : 1) * sizeof *l->right);
    l->room = n;
    return l->predicted && l->right ? ATTEND_OK : at_error_memory(err);
}

static attend_status prepare(at_run *r, attend_error *err)
{
    at_classifier_folder *f = folder_of(r);
    attend_status status = vocabularies(r, err);
    if (status >= 0)
        status = at_classifier_model(&f->settings, at_tokenizer_size(f->tokenizer),
                                     at_vocab_size(f->labels), &f->model, err);
    at_encode_options o = {.source = f->tokenizer,
                           .source_frame = ATTEND_FRAME_INPUT,
                           .longest_source = at_classifier_longest(&f->model, 0),
                           .labels = f->labels};
    if (status >= 0)
        status = at_run_encode(r, &o, err);
    if (status >= 0)
        status = at_run_vectors(r, ATTEND_CLASSIFIER_WORDS, f->tokenizer, f->model.embedding,
                                at_classifier_words_scale(&f->model), err);
    return status < 0 ? status : make_room(r, err);
}

static attend_status weights(void *of_run, const char *folder, attend_error *err)
{
    at_classification_task *t = of_run;
    return at_classifier_folder_weights(&t->folder, folder, err);
}

static attend_status save(at_run *r, attend_error *err)
{
    return at_classifier_folder_save(r->settings.out, folder_of(r), err);
}

/* ---- batches ------------------------------------------------------------------------------- */

static attend_status take(at_run *r, const at_batch *batch, int shards, attend_error *err)
{
    at_classification *l = loss_of(r);
    at_parameter *words = at_params_find(r->params, ATTEND_CLASSIFIER_WORDS);
    (void)err;
    if (words)
        words->frozen = folder_of(r)->settings.frozen;
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
    at_classifier_folder_free(folder_of(r));
}

const at_job at_job_classification = {
    .name = "classification",
    .family = &at_family_classifier,
    .size = sizeof(at_classification_task),
    .metrics = "accuracy loss macro_f1",
    .use = {"classify", " < FILE"},
    .unit = "texts",
    .needs = ATTEND_HAS_LABEL,
    .lacking = "no labels; --format says how labels and texts are written, and attend data show "
               "what is found",
    .check = check,
    .settings = offsetof(at_classification_task, folder.settings),
    .params = offsetof(at_classification_task, folder.params),
    .open = open,
    .prepare = prepare,
    .weights = weights,
    .save = save,
    .take = take,
    .loss = loss,
    .free = free_task,
};
