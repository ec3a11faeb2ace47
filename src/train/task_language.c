/* Language models, from running text.
 *
 *     loss = - 1/N sum log p(x_{t+1} | x_<=t)        over the N tokens of all windows of the batch
 *
 * Windows to train on come in a random order, and each begins without memory. A validation reads
 * the text as it stands: a recurrent model in streams side by side, and remembers what it has read;
 * a model with a fixed number of positions window by window. */
#include <string.h>

#include "data/windows.h"
#include "train/run_parts.h"

enum { STREAMS = 32 };

enum { SHUFFLED, RANDOM };

typedef struct {
    int windows;
} settings;

static const at_option options[] = {
    {.name = "windows",
     OPTION_CHOICE(settings, windows),
     .value = "shuffled",
     .choices = "shuffled|random",
     .group = "Running text",
     .help = "Training examples: the text cut into windows, which are shuffled in every epoch, or "
             "windows that begin at random tokens",
     .later = true},
    {0}};

typedef struct {
    at_windows *windows[2]; /* to train on, to validate with */
    int streams;            /* of the validation, each a row of a batch */
    const at_batch *batch;
    at_cache *cache; /* states of the validation's streams */
} state;

static state *state_of(const at_run *r) { return r->task_state; }

/* ---- before the first step ------------------------------------------------------------------- */

/* tokens of a window: a setting of the model, or all of its positions */
static int window_of(const at_run *r)
{
    int window = *(const int *)at_run_model_setting(r, "window");
    const int *context = at_run_model_setting(r, "context");
    return window || !context ? window : *context;
}

/* Can it carry what it has read from window to window? Positions of a table come to an end, and
 * what XLNet keeps of a text grows with it: memories are for the task permutation. */
static bool remembers(const at_run *r)
{
    return !at_run_model_setting(r, "context") && !at_run_model_setting(r, "mem-len");
}

/* which: 0 to learn from, 1 to validate with */
static attend_status cut_part(at_run *r, int which, int streams, attend_error *err)
{
    state *t = state_of(r);
    attend_error why;
    const settings *s = r->task_settings;
    at_windows_options o = {.T = window_of(r),
                            .streams = streams,
                            .random = which == 0 && s->windows == RANDOM,
                            .seed = r->settings.seed};
    attend_status status = at_windows_new(r->ids[which], &o, &t->windows[which], &why);
    if (status == ATTEND_FORMAT)
        return at_error(err, status, "%s: %s; choose another --window, or give %s",
                        which ? "what is to validate with" : "what is to learn from", why.message,
                        which ? "more with --valid, which is a share, a number of lines, or a file"
                              : "more --data");
    return status < 0 ? at_error(err, status, "%s", why.message) : status;
}

static attend_status cut_windows(at_run *r, attend_error *err)
{
    state *t = state_of(r);
    int T = window_of(r);
    size_t tokens = at_encoded_count(r->ids[1]).tokens[0];
    size_t most = tokens / (size_t)(T + 1); /* streams that have a window each */
    t->streams = most >= STREAMS ? STREAMS : most > 1 ? (int)most : 1;
    attend_status status = cut_part(r, 0, 0, err);
    if (status >= 0)
        status = cut_part(r, 1, remembers(r) ? t->streams : 0, err);
    for (int i = 0; i < 2 && status >= 0; i++)
        r->supply[i] = at_windows_supply(t->windows[i]);
    r->valid_batch = t->streams;
    return status;
}

/* what of the data nobody reads */
static void say_unread(at_run *r)
{
    unsigned has = at_corpus_has(r->corpus);
    if (has & ATTEND_HAS_TARGET)
        at_run_say(r,
                   "of these pairs the first side alone is learned; --text names another column, "
                   "--format text takes whole lines");
    else if (has & ATTEND_HAS_LABEL)
        at_run_say(r, "the labels are left out; --format text takes whole lines");
}

