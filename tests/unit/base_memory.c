#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static int leave(void **state)
{
    (void)state;
    at_alloc_fail_after(-1);
    return at_alloc_live() != 0;
}

static void blocks_are_aligned_and_writable(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, 63, 64, 65, 1000, 1 << 20, (4 << 20) + 1, 9 << 20};
    for (int i = 0; i < 9; i++) {
        unsigned char *m = at_alloc(sizes[i]);
        assert_non_null(m);
        assert_int_equal((uintptr_t)m % 64, 0);
        memset(m, 0xab, sizes[i]);
        at_free(m);
    }
}

static void zeroed_blocks_are_zero(void **state)
{
    (void)state;
    unsigned char *m = at_alloc(3000); /* so that the next may get used memory */
    memset(m, 0xff, 3000);
    at_free(m);
    m = at_alloc_zero(1000, 3);
    for (int i = 0; i < 3000; i++)
        assert_int_equal(m[i], 0);
    at_free(m);
}

static void impossible_sizes_fail(void **state)
{
    (void)state;
    assert_null(at_alloc(SIZE_MAX));
    assert_null(at_alloc(SIZE_MAX / 2 + 1));
    assert_null(at_alloc_small(SIZE_MAX));
    assert_null(at_alloc_zero(SIZE_MAX / 4, 8));
    assert_null(at_realloc(NULL, 0, SIZE_MAX - 10));
}

static void small_blocks_count_and_fail_like_others(void **state)
{
    (void)state;
    void *m = at_alloc_small(0), *n = at_alloc_small(24);
    assert_true(m && n && (size_t)n % 16 == 0);
    assert_int_equal(at_alloc_live(), 2);
    at_free(m);
    at_free(n);
    at_alloc_fail_after(0);
    assert_null(at_alloc_small(1));
}

static void realloc_keeps_the_content(void **state)
{
    (void)state;
    char *m = at_realloc(NULL, 0, 6);
    strcpy(m, "hello");
    m = at_realloc(m, 6, 100000);
    assert_string_equal(m, "hello");
    m = at_realloc(m, 100000, 3);
    assert_memory_equal(m, "hel", 3);
    assert_int_equal(at_alloc_live(), 1);
    at_free(m);
}

static void a_failed_realloc_leaves_the_old_block(void **state)
{
    (void)state;
    char *m = at_strdup("hello");
    at_alloc_fail_after(0);
    assert_null(at_realloc(m, 6, 12));
    assert_string_equal(m, "hello");
    at_free(m);
}

static void strdup_copies(void **state)
{
    (void)state;
    const char *text = "größe";
    char *copy = at_strdup(text), *empty = at_strdup("");
    assert_ptr_not_equal(copy, text);
    assert_string_equal(copy, text);
    assert_string_equal(empty, "");
    at_free(copy);
    at_free(empty);
}

static void the_nth_allocation_and_all_after_it_fail(void **state)
{
    (void)state;
    at_alloc_fail_after(2);
    void *first = at_alloc(1), *second = at_alloc_zero(1, 1);
    assert_non_null(first);
    assert_non_null(second);
    assert_null(at_alloc(1));
    assert_null(at_alloc_zero(1, 1));
    assert_null(at_strdup(""));
    at_alloc_fail_after(-1);
    void *third = at_alloc(1);
    assert_non_null(third);
    at_free(first);
    at_free(second);
    at_free(third);
}

static void counts_what_was_made_and_what_lives(void **state)
{
    (void)state;
    long count = at_alloc_count();
    void *a = at_alloc(10), *b = at_alloc(10);
    assert_int_equal(at_alloc_count() - count, 2);
    assert_int_equal(at_alloc_live(), 2);
    at_free(a);
    at_free(NULL);
    assert_int_equal(at_alloc_live(), 1);
    at_free(b);
    assert_int_equal(at_alloc_count() - count, 2);
    at_alloc_fail_after(0);
    assert_null(at_alloc(10));
    assert_int_equal(at_alloc_live(), 0);
}

static void products_that_do_not_fit_are_seen(void **state)
{
    (void)state;
    size_t product;
    assert_true(at_size_multiply(0, SIZE_MAX, &product));
    assert_int_equal(product, 0);
    assert_true(at_size_multiply(SIZE_MAX, 1, &product));
    assert_true(product == SIZE_MAX);
    assert_true(at_size_multiply(1 << 16, 1 << 15, &product));
    assert_int_equal(product, (size_t)1 << 31);
    assert_false(at_size_multiply(SIZE_MAX / 2 + 1, 2, &product));
    assert_false(at_size_multiply(SIZE_MAX, SIZE_MAX, &product));
}

#define TEST(f) cmocka_unit_test_teardown(f, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(blocks_are_aligned_and_writable),
        TEST(zeroed_blocks_are_zero),
        TEST(impossible_sizes_fail),
        TEST(small_blocks_count_and_fail_like_others),
        TEST(realloc_keeps_the_content),
        TEST(a_failed_realloc_leaves_the_old_block),
        TEST(strdup_copies),
        TEST(the_nth_allocation_and_all_after_it_fail),
        TEST(counts_what_was_made_and_what_lives),
        TEST(products_that_do_not_fit_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
