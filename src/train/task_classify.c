/* Classification, from texts with labels. */
#include "base/memory.h"
#include "data/labels.h"
#include "train/classify_loss.h"
#include "train/run_parts.h"
#include "train/score.h"

static at_classify_loss *loss_of(const at_run *r) { return r->task_state; }

/* ---- before the first step ------------------------------------------------------------------- */

/* Are texts pairs? */
static bool is_pairs(const at_run *r) { return at_corpus_has(r->corpus) & ATTEND_HAS_TARGET; }

/* words and classes: learned from the data, or those of another model, or of this run before */
static attend_status vocabularies(at_run *r, attend_error *err)
{
    at_model *m = r->model;
    if (m->source && m->labels)
        return ATTEND_OK;
    attend_status status = ATTEND_OK;
    if (!m->source)
        status = at_run_learn(r, true, is_pairs(r), at_run_preset(r), &m->source, err);
    m->target = m->source;
    if (status >= 0)
        status = at_labels_of(r->corpus, &m->labels, err);
    if (status < 0)
        return status;
    if (at_vocab_size(m->labels) < 2)
        return at_error(err, ATTEND_FORMAT, "%s: all labels are '%s'; there is nothing to learn",
                        at_corpus_file(r->corpus, 0),
                        at_vocab_size(m->labels) ? at_vocab_text(m->labels, 0, NULL) : "");
    at_run_say(r, "%d words, %d classes", (int)at_tokenizer_size(m->source),
               (int)at_vocab_size(m->labels));
    return ATTEND_OK;
}

/* the classes of a validation */
static attend_status allocate(at_run *r, attend_error *err)
{
    at_classify_loss *l = loss_of(r);
    size_t n = at_encoded_size(r->ids[1]);
    l->model = r->model;
    l->smoothing = (real)r->settings.label_smoothing;
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
    if (status >= 0 && at_model_label_use(m) != ATTEND_LABELS_ONE)
        status = at_error(err, ATTEND_OPTION,
                          "--labels %s: training learns one label for each text; choose --labels "
                          "one",
                          at_model_label_use(m) == ATTEND_LABELS_NUMBER ? "number" : "several");
    if (status < 0)
        return status;
    at_encode_options o = {.source = m->source,
                           .source_frame = ATTEND_FRAME_INPUT,
                           .joined = is_pairs(r),
                           .max_source = at_model_max_input(m, 0),
                           .labels = m->labels};
    for (int which = 0; which < 2 && status >= 0; which++)
        status = at_run_encode(r, which, &o, err);
    if (status >= 0)
        status = at_run_vectors(r, err);
    return status < 0 ? status : allocate(r, err);
}

/* ---- batches ------------------------------------------------------------------------------- */

static attend_status take(at_run *r, const at_batch *batch, int shards, attend_error *err)
{
    at_classify_loss *l = loss_of(r);
    const bool *frozen = at_run_model_setting(r, "frozen");
    at_parameter *words = at_params_find(r->params, r->kind->embedding(r->model).name);
    (void)err;
    if (words && frozen)
        words->frozen = *frozen;
    at_classify_loss_take(l, batch, shards);
    r->shards = l->shards;
    r->n_targets = batch->source.B;
    return ATTEND_OK;
}

static at_tensor *loss(void *run, at_tape *tape, int shard)
{
    return at_classify_loss_of(loss_of(run), tape, shard);
}

/* ---- validation ---------------------------------------------------------------------------- */

/* names of classes */
static attend_lines names(at_arena *memory, const at_vocab *labels, size_t count, const int *class,
                          const char *name)
{
    const char **line = at_arena_alloc(memory, (count ? count : 1) * sizeof *line);
    for (size_t i = 0; line && i < count; i++)
        line[i] = at_vocab_text(labels, class[i], NULL);
    return (attend_lines){name, count, line};
}

static attend_status validate(at_run *r, at_metrics *metrics, attend_error *err)
{
    static const attend_metric found[] = {{"accuracy", "accuracy", 0, 0},
                                          {"macro_f1", "macro-F1", 0, 0}};
    static const char *const measures[] = {"accuracy", "macro-f1"};
    const at_classify_loss *l = loss_of(r);
    const at_vocab *labels = r->model->labels;
    at_arena memory = {.first_size = 0};
    attend_lines made = names(&memory, labels, l->count, l->predicted, "classes");
    attend_lines right = names(&memory, labels, l->count, l->right, "labels");
    attend_status status = made.line && right.line ? ATTEND_OK : at_error_memory(err);
    for (int i = 0; i < 2 && status >= 0; i++) {
        attend_metric m = found[i];
        status = at_corpus_score(measures[i], &made, &right, &m.value, err);
        at_metrics_add(metrics, m);
    }
    at_arena_free(&memory);
    return status;
}

static void free_state(at_run *r)
{
    at_free(loss_of(r)->predicted);
    at_free(loss_of(r)->right);
}

const at_task at_task_classify = {
    .name = "classify",
    .can = ATTEND_CAN_CLASSIFY,
    .metrics = "accuracy loss macro_f1",
    .use = {"classify", " < FILE"},
    .unit = "texts",
    .needs = ATTEND_HAS_LABEL,
    .lacking = "no labels; --format says how labels and texts are written, and attend data show "
               "what is found",
    .shared = {at_text_options, at_length_options},
    .state_size = sizeof(at_classify_loss),
    .prepare = prepare,
    .take = take,
    .loss = loss,
    .validate = validate,
    .free = free_state,
};