/* Does the tokenizer give back the newlines that texts have? */
static attend_status check_newlines(const at_tokenizer *t, attend_error *err)
{
    at_tokens tokens = {0};
    at_str text = {0};
    attend_status status = at_encode(t, "\n", 1, &tokens, err);
    bool unknown = tokens.count == 1 && tokens.item[0].id == t->special[ATTEND_SPECIAL_UNK];
    int32_t id = tokens.count ? tokens.item[0].id : -1;
    if (status >= 0 && tokens.count)
        status = at_decode(t, &id, 1, ATTEND_DECODE_PLAIN, &text, err);
    if (status >= 0 && !unknown && (tokens.count != 1 || strcmp(at_str_text(&text), "\n") != 0))
        status = at_error(err, ATTEND_OPTION,
                          "--newline text: the tokenizer %s loses newlines; choose --newline end, "
                          "or the tokenizer gpt2, chars or bytes",
                          t->kind->name);
    at_tokens_free(&tokens);
    at_str_free(&text);
    return status;
}

static attend_status prepare(at_run *r, attend_error *err)
{
    state *t = state_of(r);
    at_model *m = r->model;
    attend_status status = ATTEND_OK;
    say_unread(r);
    if (!m->source) {
        status = at_run_learn(r, true, false, at_run_preset(r), &m->source, err);
        m->target = m->source;
    }
    if (status >= 0 && at_model_keeps_newlines(r->kind, m->settings))
        status = check_newlines(m->source, err);
    for (int which = 0; which < 2 && status >= 0; which++) {
        bool runs = at_corpus_runs(which && r->valid ? r->valid : r->corpus);
        at_encode_options o = {.source = m->source,
                               .source_frame = runs ? ATTEND_FRAME_DOCUMENT : ATTEND_FRAME_INPUT};
        status = at_run_encode(r, which, &o, err);
    }
    if (status >= 0)
        status = cut_windows(r, err);
    if (status >= 0)
        status = at_model_describe(m, err);
    if (status >= 0)
        status = at_run_vectors(r, err);
    if (status < 0)
        return status;
    t->cache = m->kind->decodes->cache(m);
    at_run_say(r, "%zu tokens to train on, %zu to validate with; a vocabulary of %d",
               at_encoded_count(r->ids[0]).tokens[0], at_encoded_count(r->ids[1]).tokens[0],
               (int)at_tokenizer_size(m->source));
    return t->cache ? ATTEND_OK : at_error_memory(err);
}

/* ---- batches ------------------------------------------------------------------------------- */

static attend_status take(at_run *r, const at_batch *batch, int shards, attend_error *err)
{
    state *t = state_of(r);
    t->batch = batch;
    r->shards = at_shards_cut(batch->source.B, shards);
    r->n_targets = (double)batch->source.B * (double)batch->source.T;
    if (batch->index > 0)
        return ATTEND_OK;
    at_cache_clear(t->cache);
    return at_cache_join(t->cache, batch->source.B, err);
}

static at_tensor *loss(void *run, at_tape *tape, int shard)
{
    const at_run *r = run;
    state *t = state_of(r);
    const at_block *x = &t->batch->source;
    int at = r->shards.first[shard], B = r->shards.first[shard + 1] - at, T = x->T;
    bool training = at_tape_mode(tape) == ATTEND_TRAIN;
    at_ids words = {SHAPE(B, T), x->ids + (size_t)at * (size_t)T};
    at_ids targets = {SHAPE(B, T), t->batch->target.ids + (size_t)at * (size_t)T};
    at_decode_input in = {
        .cache = training || !remembers(r) ? NULL : t->cache, .tokens = words, .width = 1};
    at_decoded d = r->model->kind->decodes->decode(tape, r->model, &in);
    at_cross_entropy_options o = {.smoothing = training ? (real)r->settings.label_smoothing : 0,
                                  .ignore = -1,
                                  .divisor = (real)r->n_targets};
    return r->model->kind->decodes->loss(tape, r->model, d.features, (at_mixed_with){.gate = NULL},
                                         targets, o);
}

static void free_state(at_run *r)
{
    state *t = state_of(r);
    at_windows_free(t->windows[0]);
    at_windows_free(t->windows[1]);
    at_cache_free(t->cache);
}

const at_task at_task_language = {
    .name = "language",
    .can = ATTEND_CAN_GENERATE,
    .state_size = sizeof(state),
    .metrics = "perplexity loss",
    .use = {"generate", ""},
    .unit = "tokens",
    .perplexity = true,
    .pretrains = true,
    .whole = true,
    .shared = {at_text_options},
    .options = options,
    .settings_size = sizeof(settings),
    .prepare = prepare,
    .take = take,
    .loss = loss,
    .free = free_state,
};
