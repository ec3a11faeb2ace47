#include "base/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"

static void check_line(long step, double now, int columns, bool utf8, const char *expected)
{
    at_progress p;
    at_str s = {0};
    at_progress_start(&p, 0, 200, 100);
    at_progress_line(&s, &p, step, now, "loss 0.5", columns, utf8);
    assert_string_equal(at_str_text(&s), expected);
    at_str_free(&s);
}

static void draws_share_bar_steps_and_time_left(void **state)
{
    (void)state;
    check_line(0, 100, 40, false, "  0 %  ...............  0/200  loss 0.5");
    check_line(50, 110, 50, false, " 25 %  ###..........  50/200  loss 0.5  0:30 left");
    check_line(200, 110, 50, false, "100 %  ############  200/200  loss 0.5  0:00 left");
    check_line(50, 110, 30, false, " 25 %  50/200  loss 0.5  0:30 left"); /* no room for a bar */
    check_line(5, 100, 35, true, "  2 %  ▎           5/200  loss 0.5");
}

static void fits_the_columns_it_is_given(void **state)
{
    (void)state;
    for (int columns = 50; columns <= 120; columns++)
        for (long step = 0; step <= 200; step += 7) {
            at_progress p;
            at_str s = {0};
            at_progress_start(&p, 0, 200, 0);
            at_progress_line(&s, &p, step, 1, "loss 0.1234", columns, true);
            assert_true(at_str_columns(s.text) < columns);
            at_str_free(&s);
        }
}

static void tells_the_time_left_also_after_a_resume(void **state)
{
    (void)state;
    at_progress p;
    at_progress_start(&p, 900, 1000, 50);
    assert_true(at_progress_left(&p, 900, 60) < 0);
    assert_true(at_progress_left(&p, 910, 60) == 90); /* 1 s a step, not 60 / 910 */
    assert_true(at_progress_left(&p, 1000, 60) == 0);
    p.aside = 5; /* of which half were no steps, and 20 more such seconds come */
    p.ahead = 20;
    assert_true(at_progress_left(&p, 910, 60) == 45 + 20);
}

static void writes_hours_only_where_there_are_some(void **state)
{
    (void)state;
    at_str s = {0};
    at_progress_time(&s, 3.4);
    at_str_add(&s, " ");
    at_progress_time(&s, 59.6);
    at_str_add(&s, " ");
    at_progress_time(&s, 3723);
    assert_string_equal(at_str_text(&s), "0:03 1:00 1:02:03");
    at_str_free(&s);
}

static void is_due_ten_times_a_second_and_at_the_end(void **state)
{
    (void)state;
    at_progress p;
    at_progress_start(&p, 0, 100, 0);
    assert_true(at_progress_due(&p, 1, 0.01));
    assert_false(at_progress_due(&p, 2, 0.05));
    assert_true(at_progress_due(&p, 3, 0.12));
    assert_true(at_progress_due(&p, 100, 0.13));
    assert_false(at_progress_due(&p, 100, 0.14));
}

static void reports_memory_that_ran_out(void **state)
{
    (void)state;
    at_progress p;
    at_progress_start(&p, 0, 10, 0);
    for (long n = 0; n < 2; n++) {
        at_str s = {0};
        at_alloc_fail_after(n);
        at_progress_line(&s, &p, 5, 1, "loss", 80, true);
        at_alloc_fail_after(-1);
        assert_true(s.failed);
        at_str_free(&s);
    }
    assert_int_equal(at_alloc_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_share_bar_steps_and_time_left),
        cmocka_unit_test(fits_the_columns_it_is_given),
        cmocka_unit_test(tells_the_time_left_also_after_a_resume),
        cmocka_unit_test(writes_hours_only_where_there_are_some),
        cmocka_unit_test(is_due_ten_times_a_second_and_at_the_end),
        cmocka_unit_test(reports_memory_that_ran_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
