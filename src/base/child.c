#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"

/* memory that both processes have */
typedef struct {
    bool finished; /* the rest is valid */
    attend_status status;
    attend_error err;
    attend_log_level level; /* of the warning */
    char warning[1004];     /* or "" */
} result;

/* ---- the child ------------------------------------------------------------------------------ */

static void keep_warning(void *user, attend_log_level level, const char *message)
{
    result *r = user;
    if (level < ATTEND_LOG_WARNING)
        return;
    r->level = level;
    snprintf(r->warning, sizeof r->warning, "%s", message);
}

/* Signals for the caller do not end the child, and no handler of the caller runs in it. */
static void set_signals(void)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2};
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGTRAP, SIGABRT, SIGILL, SIGFPE};
    struct rlimit none = {0, 0};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        signal(fatal[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a caller that is killed leaves no child */
}

/* Standard streams that lead nowhere, and `alive`; the caller's locks are in the rest. */
static bool set_files(int alive)
{
    enum { KEPT = 3 };
    if (alive != KEPT && dup2(alive, KEPT) < 0)
        return false;
    (void)!close_range(KEPT + 1, ~0U, 0);
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    bool made = nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0
                && dup2(nowhere, STDERR_FILENO) >= 0;
    if (nowhere > STDERR_FILENO)
        close(nowhere);
    return made;
}

_Noreturn static void be_child(at_child_work *work, void *arg, int alive, result *r)
{
    set_signals();
    if (!set_files(alive))
        _exit(1);
    attend_set_log(keep_warning, r);
    r->status = work(arg, &r->err);
    r->finished = true;
    _exit(0);
}

/* ---- the caller ----------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* until the child has ended, which closes its end of the pipe; false after the time limit */
static bool wait_for_end(int alive, int seconds)
{
    double end = now() + seconds, left;
    while ((left = end - now()) > 0) {
        struct pollfd p = {.fd = alive};
        int n = poll(&p, 1, (int)(left * 1000) + 1);
        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return false;
    }
    return false;
}

/* The child's status, as waitpid says; 0 where the program waits for all children itself. */
static int reap(pid_t child)
{
    int state = 0;
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR)
            return 0;
    return state;
}

static attend_status conclude(const result *r, const char *what, int state, attend_error *err)
{
    if (!r->finished && WIFSIGNALED(state))
        return at_error(err, ATTEND_MEMORY,
                        "%s ended with signal %d (%s), most likely for want of memory", what,
                        WTERMSIG(state), strsignal(WTERMSIG(state)));
    if (!r->finished)
        return at_error(err, ATTEND_MEMORY, "%s ended without a result", what);
    if (*r->warning)
        at_log(r->level, "%s", r->warning);
    return r->status < 0 ? at_error(err, r->status, "%s", r->err.message) : r->status;
}

static attend_status run(at_child_work *work, void *arg, const char *what, int seconds, result *r,
                         attend_error *err)
{
    int alive[2];
    if (pipe2(alive, O_CLOEXEC) < 0)
        return at_error(err, ATTEND_MEMORY, "%s: no pipe: %s", what, strerror(errno));
    pid_t child = fork();
    if (child == 0)
        be_child(work, arg, alive[1], r);
    int error = errno;
    close(alive[1]);
    bool ended = child > 0 && wait_for_end(alive[0], seconds);
    close(alive[0]);
    if (child < 0)
        return at_error(err, ATTEND_MEMORY, "%s: no process: %s", what, strerror(error));
    if (!ended)
        kill(child, SIGKILL);
    int state = reap(child);
    if (!ended && !r->finished)
        return at_error(err, ATTEND_STOPPED, "%s took more than %d seconds, and was stopped", what,
                        seconds);
    return conclude(r, what, state, err);
}

attend_status at_child_run(at_child_work *work, void *arg, const char *what, int seconds,
                           attend_error *err)
{
    result *r = mmap(NULL, sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (r == MAP_FAILED)
        return at_error_memory(err);
    attend_status status = run(work, arg, what, seconds, r, err);
    munmap(r, sizeof *r);
    return status;
}
