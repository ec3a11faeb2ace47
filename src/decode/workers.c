#include "decode/workers.h"

#include <stdatomic.h>

#include "base/memory.h"
#include "base/threads.h"

enum { MIN_ROWS = 8 }; /* of a worker: fewer are faster with all threads inside their products */

/* Tapes make parameters, and pack weights, where the set is not shared. */
static bool can_share(const at_session *s)
{
    for (int i = 0; i < at_session_models(s); i++)
        if (!at_params_shared(at_session_model(s, i)->params))
            return false;
    return true;
}

static attend_status copy_session(const at_session *s, at_session **out, attend_error *err)
{
    const at_model *models[ATTEND_ENSEMBLE_MOST];
    for (int i = 0; i < at_session_models(s); i++)
        models[i] = at_session_model(s, i);
    return at_session_new(at_session_models(s), models, out, err);
}

attend_status at_workers_make(at_workers *w, at_session *session, size_t sentences, int width,
                              attend_error *err)
{
    size_t threads = can_share(session) ? (size_t)at_threads() : 1;
    size_t most = sentences * (size_t)width / MIN_ROWS;
    most = most < sentences ? most : sentences;
    size_t n = most < 1 ? 1 : most < threads ? most : threads;
    *w = (at_workers){.session = at_alloc_zero(n, sizeof *w->session)};
    if (!w->session)
        return at_error_memory(err);
    w->session[w->count++] = session;
    attend_status status = ATTEND_OK;
    while (status >= 0 && (size_t)w->count < n) {
        status = copy_session(session, &w->session[w->count], err);
        w->count += status >= 0;
    }
    return status;
}

void at_workers_free(at_workers *w)
{
    for (int i = 1; i < w->count; i++)
        at_session_free(w->session[i]);
    at_free(w->session);
    *w = (at_workers){.count = 0};
}

size_t at_workers_batch(const at_workers *w, size_t sentences, size_t max)
{
    size_t n = (size_t)w->count, batches = (sentences + max - 1) / max;
    batches = (batches + n - 1) / n * n;
    return batches ? (sentences + batches - 1) / batches : max;
}

typedef struct {
    const at_workers *workers;
    size_t count;
    at_workers_function *run;
    void *user;
    atomic_size_t next;
    atomic_bool failed;
    struct failure {
        attend_status status;
        size_t batch;
        attend_error err;
    } * failure; /* [workers] */
} work;

static void run_worker(void *arg, int i)
{
    work *w = arg;
    struct failure *f = &w->failure[i];
    while (!atomic_load(&w->failed) && (f->batch = atomic_fetch_add(&w->next, 1)) < w->count) {
        f->status = w->run(w->user, w->workers->session[i], f->batch, &f->err);
        if (f->status < 0) {
            atomic_store(&w->failed, true);
            return;
        }
    }
}

attend_status at_workers_run(const at_workers *workers, size_t count, at_workers_function *run,
                             void *user, attend_error *err)
{
    enum { LARGE = 1 << 30 };
    work w = {.workers = workers, .count = count, .run = run, .user = user};
    w.failure = at_alloc_zero((size_t)workers->count, sizeof *w.failure);
    if (!w.failure)
        return at_error_memory(err);
    at_parallel_each(workers->count, LARGE, run_worker, &w);
    const struct failure *first = NULL;
    for (int i = 0; i < workers->count; i++)
        if (w.failure[i].status < 0 && (!first || w.failure[i].batch < first->batch))
            first = &w.failure[i];
    attend_status status = first ? first->status : ATTEND_OK;
    if (first && err)
        *err = first->err;
    at_free(w.failure);
    return status;
}
