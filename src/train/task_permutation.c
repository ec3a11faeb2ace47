/* Permutation language modelling: permuted_loss.h has the loss.
 *
 * Running text is cut into windows, which come in a random order; with a memory it is cut into
 * streams, one for each row of a batch, and a row's next window continues the text of the last.
 * Pairs of texts are one sequence each, A <sep> B <sep> <cls>, with a segment for each text: of two
 * languages, a model that predicts each from the other. A validation draws the same orders every
 * time, and runs forwards alone. */
#include <string.h>

#include "data/windows.h"
#include "train/permuted_loss.h"
#include "train/run_parts.h"

enum { VALID_ROWS = 32 };
enum { ALL, SECOND };

typedef struct {
    int one_in, max_span, predict;
} settings;

static const at_option options[] = {
    {.name = "one-in",
     OPTION_COUNT(settings, one_in, "6", 1, 1000),
     .group = "Permutation",
     .help = "Predict one token in K, the last ones of a random order; 1: all tokens"},
    {.name = "max-span",
     OPTION_COUNT(settings, max_span, "5", 1, 1000),
     .help = "Tokens side by side that are predicted together, at most"},
    {.name = "predict",
     OPTION_CHOICE(settings, predict),
     .value = "all",
     .choices = "all|second",
     .help = "Of pairs of texts: predict tokens of both texts, or of the second one alone"},
    {0}};

typedef struct {
    at_permuted_loss loss[2]; /* of training, of validations */
    at_permuted_memory memory[2];
    at_windows *windows[2];
    bool pairs;
} state;

static state *state_of(const at_run *r) { return r->task_state; }
static const settings *settings_of(const at_run *r) { return r->task_settings; }
static at_permuted_loss *loss_of(const at_run *r) { return &state_of(r)->loss[r->validating]; }

/* ---- before the first step ------------------------------------------------------------------- */

static int window_of(const at_run *r) { return *(const int *)at_run_model_setting(r, "window"); }

static attend_status cut_windows(at_run *r, int which, int rows, attend_error *err)
{
    state *t = state_of(r);
    const at_permutes *p = r->kind->permutes;
    bool remembers = p->memory(r->model) > 0;
    attend_error why;
    at_windows_options o = {.T = window_of(r),
                            .streams = remembers ? rows : 0,
                            .stride = p->reuse(r->model),
                            .shifted = which == 0,
                            .seed = r->settings.seed};
    if (which == 0 && p->two_ways(r->model))
        o.backwards = o.streams / 2;
    attend_status status = at_windows_new(r->ids[which], &o, &t->windows[which], &why);
    if (status == ATTEND_FORMAT)
        return at_error(err, status, "%s: %s%s; choose another --window%s, or give %s",
                        which ? "the text to validate with" : "the text to train on", why.message,
                        remembers ? " for each row" : "", remembers ? " or --batch" : "",
                        which ? "more with --valid, which is a share, a number of lines, or a file"
                              : "more --data");
    if (status < 0)
        return at_error(err, status, "%s", why.message);
    r->supply[which] = at_windows_supply(t->windows[which]);
    if (!remembers)
        return ATTEND_OK;
    int stride = o.stride && o.stride < o.T ? o.stride : o.T;
    if (!at_permuted_memory_make(&t->memory[which], r->model, rows, stride))
        return at_error_memory(err);
    t->loss[which].memory = &t->memory[which];
    return ATTEND_OK;
}

/* A checkpoint keeps the memory of training: what the next batch reads. */
static void keep_memory(at_run *r)
{
    const at_permuted_loss *l = &state_of(r)->loss[0];
    int reads = ((int)(l->batch.index & 1) + l->memory->turn) & 1;
    const at_model *m = r->model;
    r->state.array[0] = (at_task_array){.name = "memory",
                                        .shape = SHAPE(m->kind->encodes->layers(m), l->memory->B,
                                                       m->kind->permutes->memory(m),
                                                       m->kind->encodes->width(m)),
                                        .value = l->memory->states[!reads]};
    r->state.arrays = 1;
}

static int rows_of(const at_run *r, int which)
{
    const at_run_settings *s = &r->settings;
    int T = window_of(r), rows = s->batch_tokens ? s->batch_tokens / T : (int)at_run_batch(s);
    size_t most = at_encoded_count(r->ids[which]).tokens[0] / (size_t)(T + 1);
    if (which == 0)
        return rows < 1 ? 1 : rows;
    return most >= VALID_ROWS ? VALID_ROWS : most > 1 ? (int)most : 1;
}

