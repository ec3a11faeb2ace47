/* Links as text, and one alignment of two directions. */
#include "decode/links.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"

static void expect(attend_symmetrise how, const char *forward, const char *backward,
                   const char *wanted)
{
    at_str out = {0};
    attend_error err;
    assert_int_equal(at_links_symmetrise(forward, backward, how, &out, &err), ATTEND_OK);
    assert_string_equal(at_str_text(&out), wanted);
    at_str_free(&out);
}

static void the_intersection_has_what_both_have(void **state)
{
    (void)state;
    expect(ATTEND_SYMMETRISE_INTERSECTION, "0-0 1-2 3-1", "1-2 0-0 2-2", "0-0 1-2");
    expect(ATTEND_SYMMETRISE_INTERSECTION, "0-0", "", "");
    expect(ATTEND_SYMMETRISE_INTERSECTION, "0-0 0-0", "1-1", "");
}

static void the_union_has_what_either_has_once(void **state)
{
    (void)state;
    expect(ATTEND_SYMMETRISE_UNION, "0-0 1-2 0-0", "1-2 2-2", "0-0 1-2 2-2");
    expect(ATTEND_SYMMETRISE_UNION, "", "", "");
}

/* 1-1 is in both; 2-2 and 1-2 are next to it, and what is next to these; 8-8 stands alone with free
 * words, 8-4 would give word 8 a second link, and 0-9 a word that has one already. */
static void grow_diag_final_and_grows_along_neighbours(void **state)
{
    (void)state;
    expect(ATTEND_SYMMETRISE_GROW_DIAG_FINAL_AND, "1-1 2-2 8-8", "1-1 3-3", "1-1 2-2 3-3 8-8");
    expect(ATTEND_SYMMETRISE_GROW_DIAG_FINAL_AND, "1-1 1-2", "1-1", "1-1 1-2");
    expect(ATTEND_SYMMETRISE_GROW_DIAG_FINAL_AND, "1-1 2-2", "1-1 2-2 2-1", "1-1 2-2");
    expect(ATTEND_SYMMETRISE_GROW_DIAG_FINAL_AND, "1-1 8-8", "1-1 8-4", "1-1 8-8");
    expect(ATTEND_SYMMETRISE_GROW_DIAG_FINAL_AND, "0-0 4-9", "0-0 0-9", "0-0 4-9");
}

static void what_is_no_link_is_refused(void **state)
{
    static const char *const wrong[] = {
        "0",  "0-", "-0", "0-0,1-1", "a-b", "0--1", "0-1p", "0-1048576", "99999999999999999999-0",
        "0p1"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        at_link *links;
        size_t count;
        attend_error err;
        assert_int_equal(at_links_parse(wrong[i], &links, &count, &err), ATTEND_FORMAT);
        assert_null(links);
        assert_non_null(strstr(err.message, "is not a link"));
    }
}

static void without_memory_it_fails_cleanly(void **state)
{
    (void)state;
    attend_status status = ATTEND_MEMORY;
    for (int n = 0; status != ATTEND_OK; n++) {
        at_str out = {0};
        attend_error err;
        at_alloc_fail_after(n);
        status = at_links_symmetrise("0-0 1-1", "1-1 2-2", ATTEND_SYMMETRISE_GROW_DIAG_FINAL_AND,
                                     &out, &err);
        status = status >= 0 && out.failed ? ATTEND_MEMORY : status;
        at_alloc_fail_after(-1);
        at_str_free(&out);
        assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
        assert_true(n < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_intersection_has_what_both_have),
        cmocka_unit_test(the_union_has_what_either_has_once),
        cmocka_unit_test(grow_diag_final_and_grows_along_neighbours),
        cmocka_unit_test(what_is_no_link_is_refused),
        cmocka_unit_test(without_memory_it_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
