/* Tags of words, from sentences with a tag for each word.
 *
 *     loss = - 1/N sum log p(tag | sentence)     over the N words of the batch
 *
 * The first token of a word carries its tag; other tokens do not count. */
#include <string.h>

#include "base/memory.h"
#include "data/format.h"
#include "data/labels.h"
#include "data/split.h"
#include "data/tagged_words.h"
#include "decode/tag.h"
#include "train/run_parts.h"
#include "train/score.h"

typedef struct {
    int max_length;
} settings;

typedef struct {
    const at_batch *batch;
} state;

static state *state_of(const at_run *r) { return r->task_state; }

/* ---- before the first step ------------------------------------------------------------------ */

static int limit_of(const at_run *r)
{
    const settings *s = r->task_settings;
    return at_tag_limit(r->model, s->max_length);
}

static attend_status vocabularies(at_run *r, attend_error *err)
{
    at_model *m = r->model;
    attend_status status = ATTEND_OK;
    bool own = m->adapts; /* the labels of another head are not tags */
    if (!m->source)
        status = at_run_learn(r, true, false, at_run_preset(r), &m->source, err);
    m->target = m->source;
    if (own) {
        at_vocab_free(m->labels);
        m->labels = NULL;
    }
    if (status >= 0 && !m->labels)
        status = at_labels_of(r->corpus, &m->labels, err);
    return status;
}

static attend_status encode(at_run *r, int which, attend_error *err)
{
    bool own = which == 1 && r->valid;
    attend_status status = at_tagged_examples_new(own ? r->valid : r->corpus, own ? NULL : r->part,
                                                  which ? ATTEND_PART_VALID : ATTEND_PART_TRAIN,
                                                  r->model->source, r->model->labels, limit_of(r),
                                                  &r->ids[which], err);
    if (status < 0)
        return status;
    int pad = at_tokenizer_pad(r->model->source);
    r->sentences[which] = (at_encoded_supply){r->ids[which], pad, -1};
    r->supply[which] = at_supply_encoded(&r->sentences[which]);
    return ATTEND_OK;
}

static attend_status prepare(at_run *r, attend_error *err)
{
    attend_status status = vocabularies(r, err);
    if (status >= 0)
        status = at_model_describe(r->model, err);
    if (status < 0)
        return status;
    at_run_say(r, "%d tokens, %d tags", (int)at_tokenizer_size(r->model->source),
               (int)at_vocab_size(r->model->labels));
    for (int which = 0; which < 2 && status >= 0; which++)
        status = encode(r, which, err);
    return status < 0 ? status : at_run_vectors(r, err);
}

/* ---- batches -------------------------------------------------------------------------------- */

static attend_status take(at_run *r, const at_batch *batch, int shards, attend_error *err)
{
    const at_block *y = &batch->target;
    (void)err;
    state_of(r)->batch = batch;
    r->shards = at_shards_cut(batch->source.B, shards);
    r->n_targets = 0;
    for (int i = 0; i < y->B * y->T; i++)
        r->n_targets += y->ids[i] >= 0;
    return ATTEND_OK;
}

static at_tensor *loss(void *run, at_tape *t, int shard)
{
    const at_run *r = run;
    const at_batch *batch = state_of(r)->batch;
    const at_block *x = &batch->source;
    const at_encodes *model = r->model->kind->encodes;
    int at = r->shards.first[shard], B = r->shards.first[shard + 1] - at;
    size_t from = (size_t)at * (size_t)x->T;
    at_inputs in = {.ids = {SHAPE(B, x->T), x->ids + from}, .lengths = x->lengths + at};
    at_tensor *logits = model->tags(t, r->model, model->encode(t, r->model, &in));
    real words = r->n_targets > 0 ? (real)r->n_targets : 1;
    return at_cross_entropy(t, logits, (at_ids){SHAPE(B, x->T), batch->target.ids + from},
                            (at_cross_entropy_options){.ignore = -1, .divisor = words});
}

/* ---- validation ----------------------------------------------------------------------------- */

