/* Work in a child process: a library that aborts, or a signal, ends the child and is a status here.
 *
 * The child is a copy of the process with the calling thread alone: the work must not use the
 * thread pool. Where another thread held a lock that the work needs, the time limit ends it. */
#ifndef ATTEND_BASE_CHILD_H
#define ATTEND_BASE_CHILD_H

#include "base/error.h"

typedef attend_status at_child_work(void *arg, attend_error *err);

/* Runs the work in a child and waits for its end, at most `seconds`. Files that the work writes are
 * its result, and its status, its message and its last warning to the log come back; changes in
 * memory do not. The child prints nothing and has no open files of the caller.
 *
 * what    the work for messages: "drawing"
 *
 * ATTEND_STOPPED after the time limit; ATTEND_MEMORY where no child could be started, or it ended
 * without a status. */
attend_status at_child_run(at_child_work *work, void *arg, const char *what, int seconds,
                           attend_error *err);

#endif
