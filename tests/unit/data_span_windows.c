/* Questions and contexts in windows: every token once at least, answers at their tokens, frames. */
#include "data/span_windows.h"
#include "data_help.h"
#include "data_tokens.h"

static at_text text(const char *s) { return (at_text){s, strlen(s)}; }

static void windows_cover_the_context(void **unused)
{
    at_tokenizer *t = toy_tokenizer();
    at_span_text s = {.cut = false};
    attend_error err;
    (void)unused;
    for (int window = 8; window < 30; window++)
        for (int stride = 1; stride < 12; stride++) {
            at_span_options o = {window, stride, 3};
            assert_int_equal(at_span_text_read(&s, t, &o, text("a b c d e"),
                                               text("a b c d e f g h i j k l m n o p"), &err),
                             ATTEND_OK);
            assert_true(s.cut);
            int end = 0;
            for (int i = 0; i < s.count; i++) {
                at_span_window w = at_span_window_at(&s, i);
                at_tokens p = {0};
                at_span_window_put(&s, &w, &p);
                assert_int_equal(p.count, w.length);
                assert_true(w.length <= window && w.first <= end && w.tokens > 0);
                assert_int_equal(p.item[w.context].begin, s.context.item[w.first].begin);
                assert_int_equal(w.none, 0);
                end = w.first + w.tokens;
                at_tokens_free(&p);
            }
            assert_int_equal(end, s.context.count);
        }
    at_span_text_free(&s);
    at_tokenizer_free(t);
}

static void answers_are_tokens(void **unused)
{
    at_tokenizer *t = toy_tokenizer();
    at_span_text s = {.cut = false};
    at_span_options o = {20, 5, 5};
    attend_error err;
    int first, last;
    (void)unused;
    at_span_text_read(&s, t, &o, text("a"), text("ab cd ef"), &err);
    assert_true(at_span_find(&s, 3, 2, &first, &last));
    assert_true(s.context.item[first].begin <= 3 && s.context.item[last].end >= 5);
    assert_false(at_span_find(&s, 2, 1, &first, &last)); /* a space */
    at_span_text_free(&s);
    at_tokenizer_free(t);
}

static void what_does_not_fit_is_refused(void **unused)
{
    at_tokenizer *t = toy_tokenizer();
    at_span_text s = {.cut = false};
    at_span_options o = {6, 5, 5};
    attend_error err;
    (void)unused;
    assert_int_equal(at_span_text_read(&s, t, &o, text("a b c d"), text("a"), &err), ATTEND_OPTION);
    assert_non_null(strstr(err.message, "no room for the context"));
    assert_int_equal(at_span_text_read(&s, t, &o, text("a"), text(""), &err), ATTEND_FORMAT);
    assert_non_null(strstr(err.message, "the context is empty"));
    at_span_text_free(&s);
    at_tokenizer_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_cover_the_context),
        cmocka_unit_test(answers_are_tokens),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
