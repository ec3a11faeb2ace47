/* Questions about texts, from contexts with the places of answers.
 *
 *     loss = - 1/2N sum log p(first | window) + log p(last | window)    over the N windows
 *
 * A window without the answer points to the position that stands for "no answer". */
#include <math.h>

#include "base/memory.h"
#include "data/answers.h"
#include "data/span_examples.h"
#include "data/split.h"
#include "decode/answer.h"
#include "train/run_parts.h"
#include "train/score.h"

typedef struct {
    int window, stride, max_question, max_answer;
} settings;

typedef struct {
    const at_batch *batch;
    int *first, *last; /* [B]: positions of the answers */
    size_t unanswered; /* questions of the validation */
} state;

static state *state_of(const at_run *r) { return r->task_state; }
static const settings *settings_of(const at_run *r) { return r->task_settings; }

/* ---- before the first step ------------------------------------------------------------------ */

static at_span_options windows_of(const at_run *r)
{
    const settings *s = settings_of(r);
    return (at_span_options){at_answer_window(r->model, s->window), s->stride, s->max_question};
}

static attend_status encode(at_run *r, int which, attend_error *err)
{
    bool own = which == 1 && r->valid;
    at_span_options o = windows_of(r);
    at_span_counts n;
    attend_status status = at_span_examples_new(own ? r->valid : r->corpus, own ? NULL : r->part,
                                                which ? ATTEND_PART_VALID : ATTEND_PART_TRAIN,
                                                r->model->source, &o, &n, &r->ids[which], err);
    if (status < 0)
        return status;
    at_run_say(r, "%zu questions to %s, %zu of them without an answer: %zu windows", n.questions,
               which ? "validate with" : "train on", n.unanswered, n.windows);
    if (which)
        state_of(r)->unanswered = n.unanswered;
    int pad = at_tokenizer_pad(r->model->source);
    r->sentences[which] = (at_encoded_supply){r->ids[which], pad, pad};
    r->supply[which] = at_supply_encoded(&r->sentences[which]);
    return ATTEND_OK;
}

static attend_status prepare(at_run *r, attend_error *err)
{
    at_model *m = r->model;
    attend_status status = ATTEND_OK;
    if (!m->source)
        status = at_run_learn(r, true, true, at_run_preset(r), &m->source, err);
    m->target = m->source;
    if (status >= 0)
        status = at_model_describe(m, err);
    for (int which = 0; which < 2 && status >= 0; which++)
        status = encode(r, which, err);
    return status < 0 ? status : at_run_vectors(r, err);
}

/* ---- batches -------------------------------------------------------------------------------- */

static attend_status take(at_run *r, const at_batch *batch, int shards, attend_error *err)
{
    state *s = state_of(r);
    int B = batch->source.B;
    s->batch = batch;
    s->first = at_arena_alloc(&r->memory, (size_t)B * sizeof *s->first);
    s->last = at_arena_alloc(&r->memory, (size_t)B * sizeof *s->last);
    if (!s->first || !s->last)
        return at_error_memory(err);
    for (int b = 0; b < B; b++) {
        s->first[b] = batch->target.ids[b * batch->target.T];
        s->last[b] = batch->target.ids[b * batch->target.T + 1];
    }
    r->shards = at_shards_cut(B, shards);
    r->n_targets = B;
    return ATTEND_OK;
}

static at_tensor *loss(void *run, at_tape *t, int shard)
{
    const at_run *r = run;
    const state *s = state_of(r);
    const at_block *x = &s->batch->source;
    const at_encodes *model = r->model->kind->encodes;
    int at = r->shards.first[shard], B = r->shards.first[shard + 1] - at;
    size_t from = (size_t)at * (size_t)x->T;
    at_inputs in = {.ids = {SHAPE(B, x->T), x->ids + from},
                    .lengths = x->lengths + at,
                    .segments = s->batch->segments + from};
    at_tensor *span = model->span(t, r->model, model->encode(t, r->model, &in));
    at_shape shape = SHAPE(B, x->T);
    at_tensor *start = at_slice(t, span, 2, 0, 1), *end = at_slice(t, span, 2, 1, 2);
    if (at_failed(t))
        return at_poison(t);
    at_span_targets targets = {s->first + at, s->last + at, x->lengths + at};
    return at_span_loss(t, at_reshape(t, start, shape), at_reshape(t, end, shape), targets,
                        (real)x->B);
}

