#include "data/key.h"

#include "data_help.h"

static uint64_t key_of(const char *text)
{
    at_keys keys = {0};
    uint64_t key;
    assert_true(at_keys_of(&keys, text, strlen(text), &key));
    at_keys_free(&keys);
    return key;
}

static void does_not_see_case_accents_encoding_and_blanks(void **state)
{
    (void)state;
    assert_int_equal(key_of("Hello  World"), key_of(" hello\tworld\r"));
    assert_int_equal(key_of("Caf\u00e9"), key_of("cafe\u0301"));
    assert_int_equal(key_of("\u00c9TAT"), key_of("\u00e9tat"));
    assert_int_equal(key_of("Stra\u00dfe"), key_of("STRASSE"));
    assert_int_equal(key_of("a\u00a0b"), key_of("a b"));
    assert_int_equal(key_of("a\u2003\u3000b"), key_of("A B"));
    assert_int_equal(key_of(""), key_of(" \t "));
}

static void sees_everything_else(void **state)
{
    (void)state;
    static const char *const texts[] = {"",   "a", "b", "ab", "a b", "ba",
                                        "a.", "é", "e", "嗨", "嗨。"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(key_of(texts[i]), key_of(texts[k]));
}

/* Splits stand on these numbers: when this test fails, the change would move sentences from one
 * side of everybody's splits to the other. */
static void never_changes(void **state)
{
    (void)state;
    assert_int_equal(key_of(""), UINT64_C(0xefd01f60ba992926));
    assert_int_equal(key_of("Go."), UINT64_C(0x9b6bbe18c80cbfe1));
    assert_int_equal(key_of("Ça va ?"), UINT64_C(0xa4b64dde83a7450b));
    assert_int_equal(at_key_join(1, 2), UINT64_C(0x4b838d35c085c67d));
    assert_int_equal(at_key_bytes("Go.", 3), UINT64_C(0x84b8ed85257b017d));
}

static void takes_any_bytes(void **state)
{
    (void)state;
    at_keys keys = {0};
    uint64_t one, two;
    assert_true(at_keys_of(&keys, "\xff\x80", 2, &one));
    assert_true(at_keys_of(&keys, "\xff\x81", 2, &two));
    assert_int_not_equal(one, two);
    at_keys_free(&keys);
}

static void keys_spread_evenly(void **state)
{
    (void)state;
    int count[16] = {0};
    for (int i = 0; i < 16000; i++) {
        char text[32];
        snprintf(text, sizeof text, "sentence %d", i);
        count[key_of(text) >> 60]++;
    }
    for (int i = 0; i < 16; i++)
        assert_in_range(count[i], 850, 1150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(does_not_see_case_accents_encoding_and_blanks),
        cmocka_unit_test(sees_everything_else),
        cmocka_unit_test(never_changes),
        cmocka_unit_test(takes_any_bytes),
        cmocka_unit_test(keys_spread_evenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
