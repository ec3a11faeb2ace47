/* Threads behind four functions (pool.h has them).
 *
 * Work is cut into parts that do not depend on each other's order; nothing is ever summed in an
 * order that depends on the number of threads. Inside a parallel part everything runs on the
 * calling thread: parts do not nest. */
#ifndef ATTEND_BASE_THREADS_H
#define ATTEND_BASE_THREADS_H

#include <stddef.h>

/* how many threads a parallel part started here would get: 1 inside another one */
int at_threads(void);

typedef void at_part(void *arg, ptrdiff_t begin, ptrdiff_t end);

/* Cuts [0,n) into at most at_threads() ranges, none smaller than grain (but the last), and runs
 * them side by side. The caller's thread takes one. */
void at_parallel_for(ptrdiff_t n, ptrdiff_t grain, at_part *part, void *arg);

/* Runs items 0..n-1 one by one on whichever thread is free: for few, large, uneven items. work is
 * about how many multiply-adds an item takes; where all of them are few, one thread does it. */
typedef void at_item(void *arg, int item);
void at_parallel_each(int n, double work, at_item *run, void *arg);

/* Makes this thread flush denormal numbers to zero, as every thread of a parallel part does;
 * they cost a factor of 100 and carry nothing. Whoever drives many small steps calls it once
 * around them: then no part has to. Returns a token for at_floats_restore. */
unsigned at_floats_flush(void);
void at_floats_restore(unsigned token);

#endif
