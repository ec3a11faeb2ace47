#include "data/labels.h"

#include "data_tokens.h"

static void check(const char *text, const char *expected)
{
    at_vocab *labels;
    attend_error err;
    at_str out = {0};
    at_corpus *c = corpus_of(text, "sst");
    assert_int_equal(at_labels_of(c, &labels, &err), ATTEND_OK);
    for (int32_t i = 0; i < at_vocab_size(labels); i++)
        at_str_print(&out, "%s:%d ", at_vocab_text(labels, i, NULL),
                     (int)at_vocab_count(labels, i));
    assert_string_equal(at_str_text(&out), expected);
    at_str_free(&out);
    at_vocab_free(labels);
    at_corpus_free(c);
}

static void numbers_do_not_depend_on_the_order_of_lines(void **state)
{
    (void)state;
    check("neg x\npos y\nneg z\n", "neg:2 pos:1 ");
    check("pos y\nneg x\nneg z\n", "neg:2 pos:1 ");
    check("10 a\n9 b\n-1 c\n10 d\n", "-1:1 9:1 10:2 ");
    check("10 a\n9 b\nx c\n", "10:1 9:1 x:1 ");
}

static void refuses_a_corpus_without_labels(void **state)
{
    (void)state;
    at_vocab *labels;
    attend_error err;
    at_corpus *c = corpus_of("just text\n", "text");
    assert_int_equal(at_labels_of(c, &labels, &err), ATTEND_FORMAT);
    assert_null(labels);
    assert_says(&err, "file:1: no label");
    at_corpus_free(c);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    at_corpus *c = corpus_of("neg x\npos y\n", "sst");
    long live = at_alloc_live();
    for (int n = 0;; n++) {
        at_vocab *labels;
        attend_error err;
        at_alloc_fail_after(n);
        attend_status status = at_labels_of(c, &labels, &err);
        at_alloc_fail_after(-1);
        at_vocab_free(labels);
        assert_int_equal(at_alloc_live(), live);
        if (status >= 0)
            break;
        assert_int_equal(status, ATTEND_MEMORY);
    }
    at_corpus_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_do_not_depend_on_the_order_of_lines),
        cmocka_unit_test(refuses_a_corpus_without_labels),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