/* sentences of the validation, their tags and those of the model */
typedef struct {
    const at_vocab *labels;
    at_text *line;
    const char **made, **right;
    size_t count;
    at_arena memory;
} sample;

static attend_status gather(sample *s, const at_run *r, attend_error *err)
{
    size_t n = at_encoded_size(r->ids[1]) + 1;
    uint32_t before = UINT32_MAX;
    s->line = at_arena_alloc(&s->memory, n * sizeof *s->line);
    s->made = at_arena_alloc(&s->memory, n * sizeof *s->made);
    s->right = at_arena_alloc(&s->memory, n * sizeof *s->right);
    if (!s->line || !s->made || !s->right)
        return at_error_memory(err);
    for (size_t i = 0; i + 1 < n; i++) {
        uint32_t example = at_encoded_at(r->ids[1], i).example;
        at_example e;
        if (example == before)
            continue;
        at_corpus_at(at_run_valid(r), example, NULL, &e);
        s->line[s->count] = e.source;
        if (!(s->right[s->count++] = at_arena_text(&s->memory, e.label.text, e.label.size)))
            return at_error_memory(err);
        before = example;
    }
    return ATTEND_OK;
}

static attend_status note(void *user, const at_tagged_line *t, attend_error *err)
{
    sample *s = user;
    at_str line = {0};
    for (int i = 0; i < t->words; i++) {
        at_str_add(&line, i ? " " : "");
        at_str_add(&line, at_vocab_text(s->labels, t->tag[i], NULL));
    }
    s->made[t->line] = line.failed ? NULL
                                   : at_arena_text(&s->memory, at_str_text(&line), line.length);
    at_str_free(&line);
    return s->made[t->line] ? ATTEND_OK : at_error_memory(err);
}

/* the share of words with the right tag: lines of tags are of the same lengths */
static double accuracy(const sample *s)
{
    size_t words = 0, same = 0;
    for (size_t i = 0; i < s->count; i++) {
        at_text a = {s->made[i], strlen(s->made[i])}, b = {s->right[i], strlen(s->right[i])};
        for (at_text x, y; b.size; words++) {
            at_text_cut(&a, ' ', &x);
            at_text_cut(&b, ' ', &y);
            same += at_text_same(x, y);
        }
    }
    return words ? 100 * (double)same / (double)words : 0;
}

static attend_status validate(at_run *r, at_metrics *metrics, attend_error *err)
{
    sample s = {.labels = r->model->labels};
    attend_metric f1 = {"entity_f1", "entity-F1", 0, 0}, words = {"accuracy", "accuracy", 0, 0};
    at_tag_options o = {.batch = 64, .limit = limit_of(r)};
    attend_status status = gather(&s, r, err);
    if (status >= 0)
        status = at_tag_lines(r->model, &o, s.count, s.line, note, &s, err);
    attend_lines made = {"tags", s.count, s.made}, right = {"tags", s.count, s.right};
    if (status >= 0)
        status = at_corpus_score("entity-f1", &made, &right, &f1.value, err);
    if (status >= 0) {
        words.value = accuracy(&s);
        at_metrics_add(metrics, f1);
        at_metrics_add(metrics, words);
    }
    at_arena_free(&s.memory);
    return status;
}

static const at_option options[] = {
    {.name = "max-length",
     OPTION_COUNT(settings, max_length, "256", 4, 1 << 20),
     .help = "Tokens that are read at once; a longer sentence is read in parts"},
    {0}};

const at_task at_task_tag = {
    .name = "tag",
    .can = ATTEND_CAN_TAG,
    .metrics = "entity_f1 loss accuracy",
    .use = {"tag", " < FILE"},
    .unit = "words",
    .needs = ATTEND_HAS_TAGS,
    .lacking = "no tags; --format conll has a word and its tag on each line",
    .shared = {at_text_options},
    .options = options,
    .settings_size = sizeof(settings),
    .state_size = sizeof(state),
    .prepare = prepare,
    .take = take,
    .loss = loss,
    .validate = validate,
};
