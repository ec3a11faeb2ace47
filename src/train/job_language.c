/* Recurrent language models, from running text.
 *
 *     loss = - 1/N sum log p(x_{t+1} | x_<=t)        over the N words of all windows of the batch
 *
 * Windows to train on come in a random order, and each begins without memory. A validation reads
 * the text as it stands, in streams side by side, and remembers what it has read. */
#include <stddef.h>

#include "data/windows.h"
#include "store/language_folder.h"
#include "train/run_parts.h"

enum { STREAMS = 32 };

typedef struct {
    at_language_folder folder; /* settings, model, weights, tokenizer */
    at_windows *windows[2];    /* to train on, to validate with */
    int streams;               /* of the validation */
    const at_batch *batch;
    at_cache *cache; /* states of the validation's streams */
} task;

static task *task_of(const at_run *r) { return r->task; }

/* ---- before the first step ----------------------------------------------------------------- */

static attend_status check(const void *settings, attend_error *err)
{
    enum { SOME_WORDS = 1000 };
    at_language any;
    return at_language_model(settings, SOME_WORDS, &any, err);
}

static attend_status open(void *of_run, const char *folder, attend_error *err)
{
    task *t = of_run;
    return at_language_folder_open(folder, &t->folder, err);
}

/* which: 0 to learn from, 1 to validate with */
static attend_status cut_part(at_run *r, int which, int streams, attend_error *err)
{
    task *t = task_of(r);
    attend_error why;
    attend_status status = at_windows_new(r->numbers[which], t->folder.settings.window, streams,
                                          &t->windows[which], &why);
    if (status == ATTEND_FORMAT)
        return at_error(err, status, "%s: %s; choose another --window, or give %s",
                        which ? "what is to validate with" : "what is to learn from", why.message,
                        which ? "more with --valid, which is a share, a number of lines, or a file"
                              : "more --data");
    return status < 0 ? at_error(err, status, "%s", why.message) : status;
}

static attend_status cut_windows(at_run *r, attend_error *err)
{
    task *t = task_of(r);
    int T = t->folder.settings.window;
    size_t tokens = at_encoded_count(r->numbers[1]).tokens[0];
    size_t most = tokens / (size_t)(T + 1); /* streams that have a window each */
    t->streams = most >= STREAMS ? STREAMS : most > 1 ? (int)most : 1;
    attend_status status = cut_part(r, 0, 0, err);
    if (status >= 0)
        status = cut_part(r, 1, t->streams, err);
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

static attend_status prepare(at_run *r, attend_error *err)
{
    task *t = task_of(r);
    at_language_folder *f = &t->folder;
    say_unread(r);
    attend_status status = f->tokenizer ? ATTEND_OK
                                        : at_run_learn(r, true, false, f->settings.preset,
                                                       &f->tokenizer, err);
    at_encode_options o = {.source = f->tokenizer, .source_frame = ATTEND_FRAME_INPUT};
    if (status >= 0)
        status = at_run_encode(r, &o, err);
    if (status >= 0)
        status = cut_windows(r, err);
    if (status >= 0)
        status = at_language_model(&f->settings, at_tokenizer_size(f->tokenizer), &f->model, err);
    if (status >= 0)
        status = at_run_vectors(r, ATTEND_LANGUAGE_WORDS, f->tokenizer, f->model.embedding,
                                ATTEND_LANGUAGE_WORDS_SCALE, err);
    if (status < 0)
        return status;
    t->cache = at_language_cache(&f->model);
    at_run_say(r, "%zu words to learn from, %zu to validate with, %d different ones",
               at_encoded_count(r->numbers[0]).tokens[0], at_encoded_count(r->numbers[1]).tokens[0],
               f->model.vocabulary);
    return t->cache ? ATTEND_OK : at_error_memory(err);
}

static attend_status weights(void *of_run, const char *folder, attend_error *err)
{
    task *t = of_run;
    return at_language_folder_weights(&t->folder, folder, err);
}

static attend_status save(at_run *r, attend_error *err)
{
    return at_language_folder_save(r->settings.out, &task_of(r)->folder, err);
}

/* ---- batches ------------------------------------------------------------------------------- */

static attend_status take(at_run *r, const at_batch *batch, int shards, attend_error *err)
{
    task *t = task_of(r);
    t->batch = batch;
    r->shards = at_shards_cut(batch->source.B, shards);
    r->asked = (double)batch->source.B * (double)batch->source.T;
    if (batch->index > 0)
        return ATTEND_OK;
    at_cache_clear(t->cache);
    return at_cache_join(t->cache, batch->source.B, err);
}

static at_tensor *loss(void *run, at_tape *tape, int shard)
{
    const at_run *r = run;
    task *t = task_of(r);
    const at_block *x = &t->batch->source;
    int at = r->shards.first[shard], B = r->shards.first[shard + 1] - at, T = x->T;
    bool training = at_tape_mode(tape) == ATTEND_TRAIN;
    at_ids words = {SHAPE(B, T), x->ids + (size_t)at * (size_t)T};
    at_ids targets = {SHAPE(B, T), t->batch->target.ids + (size_t)at * (size_t)T};
    at_tensor *y = at_language_read(tape, &t->folder.model, words, training ? NULL : t->cache);
    at_cross_entropy_options o = {.smoothing = training ? (real)r->settings.smoothing : 0,
                                  .ignore = -1,
                                  .divisor = (real)r->asked};
    return at_language_loss(tape, &t->folder.model, y, targets, o);
}

static void free_task(at_run *r)
{
    task *t = task_of(r);
    at_windows_free(t->windows[0]);
    at_windows_free(t->windows[1]);
    at_cache_free(t->cache);
    at_language_folder_free(&t->folder);
}

const at_job at_job_language = {
    .name = "language",
    .family = &at_family_language,
    .size = sizeof(task),
    .metrics = "perplexity loss",
    .use = {"generate", ""},
    .unit = "words",
    .perplexity = true,
    .whole = true,
    .check = check,
    .settings = offsetof(task, folder.settings),
    .params = offsetof(task, folder.params),
    .open = open,
    .prepare = prepare,
    .weights = weights,
    .save = save,
    .take = take,
    .loss = loss,
    .free = free_task,
};
