#include "base/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    int calls;
    attend_log_level level;
    char message[1100];
} seen;

static void remember(void *user, attend_log_level level, const char *message)
{
    seen *s = user;
    s->calls++;
    s->level = level;
    assert_true(strlen(message) < sizeof s->message);
    strcpy(s->message, message);
}

static void drops_messages_that_nobody_wants(void **state)
{
    (void)state;
    seen s = {0};
    attend_set_log(remember, &s);
    attend_set_log(NULL, NULL);
    at_log(ATTEND_LOG_ERROR, "nobody hears this");
    assert_int_equal(s.calls, 0);
}

static void passes_level_and_formatted_message(void **state)
{
    (void)state;
    seen s = {0};
    attend_set_log(remember, &s);
    at_log(ATTEND_LOG_WARNING, "%d of %s", 3, "five");
    attend_set_log(NULL, NULL);
    assert_int_equal(s.calls, 1);
    assert_int_equal(s.level, ATTEND_LOG_WARNING);
    assert_string_equal(s.message, "3 of five");
}

static void marks_a_message_that_was_cut(void **state)
{
    (void)state;
    seen s = {0};
    char text[3001];
    memset(text, 'a', 3000);
    text[3000] = 0;
    attend_set_log(remember, &s);
    at_log(ATTEND_LOG_INFO, "%s", text);
    assert_int_equal(strlen(s.message), 1003);
    assert_string_equal(s.message + 999, "a...");
    text[1003] = 0;
    at_log(ATTEND_LOG_INFO, "%s", text);
    attend_set_log(NULL, NULL);
    assert_string_equal(s.message, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_messages_that_nobody_wants),
        cmocka_unit_test(passes_level_and_formatted_message),
        cmocka_unit_test(marks_a_message_that_was_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
