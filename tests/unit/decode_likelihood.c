/* The likelihood of texts: that of steps through a session, in windows of any stride. */
#include "decode/likelihood.h"

#include <math.h>
#include <string.h>

#include "api/model.h"
#include "base/memory.h"
#include "decode/session.h"
#include "model_fixtures.h"
#include "tensor/vector.h"

enum { MAX = 400 };

static at_model *model;
static attend_error err;
static int ids[MAX];
static size_t count;
static double log_ps[MAX];

static void encode(const char *text)
{
    at_tokens p = {0};
    assert_int_equal(at_likelihood_tokens(model, at_text_of(text), &p, &err), ATTEND_OK);
    assert_in_range(p.count, 2, MAX);
    for (count = 0; count < p.count; count++)
        ids[count] = p.item[count].id;
    at_tokens_free(&p);
}

/* log p of ids[last + 1] from ids[from .. last], a step for each */
static double stepped(size_t from, size_t last)
{
    at_session *s;
    at_session_numbers n;
    at_beginning in = {.sentences = 1};
    assert_int_equal(at_session_new(1, (const at_model *const[]){model}, &s, &err), ATTEND_OK);
    assert_int_equal(at_session_start(s, &in, &err), ATTEND_OK);
    for (size_t i = from; i <= last; i++)
        assert_int_equal(at_session_step(s, 1, (const int[]){0}, &ids[i], &n, &err), ATTEND_OK);
    double log_p = (double)n.log_p[ids[last + 1]] - at_log_sum_exp((size_t)n.vocabulary, n.log_p);
    at_session_free(s);
    return log_p;
}

static const char text[] = "the cat sees the dog\nwhat the dog likes is another line of text\n\n"
                           "and one more line , longer than a chunk of tokens , to its end\n";

static void every_token_is_predicted_from_all_before_it(void **state)
{
    (void)state;
    at_likelihood_options o = {0};
    encode(text);
    assert_int_equal(at_likelihood_resolve(model, &o, &err), ATTEND_OK);
    assert_int_equal(o.context, 0);
    assert_int_equal(at_text_likelihood(model, &o, count, ids, log_ps, &err), ATTEND_OK);
    for (size_t i = 0; i + 1 < count; i++)
        assert_true(fabs(log_ps[i] - stepped(0, i)) < 1e-9);
}

static void windows_add_their_stride(void **state)
{
    (void)state;
    encode(text);
    for (int stride = 1; stride <= 7; stride++) {
        at_likelihood_options o = {.context = 7, .stride = stride};
        assert_int_equal(at_text_likelihood(model, &o, count, ids, log_ps, &err), ATTEND_OK);
        for (size_t i = 0; i + 1 < count; i++) {
            size_t window = i < 7 ? 0 : (i - 7) / (size_t)stride + 1;
            assert_true(fabs(log_ps[i] - stepped(window * (size_t)stride, i)) < 1e-9);
        }
    }
}

static void lines_have_their_ends(void **state)
{
    (void)state;
    int end = model->source->special[ATTEND_SPECIAL_EOS];
    encode("");
    assert_int_equal(count, 2);
    assert_true(ids[0] == end && ids[1] == end);
    encode("the cat\nthe dog");
    size_t without = count;
    encode("the cat\nthe dog\n");
    assert_int_equal(count, without);
    assert_true(ids[0] == end && ids[count - 1] == end);
}

static void options_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    at_likelihood_options o = {.stride = 3};
    assert_int_equal(at_likelihood_resolve(model, &o, &err), ATTEND_OPTION);
    o = (at_likelihood_options){.context = 3, .stride = 4};
    assert_int_equal(at_likelihood_resolve(model, &o, &err), ATTEND_OPTION);
    o = (at_likelihood_options){.context = -1};
    assert_int_equal(at_likelihood_resolve(model, &o, &err), ATTEND_OPTION);
    o = (at_likelihood_options){.context = 9};
    assert_int_equal(at_likelihood_resolve(model, &o, &err), ATTEND_OK);
    assert_int_equal(o.stride, 4);
}

static void perplexity_is_that_of_the_steps(void **state)
{
    (void)state;
    attend_model *m;
    attend_likelihood *l;
    double sum = 0;
    assert_int_equal(attend_model_open(fixture("language"), &m, &err), ATTEND_OK);
    assert_int_equal(attend_likelihood_of(m, NULL, text, strlen(text), &l, &err), ATTEND_OK);
    encode(text);
    assert_int_equal(l->tokens, count - 1);
    for (size_t i = 0; i + 1 < count; i++)
        sum += stepped(0, i);
    double perplexity = exp(-sum / (double)(count - 1));
    assert_true(fabs(l->perplexity / perplexity - 1) < 1e-9);
    assert_true(fabs(l->bits_per_byte * log(2) * (double)strlen(text) + sum) < 1e-6);
    assert_int_equal(l->bytes, strlen(text));
    attend_free(l);
    attend_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_token_is_predicted_from_all_before_it),
        cmocka_unit_test(windows_add_their_stride),
        cmocka_unit_test(lines_have_their_ends),
        cmocka_unit_test(options_that_do_not_fit_are_refused),
        cmocka_unit_test(perplexity_is_that_of_the_steps),
    };
    model = open_fixture("language");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    at_model_free(model);
    return failed;
}
