/* The part of cmocka that our unit tests use, for builds where cmocka is not: Debian has it for
 * another processor only after `dpkg --add-architecture`, which a test run should not do to a
 * machine. One header, since each unit test is one file. Prints what cmocka prints. */
#ifndef ATTEND_TESTS_CROSS_CMOCKA_H
#define ATTEND_TESTS_CROSS_CMOCKA_H

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CROSS static __attribute__((unused))

typedef void CMUnitTestFunction(void **state);
typedef int CMFixtureFunction(void **state);

struct CMUnitTest {
    const char *name;
    CMUnitTestFunction *test;
    CMFixtureFunction *setup, *teardown;
    void *state;
};

#define cmocka_unit_test(f) {#f, f, NULL, NULL, NULL}
#define cmocka_unit_test_setup(f, s) {#f, f, s, NULL, NULL}
#define cmocka_unit_test_teardown(f, t) {#f, f, NULL, t, NULL}
#define cmocka_unit_test_setup_teardown(f, s, t) {#f, f, s, t, NULL}
#define cmocka_unit_test_prestate(f, state) {#f, f, NULL, NULL, state}

#define cmocka_run_group_tests(tests, setup, teardown) \
    cross_run(tests, sizeof(tests) / sizeof(tests)[0], setup, teardown)
#define cmocka_run_group_tests_name(name, tests, setup, teardown) \
    cmocka_run_group_tests(tests, setup, teardown)

enum { CROSS_OK, CROSS_FAILED, CROSS_SKIPPED };
static jmp_buf cross_return;

CROSS void cross_check(int holds, const char *what, const char *file, int line)
{
    if (holds)
        return;
    printf("%s\n%s:%d: error: Failure!\n", what, file, line);
    longjmp(cross_return, CROSS_FAILED);
}

CROSS int cross_run_one(const struct CMUnitTest *one, void *state)
{
    int result = setjmp(cross_return);
    if (result != CROSS_OK)
        return result;
    if (one->state)
        state = one->state;
    if (one->setup)
        cross_check(one->setup(&state) == 0, "setup failed", one->name, 0);
    one->test(&state);
    if (one->teardown)
        cross_check(one->teardown(&state) == 0, "teardown failed", one->name, 0);
    return CROSS_OK;
}

CROSS int cross_run(const struct CMUnitTest *tests, size_t n, CMFixtureFunction *setup,
                    CMFixtureFunction *teardown)
{
    static const char *const word[] = {"[       OK ]", "[  FAILED  ]", "[  SKIPPED ]"};
    int count[3] = {0, 0, 0};
    void *state = NULL;
    if (setup && setup(&state) != 0)
        return (int)n;
    for (size_t i = 0; i < n; i++) {
        printf("[ RUN      ] %s\n", tests[i].name);
        int result = cross_run_one(&tests[i], state);
        printf("%s %s\n", word[result], tests[i].name);
        count[result]++;
    }
    if (teardown)
        teardown(&state);
    printf("[  PASSED  ] %d test(s).\n", count[CROSS_OK]);
    if (count[CROSS_SKIPPED])
        printf("[  SKIPPED ] %d test(s), listed above\n", count[CROSS_SKIPPED]);
    if (count[CROSS_FAILED])
        printf("[  FAILED  ] %d test(s), listed above\n", count[CROSS_FAILED]);
    return count[CROSS_FAILED];
}

#define CROSS_CHECK(condition) cross_check(!!(condition), #condition, __FILE__, __LINE__)
#define CROSS_CLOSE(a, b, e) CROSS_CHECK(fabs((double)(a) - (double)(b)) <= (double)(e))

#define print_message printf
#define print_error printf
#define skip() longjmp(cross_return, CROSS_SKIPPED)
#define fail() CROSS_CHECK(!"fail")
#define fail_msg(...) (printf(__VA_ARGS__), putchar('\n'), fail())
#define assert_true(c) CROSS_CHECK(c)
#define assert_false(c) CROSS_CHECK(!(c))
#define assert_null(p) CROSS_CHECK((p) == NULL)
#define assert_non_null(p) CROSS_CHECK((p) != NULL)
#define assert_ptr_equal(a, b) CROSS_CHECK((const void *)(a) == (const void *)(b))
#define assert_ptr_not_equal(a, b) CROSS_CHECK((const void *)(a) != (const void *)(b))
#define assert_int_equal(a, b) CROSS_CHECK((uintmax_t)(a) == (uintmax_t)(b))
#define assert_int_not_equal(a, b) CROSS_CHECK((uintmax_t)(a) != (uintmax_t)(b))
#define assert_in_range(v, low, high) \
    CROSS_CHECK((uintmax_t)(v) >= (uintmax_t)(low) && (uintmax_t)(v) <= (uintmax_t)(high))
#define assert_float_equal(a, b, e) CROSS_CLOSE(a, b, e)
#define assert_double_equal(a, b, e) CROSS_CLOSE(a, b, e)
#define assert_string_equal(a, b) CROSS_CHECK(strcmp(a, b) == 0)
#define assert_string_not_equal(a, b) CROSS_CHECK(strcmp(a, b) != 0)
#define assert_memory_equal(a, b, n) CROSS_CHECK(memcmp(a, b, n) == 0)
#define assert_memory_not_equal(a, b, n) CROSS_CHECK(memcmp(a, b, n) != 0)

#endif
