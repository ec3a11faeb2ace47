#include "base/child.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"

static attend_status refuse(void *arg, attend_error *err)
{
    *(int *)arg = 2;
    at_log(ATTEND_LOG_WARNING, "careful: %d", 7);
    return at_error(err, ATTEND_FORMAT, "line %d", 3);
}

static void count(void *user, attend_log_level level, const char *message)
{
    assert_int_equal(level, ATTEND_LOG_WARNING);
    assert_string_equal(message, "careful: 7");
    ++*(int *)user;
}

static void brings_back_status_message_and_warning(void **state)
{
    (void)state;
    attend_error err;
    int changed = 1, warnings = 0;
    attend_set_log(count, &warnings);
    assert_int_equal(at_child_run(refuse, &changed, "work", 60, &err), ATTEND_FORMAT);
    attend_set_log(NULL, NULL);
    assert_string_equal(err.message, "line 3");
    assert_int_equal(changed, 1);
    assert_int_equal(warnings, 1);
}

static attend_status end_by(void *arg, attend_error *err)
{
    (void)err;
    fprintf(stderr, "this is not seen\n");
    raise(*(int *)arg);
    return ATTEND_OK;
}

static void turns_fatal_signals_into_a_status(void **state)
{
    (void)state;
    attend_error err;
    int fatal[] = {SIGTRAP, SIGSEGV, SIGABRT, SIGKILL}, ignored = SIGINT;
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) {
        assert_int_equal(at_child_run(end_by, &fatal[i], "work", 60, &err), ATTEND_MEMORY);
        assert_non_null(strstr(err.message, "work ended with signal"));
    }
    assert_int_equal(at_child_run(end_by, &ignored, "work", 60, &err), ATTEND_OK);
}

static attend_status leave(void *arg, attend_error *err)
{
    (void)arg, (void)err;
    _exit(0);
}

static attend_status wait_for_ever(void *arg, attend_error *err)
{
    (void)arg, (void)err;
    while (true)
        pause();
    return ATTEND_OK;
}

static void an_end_without_a_result_is_none(void **state)
{
    (void)state;
    attend_error err;
    assert_int_equal(at_child_run(leave, NULL, "work", 60, &err), ATTEND_MEMORY);
    assert_string_equal(err.message, "work ended without a result");
    assert_int_equal(at_child_run(wait_for_ever, NULL, "work", 1, &err), ATTEND_STOPPED);
    assert_string_equal(err.message, "work took more than 1 seconds, and was stopped");
}

static attend_status unlock(void *arg, attend_error *err)
{
    bool has = flock(*(int *)arg, LOCK_UN) == 0;
    return has ? at_error(err, ATTEND_FILE, "the child has the file") : ATTEND_OK;
}

static void has_no_open_files_of_the_caller(void **state)
{
    (void)state;
    attend_error err;
    FILE *f = tmpfile();
    assert_non_null(f);
    int file = dup(fileno(f));
    assert_true(file > 3);
    assert_int_equal(at_child_run(unlock, &file, "work", 60, &err), ATTEND_OK);
    close(file);
    fclose(f);
}

static void works_where_nobody_may_wait_for_children(void **state)
{
    (void)state;
    attend_error err;
    int changed = 1;
    signal(SIGCHLD, SIG_IGN);
    assert_int_equal(at_child_run(refuse, &changed, "work", 60, &err), ATTEND_FORMAT);
    signal(SIGCHLD, SIG_DFL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brings_back_status_message_and_warning),
        cmocka_unit_test(turns_fatal_signals_into_a_status),
        cmocka_unit_test(an_end_without_a_result_is_none),
        cmocka_unit_test(has_no_open_files_of_the_caller),
        cmocka_unit_test(works_where_nobody_may_wait_for_children),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
