#include "base/threads.h"

#include <stdatomic.h>

#include "attend.h"
#include "base/pool.h"

#if defined(__SSE2__)
#include <immintrin.h>
enum { FLUSH = 0x8040 }; /* flush to zero, denormals are zero */
#endif

static atomic_int in_force; /* 0: not asked yet */

int attend_set_threads(int threads)
{
    int n = threads > 0 ? threads : at_processors();
    n = n < ATTEND_POOL_MAX ? n : ATTEND_POOL_MAX;
    atomic_store_explicit(&in_force, n, memory_order_relaxed);
    return n;
}

int attend_threads(void)
{
    int n = atomic_load_explicit(&in_force, memory_order_relaxed);
    return n ? n : attend_set_threads(0); /* counting processors is a system call: once */
}

int at_threads(void) { return at_pool_inside() ? 1 : attend_threads(); }

unsigned at_floats_flush(void)
{
#if defined(__SSE2__)
    unsigned old = _mm_getcsr();
    if ((old & FLUSH) != FLUSH) /* writing costs ten times as much as reading */
        _mm_setcsr(old | FLUSH);
    return old;
#elif defined(__aarch64__)
    unsigned long old;
    __asm__ volatile("mrs %0, fpcr" : "=r"(old));
    __asm__ volatile("msr fpcr, %0" : : "r"(old | (1ul << 24)));
    return (unsigned)old;
#else
    return 0;
#endif
}

void at_floats_restore(unsigned token)
{
#if defined(__SSE2__)
    if ((token & FLUSH) != FLUSH)
        _mm_setcsr(token);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"((unsigned long)token));
#else
    (void)token;
#endif
}

typedef struct {
    ptrdiff_t n, size;
    at_part *part;
    void *arg;
} ranges;

/* a thread's range; where there are fewer threads than ranges, one after the other */
static void run_ranges(void *arg, int thread, int threads)
{
    const ranges *r = arg;
    unsigned floats = at_floats_flush();
    for (ptrdiff_t begin = thread * r->size; begin < r->n; begin += threads * r->size)
        r->part(r->arg, begin, begin + r->size < r->n ? begin + r->size : r->n);
    at_floats_restore(floats);
}

void at_parallel_for(ptrdiff_t n, ptrdiff_t grain, at_part *part, void *arg)
{
    if (n <= 0)
        return;
    ptrdiff_t parts = n <= grain ? 1 : (n + grain - 1) / (grain > 0 ? grain : 1);
    if (parts > 1 && parts > at_threads())
        parts = at_threads();
    if (parts <= 1) {
        unsigned floats = at_floats_flush();
        part(arg, 0, n);
        at_floats_restore(floats);
        return;
    }
    ranges r = {n, (n + parts - 1) / parts, part, arg};
    at_pool_run((int)parts, run_ranges, &r);
}

typedef struct {
    int n;
    at_item *run;
    void *arg;
    atomic_int taken; /* beyond the first item of each thread, which is its own number */
} each;

/* The first item is fixed, so that a part as wide as the threads always runs the same way. */
static void work_on(void *arg, int thread, int threads)
{
    each *e = arg;
    unsigned floats = at_floats_flush();
    for (int i = thread; i < e->n; i = threads + atomic_fetch_add(&e->taken, 1))
        e->run(e->arg, i);
    at_floats_restore(floats);
}

void at_parallel_each(int n, double work, at_item *run, void *arg)
{
    enum { MIN_WORK = 50000 }; /* below this, waking a thread costs more than it brings */
    int threads = n > 1 && n * work >= MIN_WORK ? at_threads() : 1;
    threads = threads < n ? threads : n;
    if (threads <= 1) {
        unsigned floats = at_floats_flush();
        for (int i = 0; i < n; i++)
            run(arg, i);
        at_floats_restore(floats);
        return;
    }
    each e = {n, run, arg, 0};
    at_pool_run(threads, work_on, &e);
}
