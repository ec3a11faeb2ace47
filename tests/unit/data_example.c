#include "data/example.h"

#include "data_help.h"

static void unpacks_what_it_packs(void **state)
{
    (void)state;
    at_answer answers[] = {{{"sea", 3}, 12, 13}, {{"", 0}, 0, 0}, {{"café", 5}, 300, 70000}};
    at_example e = {.has = 15,
                    .source = {"a source", 8},
                    .target = {"", 0},
                    .label = {"label", 5},
                    .question = {"why?", 4},
                    .id = {"x\0y", 3},
                    .rest = {NULL, 0},
                    .group = {"g", 1},
                    .answers = answers,
                    .answer_count = 3,
                    .file = 300,
                    .line = 5000000000};
    at_str packed = {0}, before = {0}, after = {0};
    at_arena arena = {0};
    at_example copy;
    at_arena_init(&arena, 1024);
    at_example_pack(&packed, &e);
    assert_true(at_example_unpack(&copy, packed.text, &arena));
    show_example(&before, &e);
    show_example(&after, &copy);
    assert_string_equal(before.text, after.text);
    assert_int_equal(copy.file, 300);
    assert_int_equal(copy.line, 5000000000);
    assert_int_equal(copy.answers[2].byte, 70000);
    assert_int_equal(copy.group.size, 1);
    assert_true(at_example_unpack(&copy, packed.text, NULL));
    assert_int_equal(copy.answer_count, 0);
    at_arena_free(&arena);
    at_str_free(&packed);
    at_str_free(&before);
    at_str_free(&after);
}

static void finds_the_byte_of_a_character(void **state)
{
    (void)state;
    at_text t = {"aé嗨z", 7};
    const size_t expected[] = {0, 1, 3, 6, 7};
    size_t byte;
    for (size_t i = 0; i < 5; i++) {
        assert_true(at_text_position(t, i, &byte));
        assert_int_equal(byte, expected[i]);
    }
    assert_false(at_text_position(t, 5, &byte));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unpacks_what_it_packs),
        cmocka_unit_test(finds_the_byte_of_a_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
