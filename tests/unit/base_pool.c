/* Every share runs once, whoever calls, however long the workers have slept, and in a fork. */
#include "base/pool.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST = 8 };

typedef struct {
    atomic_int runs[MOST], threads, nested;
} seen;

static void alone(void *arg, int thread, int threads)
{
    seen *s = arg;
    if (thread == 0 && threads == 1)
        atomic_fetch_add(&s->nested, 1);
}

static void look(void *arg, int thread, int threads)
{
    seen *s = arg;
    atomic_fetch_add(&s->runs[thread], 1);
    atomic_store(&s->threads, threads);
    if (at_pool_inside())
        at_pool_run(4, alone, s); /* inside of a share there are no others */
}

/* how many threads ran it; each of them once */
static int run(int threads)
{
    seen s;
    memset(&s, 0, sizeof s);
    at_pool_run(threads, look, &s);
    int n = atomic_load(&s.threads);
    for (int i = 0; i < MOST; i++)
        if (atomic_load(&s.runs[i]) != (i < n))
            return -1;
    return atomic_load(&s.nested) == n ? n : -2;
}

static void every_share_runs_once(void **state)
{
    (void)state;
    for (int turn = 0; turn < 20000; turn++)
        assert_int_equal(run(1 + turn % 5), 1 + turn % 5);
    assert_false(at_pool_inside());
}

static void sleepers_wake(void **state)
{
    (void)state;
    for (int turn = 0; turn < 20; turn++) {
        usleep(5000);
        assert_int_equal(run(2 + turn % 3), 2 + turn % 3);
    }
}

static void take_long(void *arg, int thread, int threads)
{
    (void)threads;
    if (thread == 1)
        usleep(20000);
    atomic_fetch_add((atomic_int *)arg, 1);
}

static void a_caller_waits_for_the_last(void **state)
{
    atomic_int done = 0;
    (void)state;
    at_pool_run(3, take_long, &done);
    assert_int_equal(atomic_load(&done), 3);
}

static void *call(void *wrong)
{
    for (int turn = 0; turn < 3000; turn++) {
        int n = run(3); /* alone where another caller has the workers */
        if (n != 1 && n != 3)
            atomic_fetch_add((atomic_int *)wrong, 1);
    }
    return NULL;
}

static void several_callers_do_not_meet(void **state)
{
    pthread_t caller[4];
    atomic_int wrong = 0;
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&caller[i], NULL, call, &wrong), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(caller[i], NULL);
    assert_int_equal(atomic_load(&wrong), 0);
}

static void turns_of_any_size_follow_each_other(void **state)
{
    (void)state;
    for (int turn = 0; turn < 2000; turn++) {
        int threads = 2 + turn * 7 % (MOST - 1);
        assert_int_equal(run(threads), threads);
    }
}

static void a_fork_has_workers_of_its_own(void **state)
{
    int status = 0;
    (void)state;
#ifdef ATTEND_EMULATED
    skip(); /* qemu-user: no threads in a fork of a program with threads */
#endif
    for (int turn = 0; turn < 50; turn++) {
        assert_int_equal(run(5), 5);
        pid_t child = fork();
        if (child == 0)
            _exit(run(3) == 3 && run(5) == 5 ? 0 : 1);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

static void there_is_a_processor(void **state)
{
    (void)state;
    assert_true(at_processors() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_share_runs_once),
        cmocka_unit_test(sleepers_wake),
        cmocka_unit_test(a_caller_waits_for_the_last),
        cmocka_unit_test(several_callers_do_not_meet),
        cmocka_unit_test(turns_of_any_size_follow_each_other),
        cmocka_unit_test(a_fork_has_workers_of_its_own),
        cmocka_unit_test(there_is_a_processor),
    };
    return cmocka_run_group_tests_name("base_pool", tests, NULL, NULL);
}
