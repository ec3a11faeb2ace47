/* Threads that wait for work, for threads.c alone.
 *
 * Why not OpenMP: a thread that waits for others spins there for milliseconds, and only the user
 * can change that, before the program starts (OMP_WAIT_POLICY). Where another program has one of
 * the processors, a training step took six times as long as its share of them would let it. Here a
 * thread spins for some tens of microseconds, about as long as the parts of a step differ, and
 * then sleeps; with nobody else in the machine, both are as fast. bench/figures has times. */
#ifndef ATTEND_BASE_POOL_H
#define ATTEND_BASE_POOL_H

#include <stdbool.h>

enum { ATTEND_POOL_MAX = 1024 }; /* threads, the caller's included */

/* processors that this process may use */
int at_processors(void);

typedef void at_shard(void *arg, int thread, int threads);

/* Runs shard(arg, 0 .. n-1, n) side by side, 0 on the caller's thread, with at most `threads` of
 * them: fewer where no more can be made, and one where the threads have other work. */
void at_pool_run(int threads, at_shard *shard, void *arg);

/* Is this thread running a shard? Then another part would run on it alone. */
bool at_pool_inside(void);

#endif
