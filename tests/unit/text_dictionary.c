/* Dictionaries: what is found, and what a file may not have. */
#include "text/dictionary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"

static char path[] = "/tmp/attend-dictionary-XXXXXX";

static attend_status open_text(const char *text, at_dictionary **d, attend_error *err)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return at_dictionary_open(path, d, err);
}

static void words_are_found_as_written_else_in_lower_case(void **state)
{
    at_dictionary *d;
    attend_error err;
    (void)state;
    assert_int_equal(
        open_text("Haus\thouse\r\n\nbaum\ttree\nHaus\thome\n\xC3\xB6l\toil of olives", &d, &err),
        ATTEND_OK);
    assert_int_equal(at_dictionary_size(d), 3);
    assert_string_equal(at_dictionary_find(d, "Haus", 4), "house");
    assert_string_equal(at_dictionary_find(d, "Baum", 4), "tree");
    assert_string_equal(at_dictionary_find(d, "\xC3\x96L", 3), "oil of olives");
    assert_null(at_dictionary_find(d, "haus", 4));
    assert_null(at_dictionary_find(d, "Hau", 3));
    assert_null(at_dictionary_find(d, "", 0));
    at_dictionary_free(d);
}

static void a_byte_order_mark_is_no_part_of_the_first_word(void **state)
{
    at_dictionary *d;
    attend_error err;
    (void)state;
    assert_int_equal(open_text("\xEF\xBB\xBFHaus\thouse\n", &d, &err), ATTEND_OK);
    assert_string_equal(at_dictionary_find(d, "Haus", 4), "house");
    at_dictionary_free(d);
    assert_int_equal(open_text("\xEF\xBB\xBF", &d, &err), ATTEND_OK);
    assert_int_equal(at_dictionary_size(d), 0);
    at_dictionary_free(d);
}

static void faults_are_named_with_their_line(void **state)
{
    static const char *const bad[] = {"a\tb\nno tab\n", "a\tb\n\tx\n", "a\tb\nx\t\n",
                                      "a\tb\nx\ty\tz\n", "a\tb\n\xFF\ty\n"};
    at_dictionary *d;
    attend_error err;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(open_text(bad[i], &d, &err), ATTEND_FORMAT);
        assert_non_null(strstr(err.message, ":2: "));
        assert_null(d);
    }
    assert_int_equal(at_dictionary_open("/nowhere/words", &d, &err), ATTEND_FILE);
}

static void memory_that_runs_out_is_an_error(void **state)
{
    attend_error err;
    (void)state;
    long live = at_alloc_live();
    for (long n = 0;; n++) {
        at_dictionary *d;
        at_alloc_fail_after(n);
        attend_status status = open_text("a\tb\nc\td\n", &d, &err);
        at_alloc_fail_after(-1);
        if (status == ATTEND_OK) {
            at_dictionary_free(d);
            break;
        }
        assert_int_equal(status, ATTEND_MEMORY);
    }
    assert_int_equal(at_alloc_live(), live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_found_as_written_else_in_lower_case),
        cmocka_unit_test(a_byte_order_mark_is_no_part_of_the_first_word),
        cmocka_unit_test(faults_are_named_with_their_line),
        cmocka_unit_test(memory_that_runs_out_is_an_error),
    };
    close(mkstemp(path));
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
