#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

enum { MAX_WORKERS = ATTEND_POOL_MAX - 1, SPINS = 3000 };

typedef struct {
    pthread_t thread;
    pthread_cond_t work;
    atomic_bool asleep;
} worker;

/* One piece of work at a time. Every piece is a turn: its number, and in the low bits how many
 * threads have a shard in it, so that a worker without one reads nothing else. The caller goes on
 * when no shard is left. */
static struct {
    pthread_mutex_t lock; /* for falling asleep, and waking */
    pthread_cond_t done;
    worker worker[MAX_WORKERS];
    int workers;
    atomic_bool busy; /* somebody's work is being done */
    atomic_uint_fast64_t turn;
    atomic_int left;
    atomic_bool caller_asleep, ending;
    at_shard *shard;
    void *arg;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

enum { THREAD_BITS = 16 };
static int threads_of(uint_fast64_t turn) { return (int)(turn & ((1 << THREAD_BITS) - 1)); }

static _Thread_local bool inside;

bool at_pool_inside(void) { return inside; }

int at_processors(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
#endif
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

/* ---- waiting ------------------------------------------------------------------------------- */

static inline void rest(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Who falls asleep says so before he looks again, and who has something new says that before he
 * looks for sleepers: one of them sees the other. A fence between the two on each side, not the
 * order of atomic stores and loads alone: emulators of ARM lose that one on x86. */
static inline void say_before_looking(void) { atomic_thread_fence(memory_order_seq_cst); }

/* The next turn in which the worker has a shard, after the one seen; 0: the end. A turn without a
 * shard wakes nobody, and keeps nobody from falling asleep. */
static uint_fast64_t await_turn(int own, uint_fast64_t seen)
{
    worker *w = &pool.worker[own - 1];
    uint_fast64_t turn;
    for (int i = 0; i < SPINS; i++, rest()) {
        turn = atomic_load_explicit(&pool.turn, memory_order_acquire);
        if (turn != seen && own < threads_of(turn))
            return turn;
    }
    pthread_mutex_lock(&pool.lock);
    atomic_store_explicit(&w->asleep, true, memory_order_release);
    say_before_looking();
    while (((turn = atomic_load(&pool.turn)) == seen || own >= threads_of(turn))
           && !atomic_load(&pool.ending))
        pthread_cond_wait(&w->work, &pool.lock);
    atomic_store(&w->asleep, false);
    pthread_mutex_unlock(&pool.lock);
    return turn == seen || own >= threads_of(turn) ? 0 : turn;
}

static void await_shards(void)
{
    for (int i = 0; i < SPINS; i++, rest())
        if (atomic_load_explicit(&pool.left, memory_order_acquire) == 0)
            return;
    pthread_mutex_lock(&pool.lock);
    atomic_store_explicit(&pool.caller_asleep, true, memory_order_release);
    say_before_looking();
    while (atomic_load(&pool.left) != 0)
        pthread_cond_wait(&pool.done, &pool.lock);
    atomic_store(&pool.caller_asleep, false);
    pthread_mutex_unlock(&pool.lock);
}

static void wake_caller(void)
{
    pthread_mutex_lock(&pool.lock);
    pthread_cond_signal(&pool.done);
    pthread_mutex_unlock(&pool.lock);
}

/* those of the first workers that sleep */
static void wake_workers(int count)
{
    int first = 0;
    while (first < count && !atomic_load(&pool.worker[first].asleep))
        first++;
    if (first == count)
        return;
    pthread_mutex_lock(&pool.lock);
    for (int i = first; i < count; i++)
        if (atomic_load(&pool.worker[i].asleep))
            pthread_cond_signal(&pool.worker[i].work);
    pthread_mutex_unlock(&pool.lock);
}

/* ---- workers ------------------------------------------------------------------------------- */

static void *work(void *number)
{
    int own = (int)(intptr_t)number;
    uint_fast64_t turn = 0;
    inside = true;
    while ((turn = await_turn(own, turn))) {
        pool.shard(pool.arg, own, threads_of(turn));
        if (atomic_fetch_sub(&pool.left, 1) != 1)
            continue;
        say_before_looking();
        if (atomic_load(&pool.caller_asleep))
            wake_caller();
    }
    return NULL;
}

/* Of a fork: it has the caller's thread alone. The first turn that a new worker sees may be one
 * that is over: without a shard for it, as it began without it, or in a fork turn 0. */
static void forget_workers(void)
{
    pool.workers = 0;
    atomic_store(&pool.turn, 0);
    atomic_store(&pool.caller_asleep, false);
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.done, NULL);
    atomic_store(&pool.busy, false);
}

/* Signals are for the threads of the program; but for those that a thread causes itself, such as by
 * reading a mapped file that was cut short: blocked, they would end the process at once. */
static void block_signals(sigset_t *before)
{
    static const int own[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    sigset_t most;
    sigfillset(&most);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&most, own[i]);
    pthread_sigmask(SIG_BLOCK, &most, before);
}

/* `wanted` workers, or as many as there can be */
static int make_workers(int wanted)
{
    static bool registered;
    sigset_t before;
    if (pool.workers >= wanted)
        return wanted;
    if (!registered)
        registered = pthread_atfork(NULL, NULL, forget_workers) == 0;
    block_signals(&before);
    for (; pool.workers < wanted; pool.workers++) {
        worker *w = &pool.worker[pool.workers];
        atomic_store(&w->asleep, false);
        pthread_cond_init(&w->work, NULL);
        if (pthread_create(&w->thread, NULL, work, (void *)(intptr_t)(pool.workers + 1)) != 0)
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pool.workers;
}

__attribute__((destructor)) static void end_workers(void)
{
    if (atomic_exchange(&pool.busy, true)) /* they are at work, and the program ends with them */
        return;
    atomic_store_explicit(&pool.ending, true, memory_order_release);
    say_before_looking();
    wake_workers(pool.workers);
    for (int i = 0; i < pool.workers; i++)
        pthread_join(pool.worker[i].thread, NULL);
    pool.workers = 0;
}

/* ---- work ---------------------------------------------------------------------------------- */

void at_pool_run(int threads, at_shard *shard, void *arg)
{
    if (threads > 1 && !inside && !atomic_exchange(&pool.busy, true)) {
        threads = make_workers(threads - 1 < MAX_WORKERS ? threads - 1 : MAX_WORKERS) + 1;
        uint_fast64_t next = (atomic_load(&pool.turn) >> THREAD_BITS) + 1;
        pool.shard = shard;
        pool.arg = arg;
        atomic_store(&pool.left, threads - 1);
        atomic_store_explicit(&pool.turn, next << THREAD_BITS | (unsigned)threads,
                              memory_order_release);
        say_before_looking();
        wake_workers(threads - 1);
        inside = true;
        shard(arg, 0, threads);
        inside = false;
        await_shards();
        atomic_store(&pool.busy, false);
        return;
    }
    bool before = inside;
    inside = true;
    shard(arg, 0, 1);
    inside = before;
}