/* ---- validation ----------------------------------------------------------------------------- */

enum { MAX_ASKED = 2000 };

/* questions of the validation, their answers and those of the model */
typedef struct {
    at_question *question;
    const char **made, **right;
    size_t count;
    at_arena memory;
} sample;

/* a question once: its windows follow each other */
static bool add_question(sample *s, const at_run *r, uint32_t example)
{
    at_example e;
    if (!at_corpus_at(at_run_valid(r), example, &s->memory, &e))
        return false;
    s->question[s->count] = (at_question){e.question, e.source};
    s->right[s->count] = at_answers_line(&e, &s->memory);
    return s->right[s->count++] != NULL;
}

static attend_status gather(sample *s, const at_run *r, attend_error *err)
{
    uint32_t before = UINT32_MAX;
    s->question = at_arena_alloc(&s->memory, MAX_ASKED * sizeof *s->question);
    s->made = at_arena_alloc(&s->memory, MAX_ASKED * sizeof *s->made);
    s->right = at_arena_alloc(&s->memory, MAX_ASKED * sizeof *s->right);
    if (!s->question || !s->made || !s->right)
        return at_error_memory(err);
    for (size_t i = 0; i < at_encoded_size(r->ids[1]) && s->count < MAX_ASKED; i++) {
        uint32_t example = at_encoded_at(r->ids[1], i).example;
        if (example != before && !add_question(s, r, example))
            return at_error_memory(err);
        before = example;
    }
    return ATTEND_OK;
}

static attend_status note(void *user, const at_answered *a, attend_error *err)
{
    sample *s = user;
    const char *context = s->question[a->index].context.text;
    size_t begin = a->answered ? a->span[0].begin : 0, end = a->answered ? a->span[0].end : 0;
    at_text text = {context + begin, end - begin};
    s->made[a->index] = at_answer_flat(text, &s->memory);
    return s->made[a->index] ? ATTEND_OK : at_error_memory(err);
}

static attend_status validate(at_run *r, at_metrics *metrics, attend_error *err)
{
    static const attend_metric found[] = {{"f1", "F1", 0, 0}, {"exact", "EM", 0, 0}};
    static const char *const measures[] = {"f1", "exact-match"};
    const settings *o = settings_of(r);
    sample s = {.count = 0};
    at_answer_options how = {.windows = windows_of(r),
                             .batch = 32,
                             .best = 1,
                             .max_answer = o->max_answer,
                             .threshold = state_of(r)->unanswered ? 0 : INFINITY};
    attend_status status = gather(&s, r, err);
    if (status >= 0)
        status = at_answer_questions(r->model, &how, s.count, s.question, note, &s, err);
    attend_lines made = {"answers", s.count, s.made}, right = {"answers", s.count, s.right};
    for (int i = 0; i < 2 && status >= 0; i++) {
        attend_metric m = found[i];
        status = at_corpus_score(measures[i], &made, &right, &m.value, err);
        at_metrics_add(metrics, m);
    }
    at_arena_free(&s.memory);
    return status;
}

static const at_option options[] = {
    {.name = "window",
     OPTION_COUNT(settings, window, "384", 8, 1 << 20),
     .group = "Answers",
     .help = "Tokens of a question with its context that are read at once"},
    {.name = "stride",
     OPTION_COUNT(settings, stride, "128", 1, 1 << 20),
     .help = "Tokens by which the next window of a long context begins later"},
    {.name = "max-question",
     OPTION_COUNT(settings, max_question, "64", 1, 1 << 16),
     .help = "Tokens of a question that are read"},
    {.name = "max-answer",
     OPTION_COUNT(settings, max_answer, "30", 1, 1 << 16),
     .help = "Tokens of an answer, at most, in validations"},
    {0}};

const at_task at_task_answer = {
    .name = "answer",
    .can = ATTEND_CAN_ANSWER,
    .metrics = "f1 loss exact",
    .use = {"answer", " --question TEXT --context TEXT"},
    .unit = "windows",
    .needs = ATTEND_HAS_QUESTION,
    .lacking = "no questions; --format squad, subjqa or babi has them",
    .shared = {at_text_options},
    .options = options,
    .settings_size = sizeof(settings),
    .state_size = sizeof(state),
    .prepare = prepare,
    .take = take,
    .loss = loss,
    .validate = validate,
};
