#include "text/vocab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"

static void numbers_texts_from_zero(void **state)
{
    (void)state;
    at_vocab *v = at_vocab_new();
    assert_int_equal(at_vocab_size(v), 0);
    assert_int_equal(at_vocab_add(v, "a", 1), 0);
    assert_int_equal(at_vocab_add(v, "b", 1), 1);
    assert_int_equal(at_vocab_add(v, "a", 1), 0);
    assert_int_equal(at_vocab_find(v, "b", 1), 1);
    assert_int_equal(at_vocab_find(v, "c", 1), -1);
    assert_int_equal(at_vocab_find(v, "", 0), -1);
    assert_string_equal(at_vocab_text(v, 1, NULL), "b");
    at_vocab_free(v);
}

static void keeps_thousands_and_finds_each(void **state)
{
    (void)state;
    at_vocab *v = at_vocab_new();
    char text[24];
    for (int i = 0; i < 20000; i++)
        assert_int_equal(at_vocab_add(v, text, (size_t)snprintf(text, sizeof text, "word%d", i)),
                         i);
    for (int i = 0; i < 20000; i++) {
        size_t size = (size_t)snprintf(text, sizeof text, "word%d", i), got;
        assert_int_equal(at_vocab_find(v, text, size), i);
        assert_string_equal(at_vocab_text(v, i, &got), text);
        assert_int_equal(got, size);
    }
    assert_int_equal(at_vocab_find(v, "word20000", 9), -1);
    at_vocab_free(v);
}

static void tells_texts_with_zeros_apart(void **state)
{
    (void)state;
    at_vocab *v = at_vocab_new();
    int32_t a = at_vocab_add(v, "x\0y", 3), b = at_vocab_add(v, "x\0z", 3);
    int32_t c = at_vocab_add(v, "x", 1), d = at_vocab_add(v, "x\0", 2);
    assert_true(a != b && b != c && c != d && a != d);
    assert_int_equal(at_vocab_find(v, "x\0z", 3), b);
    at_vocab_free(v);
}

static void of_a_text_that_is_there_twice_the_newest_is_found(void **state)
{
    (void)state;
    at_vocab *v = at_vocab_new();
    at_vocab_append(v, "a", 1);
    at_vocab_append(v, "b", 1);
    assert_int_equal(at_vocab_append(v, "a", 1), 2);
    assert_int_equal(at_vocab_find(v, "a", 1), 2);
    assert_string_equal(at_vocab_text(v, 0, NULL), "a");
    char text[8];
    for (int i = 0; i < 2000; i++) /* and still after the table has grown */
        at_vocab_append(v, text, (size_t)snprintf(text, sizeof text, "%d", i));
    assert_int_equal(at_vocab_find(v, "a", 1), 2);
    at_vocab_free(v);
}

static void orders_by_count_then_bytes(void **state)
{
    (void)state;
    at_vocab *v = at_vocab_new();
    int32_t order[4];
    at_vocab_add(v, "rare", 4);
    at_vocab_add(v, "b", 1);
    at_vocab_add(v, "ab", 2);
    at_vocab_add(v, "a", 1);
    at_vocab_seen(v, 0, 1);
    for (int32_t i = 1; i < 4; i++)
        at_vocab_seen(v, i, 7);
    assert_int_equal(at_vocab_count(v, 3), 7);
    at_vocab_by_count(v, order);
    const int32_t expected[] = {3, 2, 1, 0};
    assert_memory_equal(order, expected, sizeof order);
    at_vocab_free(v);
}

static void says_when_memory_runs_out(void **state)
{
    (void)state;
    long live = at_alloc_live();
    for (long n = 0;; n++) {
        bool well = true;
        at_alloc_fail_after(n);
        at_vocab *v = at_vocab_new();
        char text[8];
        for (int i = 0; v && i < 600 && well; i++)
            well = at_vocab_add(v, text, (size_t)snprintf(text, sizeof text, "%d", i)) == i;
        at_alloc_fail_after(-1);
        if (v && !well) /* what was added before is still there */
            assert_int_equal(at_vocab_find(v, "0", 1), at_vocab_size(v) ? 0 : -1);
        bool done = v && well;
        at_vocab_free(v);
        assert_int_equal(at_alloc_live(), live);
        if (done)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_texts_from_zero),
        cmocka_unit_test(keeps_thousands_and_finds_each),
        cmocka_unit_test(tells_texts_with_zeros_apart),
        cmocka_unit_test(of_a_text_that_is_there_twice_the_newest_is_found),
        cmocka_unit_test(orders_by_count_then_bytes),
        cmocka_unit_test(says_when_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
