/* Workers: sessions of the same models, one for each thread, that search batches side by side.
 *
 * Products of a few dozen rows are too small to share among threads; whole batches are not. The
 * results of a sentence do not depend on the batch, so they do not depend on the workers. */
#ifndef ATTEND_DECODE_WORKERS_H
#define ATTEND_DECODE_WORKERS_H

#include "decode/session.h"

typedef struct {
    int count;
    at_session **session; /* [count]: the first is the caller's */
} at_workers;

/* The workers that `sentences` sentences of `width` rows occupy: at most one for each thread, and
 * one where the weights of a model can still change. Release with at_workers_free, on failure too;
 * the session stays the caller's. */
attend_status at_workers_make(at_workers *w, at_session *session, size_t sentences, int width,
                              attend_error *err);
void at_workers_free(at_workers *w);

/* The sentences of a batch, at most max, where all batches are of like size and every worker has as
 * many of them as any other. */
size_t at_workers_batch(const at_workers *w, size_t sentences, size_t max);

typedef attend_status at_workers_function(void *user, at_session *session, size_t batch,
                                          attend_error *err);

/* Runs batches 0 .. count-1, each in the session of the next worker that is free. Fails with the
 * first batch that failed; batches that have not begun by then are left out. */
attend_status at_workers_run(const at_workers *w, size_t count, at_workers_function *run,
                             void *user, attend_error *err);

#endif
