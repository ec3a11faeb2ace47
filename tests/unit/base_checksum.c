#include "base/checksum.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void sums_are_those_of_xxh3(void **state)
{
    (void)state;
    static unsigned char bytes[100000];
    for (int i = 0; i < 100000; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 251);
    assert_true(at_checksum_of(NULL, 0) == 0x2d06800538d394c2);
    assert_true(at_checksum_of("a", 1) == 0xe6c632b61e964e1f);
    assert_true(at_checksum_of("abc", 3) == 0x78af5f94892f3950);
    assert_true(at_checksum_of(bytes, sizeof bytes) == 0x4e16d63e05fac6ed);
}

static void parts_make_the_sum_of_the_whole(void **state)
{
    (void)state;
    static unsigned char bytes[5000];
    static const size_t sizes[] = {1, 7, 64, 255, 256, 257, 1024, 4999};
    for (int i = 0; i < 5000; i++)
        bytes[i] = (unsigned char)(i * i);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        at_checksum c;
        at_checksum_start(&c);
        at_checksum_add(&c, NULL, 0);
        for (size_t i = 0; i < sizeof bytes; i += sizes[k])
            at_checksum_add(&c, bytes + i,
                            sizeof bytes - i < sizes[k] ? sizeof bytes - i : sizes[k]);
        assert_true(at_checksum_end(&c) == at_checksum_of(bytes, sizeof bytes));
    }
}

static void sums_are_written_and_read(void **state)
{
    (void)state;
    char digits[] = "................x";
    uint64_t sum;
    at_checksum_print(0x00af5f94892f395e, digits);
    assert_string_equal(digits, "00af5f94892f395ex");
    assert_true(at_checksum_read(digits, &sum));
    assert_true(sum == 0x00af5f94892f395e);
    assert_false(at_checksum_read("00AF5f94892f395e", &sum));
    assert_false(at_checksum_read("00af5f94892f395", &sum));
    assert_false(at_checksum_read(" 0af5f94892f395e", &sum));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_xxh3),
        cmocka_unit_test(parts_make_the_sum_of_the_whole),
        cmocka_unit_test(sums_are_written_and_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
