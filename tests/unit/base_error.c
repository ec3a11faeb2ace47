#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void fills_status_and_message_and_returns_the_status(void **state)
{
    (void)state;
    attend_error err;
    assert_int_equal(at_error(&err, ATTEND_FORMAT, "%s:%d: bad", "a.csv", 7), ATTEND_FORMAT);
    assert_int_equal(err.status, ATTEND_FORMAT);
    assert_string_equal(err.message, "a.csv:7: bad");
}

static void works_without_an_error_to_fill(void **state)
{
    (void)state;
    assert_int_equal(at_error(NULL, ATTEND_SHAPE, "unheard"), ATTEND_SHAPE);
    assert_int_equal(at_error_memory(NULL), ATTEND_MEMORY);
}

static void cuts_a_message_that_is_too_long(void **state)
{
    (void)state;
    attend_error err;
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    at_error(&err, ATTEND_FILE, "%s", text);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
}

static void messages_cannot_steer_a_terminal(void **state)
{
    (void)state;
    attend_error err;
    at_error(&err, ATTEND_FILE, "a\x1b[31mb\x07 %s", "c\xc2\x9b \xe2\x80\xae é\xff\x9b 中\n");
    assert_string_equal(err.message, "a?[31mb? c? ? é?? 中?");
    char text[] = "\xc2\x9b";
    at_printable(text);
    assert_string_equal(text, "?");
}

static void names_and_explains_every_status(void **state)
{
    (void)state;
#define X(name, code, text)                                                  \
    assert_int_equal(ATTEND_##name, code);                                   \
    assert_string_equal(attend_status_name(ATTEND_##name), "ATTEND_" #name); \
    assert_string_equal(attend_status_text(ATTEND_##name), text);
    ATTEND_STATUS_LIST(X)
#undef X
    assert_non_null(attend_status_name((attend_status)-99));
    assert_non_null(attend_status_text((attend_status)-99));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_status_and_message_and_returns_the_status),
        cmocka_unit_test(works_without_an_error_to_fill),
        cmocka_unit_test(cuts_a_message_that_is_too_long),
        cmocka_unit_test(messages_cannot_steer_a_terminal),
        cmocka_unit_test(names_and_explains_every_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