static attend_status make_examples(at_run *r, attend_error *err)
{
    state *t = state_of(r);
    t->pairs = at_corpus_has(r->corpus) & ATTEND_HAS_TARGET;
    attend_status status = ATTEND_OK;
    for (int which = 0; which < 2 && status >= 0; which++) {
        bool runs = at_corpus_runs(which && r->valid ? r->valid : r->corpus);
        at_encode_options o = {.source = r->model->source,
                               .source_frame = runs ? ATTEND_FRAME_DOCUMENT : ATTEND_FRAME_INPUT,
                               .joined = t->pairs,
                               .max_source = t->pairs ? window_of(r) : 0,
                               .max_target = t->pairs ? window_of(r) : 0};
        status = at_run_encode(r, which, &o, err);
        int rows = rows_of(r, which);
        if (status >= 0 && !t->pairs)
            status = cut_windows(r, which, rows, err);
        r->in_order |= t->loss[0].memory != NULL;
        r->valid_batch = which ? rows : r->valid_batch;
    }
    return status;
}

static attend_status check(at_run *r, attend_error *err)
{
    const at_model *m = r->model;
    const at_permutes *p = r->kind->permutes;
    bool pairs = at_corpus_has(r->corpus) & ATTEND_HAS_TARGET;
    if (pairs && p->memory(m))
        return at_error(err, ATTEND_OPTION,
                        "--mem-len %d: pairs of texts follow no earlier text; leave it out, or "
                        "choose one of the two texts with --text",
                        p->memory(m));
    if (!pairs && settings_of(r)->predict == SECOND)
        return at_error(err, ATTEND_OPTION,
                        "--predict second: these are not pairs of texts; leave it out");
    return ATTEND_OK;
}

static void set_loss(at_run *r, int which)
{
    const settings *s = settings_of(r);
    at_permuted_loss *l = &state_of(r)->loss[which];
    l->model = r->model;
    l->backwards = which == 0 && r->kind->permutes->two_ways(r->model);
    at_permuting_defaults(&l->permuting, r->model->source);
    l->permuting.share = 1.0 / s->one_in;
    l->permuting.max_span = s->max_span;
    l->permuting.second = s->predict == SECOND;
    l->permuting.seed = r->settings.seed;
}

static attend_status prepare(at_run *r, attend_error *err)
{
    at_model *m = r->model;
    attend_status status = ATTEND_OK;
    if (!m->source) {
        bool pairs = at_corpus_has(r->corpus) & ATTEND_HAS_TARGET;
        status = at_run_learn(r, true, pairs, at_run_preset(r), &m->source, err);
        m->target = m->source;
    }
    if (status >= 0)
        status = at_model_describe(m, err);
    if (status >= 0)
        status = check(r, err);
    for (int which = 0; which < 2 && status >= 0; which++)
        set_loss(r, which);
    if (status >= 0)
        status = make_examples(r, err);
    if (status >= 0)
        status = at_run_vectors(r, err);
    if (status < 0)
        return status;
    if (state_of(r)->loss[0].memory)
        keep_memory(r);
    at_run_say(r, "%zu tokens to train on, %zu to validate with; a vocabulary of %d",
               at_encoded_count(r->ids[0]).tokens[0], at_encoded_count(r->ids[1]).tokens[0],
               (int)at_tokenizer_size(m->source));
    return ATTEND_OK;
}

/* ---- batches ------------------------------------------------------------------------------- */

static attend_status take(at_run *r, const at_batch *batch, int shards, attend_error *err)
{
    at_permuted_loss *l = loss_of(r);
    attend_status status = at_permuted_loss_take(l, batch, shards, &r->memory, err);
    l->frozen = r->estimating;
    r->shards = l->shards;
    r->n_targets = l->order.count ? (double)l->order.count : 1;
    return status;
}

static at_tensor *loss(void *run, at_tape *tape, int shard)
{
    return at_permuted_loss_of(loss_of(run), tape, shard);
}

static double done(at_run *r, double objective)
{
    if (state_of(r)->loss[0].memory)
        keep_memory(r);
    return objective;
}

static void show(const at_run *r, int row, at_str *out)
{
    at_permuted_loss_show(&state_of(r)->loss[0], row, out);
}

/* The memory was read into what prepare named, states[1]: the next batch reads it there. */
static void load_state(at_run *r, at_fields *fields)
{
    (void)fields;
    state_of(r)->memory[0].turn = 1 ^ (int)(r->state.position.batch & 1);
}

static void free_state(at_run *r)
{
    state *t = state_of(r);
    for (int i = 0; i < 2; i++) {
        at_windows_free(t->windows[i]);
        at_permuted_memory_free(&t->memory[i]);
    }
}

const at_task at_task_permutation = {
    .name = "permutation",
    .can = ATTEND_CAN_PERMUTE | ATTEND_CAN_PRETRAIN,
    .pretrains = true,
    .metrics = "perplexity loss",
    .use = {"inspect", ""},
    .unit = "predicted tokens",
    .perplexity = true,
    .whole = true,
    .shared = {at_text_options, at_pretrain_options},
    .options = options,
    .settings_size = sizeof(settings),
    .state_size = sizeof(state),
    .prepare = prepare,
    .take = take,
    .loss = loss,
    .done = done,
    .show = show,
    .load_state = load_state,
    .free = free_state,
};
